"""Task files: a Sokoban level (goal set), two boards with `Goal:` between, or JSON.

A level file may hold many levels; the other two hold one task each. JSON is an object of `domain`, `start`
and `goal`, and perhaps `title`: start and goal are XSB boards in Sokoban, each one string, and what the world
itself writes elsewhere (`nhc.domains.protocol.ReadableDomain`). What is written reads as the same task.
"""

import json
import re
from dataclasses import replace
from pathlib import Path

from nhc.domains.registry import SOKOBAN_NAME, AnyReadable, AnyState, make_domain
from nhc.domains.sokoban import XSB, Legend, State, scan_levels, to_text
from nhc.domains.sokoban.levels import USUAL, Reading, read_configuration
from nhc.domains.sokoban.lines import Line, read_lines
from nhc.errors import ConfigError, InputError, Place
from nhc.runs.storage import write_text_atomically
from nhc.tasks.planning import (
    GoalCells,
    PlanningTask,
    configuration_task,
    level_task,
    task_between,
    world_task,
)

GOAL_LINE = re.compile(r"\s*goal\s*:\s*", re.IGNORECASE)
REQUIRED = ("domain", "start", "goal")
KEYS = (*REQUIRED, "title")


def read_task(
    path: str | Path,
    level: int = 1,
    *,
    legend: Legend = XSB,
    allow_extra_goals: bool = False,
    close_border: bool = False,
) -> PlanningTask:
    """The task in a file; `level` counts from 1 and chooses from a file of several levels.

    Raises InputError: `task.file` (the file cannot be read) and the codes of `parse_task`.
    """
    reading = Reading(legend, allow_extra_goals, close_border)
    return parse_task(read_bytes(path), str(path), level, reading)


