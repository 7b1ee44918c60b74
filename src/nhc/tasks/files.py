"""Task files: a Sokoban level (goal set), two boards with `Goal:` between, or JSON.

A level file may hold many levels; the other two hold one task each. What is written reads as the same task.
"""

import re
from pathlib import Path

from nhc.domains.sokoban import XSB, Legend, State, scan_levels, to_text
from nhc.domains.sokoban.configuration import read_configuration
from nhc.domains.sokoban.headings import read_headings
from nhc.domains.sokoban.rows import find_boards
from nhc.domains.sokoban.source import Line, read_lines
from nhc.errors import InputError, Place
from nhc.runs.storage import write_text_atomically
from nhc.tasks.configurations import configuration_task, level_task
from nhc.tasks.json_task import format_json_task, parse_json_task
from nhc.tasks.planning import GoalCells, PlanningTask

GOAL_LINE = re.compile(r"\s*goal\s*:\s*", re.IGNORECASE)


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
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError("task.file", f"cannot be read: {error.strerror}", Place(str(path))) from error
    return parse_task(
        data,
        str(path),
        level,
        legend=legend,
        allow_extra_goals=allow_extra_goals,
        close_border=close_border,
    )


def parse_task(
    data: bytes,
    file: str | None = None,
    level: int = 1,
    *,
    legend: Legend = XSB,
    allow_extra_goals: bool = False,
    close_border: bool = False,
) -> PlanningTask:
    """The task in the contents of a file.

    Text that begins with `{` is JSON. Other levels than the chosen one may have errors. Raises InputError:
    `task.level` (there is no such level), `task.goal` (more than one line `Goal:`), the codes of
    `parse_json_task`, `read_configuration`, `configuration_task` and `scan_levels`.
    """
    if data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        _expect_level(level, 1, file)
        return parse_json_task(data, file, legend, close_border=close_border)
    lines = read_lines(data, file)
    dividers = [number for number, line in enumerate(lines) if GOAL_LINE.fullmatch(line.text)]
    if dividers:
        _expect_level(level, 1, file)
        return _parse_pair(lines, dividers, file, legend, close_border=close_border)
    levels = scan_levels(
        data, file, legend=legend, allow_extra_goals=allow_extra_goals, close_border=close_border
    )
    _expect_level(level, len(levels), file)
    chosen = levels[level - 1]
    if isinstance(chosen, InputError):
        raise chosen
    return level_task(chosen)


def format_task(task: PlanningTask) -> str:
    """The text of a task file that reads as this task."""
    if task.board is None or not isinstance(task.start, State):
        return format_json_task(task)
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


def _parse_pair(
    lines: list[Line], dividers: list[int], file: str | None, legend: Legend, *, close_border: bool
) -> PlanningTask:
    if len(dividers) > 1:
        place = Place(file, lines[dividers[1]].number)
        raise InputError("task.goal", "expected one line `Goal:`, found another one here", place)
    parts = lines[: dividers[0]], lines[dividers[0] + 1 :]
    start, goal = (read_configuration(part, legend, file, close_border=close_border) for part in parts)
    heading = read_headings(parts[0], find_boards(parts[0], legend))[0]
    return configuration_task(start, goal, heading.title)


def _expect_level(level: int, count: int, file: str | None) -> None:
    if not 1 <= level <= count:
        raise InputError("task.level", f"expected a level from 1 to {count}, found {level}", Place(file))