def read_bytes(path: str | Path) -> bytes:
    """The contents of a file. Raises InputError (`task.file`)."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise InputError("task.file", f"cannot be read: {error.strerror}", Place(str(path))) from error


def parse_task(
    data: bytes, file: str | None = None, level: int = 1, reading: Reading = USUAL
) -> PlanningTask:
    """The task in the contents of a file.

    Text that begins with `{` is JSON. Other levels than the chosen one may have errors. Raises InputError:
    `task.level` (there is no such level), `task.goal` (more than one line `Goal:`), `task.json` (not JSON, or
    not an object that is a task), `task.domain` (an unknown domain, or another board size than the domain's
    name says), and the codes of `read_configuration`, `configuration_task` and `scan_levels`.
    """
    if data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        _expect_level(level, 1, file)
        return _json_task(_read_object(data, file), file, reading)
    lines = read_lines(data, file)
    dividers = [number for number, line in enumerate(lines) if GOAL_LINE.fullmatch(line.text)]
    if dividers:
        _expect_level(level, 1, file)
        return _pair_task(lines, dividers, file, reading)
    levels = scan_levels(data, file, reading)
    _expect_level(level, len(levels), file)
    chosen = levels[level - 1]
    if isinstance(chosen, InputError):
        raise chosen
    return level_task(chosen)


def read_tasks(path: str | Path, reading: Reading = USUAL) -> list[PlanningTask | InputError]:
    """All levels of a level file; one that cannot be played gives its error in its place.

    Raises InputError: `task.file`, and those of `scan_levels` for a file as a whole.
    """
    found = scan_levels(read_bytes(path), str(path), reading)
    return [level if isinstance(level, InputError) else level_task(level) for level in found]


def puzzle_task(text: str) -> PlanningTask:
    """The task to bring a 3x3 board into order: nine numbers row by row, 0 for the hole, which ends last.

    Raises InputError (`task.puzzle`) for what is no such board.
    """
    signs = re.findall(r"[0-9]", text)
    if re.fullmatch(r"[0-9\s,]*", text) is None or sorted(signs) != [*"012345678"]:
        wanted = "nine numbers, each of 0 to 8 once and 0 for the hole, such as 1 2 3 4 5 6 7 0 8"
        raise InputError("task.puzzle", f"expected {wanted}; found {text!r:.80}")
    rows = [[int(sign) for sign in signs[begin : begin + 3]] for begin in (0, 3, 6)]
    world = make_domain("sliding-3x3")
    return task_between(world, rows, [[1, 2, 3], [4, 5, 6], [7, 8, 0]], f"puzzle {' '.join(signs)}")


def format_task(task: PlanningTask) -> str:
    """The text of a task file that reads as this task."""
    if task.board is None or not isinstance(task.start, State):
        return _format_json(task)
    title = f"Title: {task.title}\n" if task.title else ""
    if isinstance(task.goal, GoalCells):
        return title + to_text(task.board, task.start, task.goal.cells) + "\n"
    assert isinstance(task.goal, State), "a Sokoban task has a Sokoban goal"
    return f"{title}{to_text(task.board, task.start)}\nGoal:\n{to_text(task.board, task.goal)}\n"


def write_task(path: str | Path, task: PlanningTask) -> None:
    """Write a task file; what stood there is replaced at the end or not at all.

    Raises StorageError (code `storage.write`).
    """
    write_text_atomically(Path(path), format_task(task))


def _expect_level(level: int, count: int, file: str | None) -> None:
    if not 1 <= level <= count:
        raise InputError("task.level", f"expected a level from 1 to {count}, found {level}", Place(file))


def _pair_task(lines: list[Line], dividers: list[int], file: str | None, reading: Reading) -> PlanningTask:
    if len(dividers) > 1:
        place = Place(file, lines[dividers[1]].number)
        raise InputError("task.goal", "expected one line `Goal:`, found another one here", place)
    parts = lines[: dividers[0]], lines[dividers[0] + 1 :]
    (start, title), (goal, _) = (read_configuration(part, file, reading) for part in parts)
    return configuration_task(start, goal, title)


def _json_task(fields: dict[str, object], file: str | None, reading: Reading) -> PlanningTask:
    domain = _text(fields, "domain", file)
    title = _text(fields, "title", file) if "title" in fields else None
    if domain != "sokoban" and SOKOBAN_NAME.fullmatch(domain) is None:
        try:
            world = make_domain(domain)
        except ConfigError as error:
            raise InputError("task.domain", error.message, Place(file)) from error
        start, goal = (_state(world, fields, key, file) for key in ("start", "goal"))
        return world_task(world, start, goal, title)
    texts = [(_text(fields, key, file), _inside(file, key)) for key in ("start", "goal")]
    boards = [read_configuration(read_lines(text, inside), inside, reading)[0] for text, inside in texts]
    task = configuration_task(boards[0], boards[1], title)
    if domain not in ("sokoban", task.world.name):
        raise InputError("task.domain", f"the boards are {task.world.name}, not {domain}", Place(file))
    return task


def _state(world: AnyReadable, fields: dict[str, object], key: str, file: str | None) -> AnyState:
    """The state that a field describes; errors name the field."""
    try:
        return world.state_from_json(fields[key])
    except InputError as error:
        if error.place is None:
            raise InputError(error.code, f"`{key}`: {error.message}", Place(file)) from error
        inside = replace(error.place, file=_inside(file, key))
        raise InputError(error.code, error.message, inside) from error


def _read_object(data: bytes, file: str | None) -> dict[str, object]:
    """The fields of a JSON object. Raises InputError (`task.json`) unless they are those of a task."""

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        fields: dict[str, object] = {}
        for key, value in pairs:
            if key in fields:
                raise InputError("task.json", f"the key {key!r:.60} comes twice in one object", Place(file))
            fields[key] = value
        return fields

    try:
        value: object = json.loads(data.decode("utf-8-sig"), object_pairs_hook=once)
    except json.JSONDecodeError as error:
        place = Place(file, error.lineno, error.colno)
        raise InputError("task.json", f"this is no JSON: {error.msg}", place) from error
    except (ValueError, RecursionError) as error:
        raise InputError("task.json", f"this is no JSON that can be read: {error}", Place(file)) from error
    # parse_task hands over text that begins with `{`: if it is JSON, it is an object.
    assert isinstance(value, dict), "JSON that begins with a brace is an object"
    missing = [key for key in REQUIRED if key not in value]
    unknown = [key for key in value if key not in KEYS]
    if missing or unknown:
        message = f"expected the keys {', '.join(REQUIRED)} and perhaps title"
        message += f"; missing: {', '.join(missing)}" if missing else ""
        message += f"; unknown: {', '.join(unknown)}" if unknown else ""
        raise InputError("task.json", message, Place(file))
    return value


def _text(fields: dict[str, object], key: str, file: str | None) -> str:
    value = fields[key]
    if not isinstance(value, str):
        raise InputError("task.json", f"`{key}` must be a text, found {value!r:.60}", Place(file))
    return value


def _inside(file: str | None, key: str) -> str:
    return f"{file or '<input>'}#{key}"


def _format_json(task: PlanningTask) -> str:
    fields: dict[str, object] = {
        "domain": task.world.name,
        "start": task.world.state_to_json(task.start),
        "goal": task.world.state_to_json(task.goal),
    }
    if task.title:
        fields["title"] = task.title
    lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"
