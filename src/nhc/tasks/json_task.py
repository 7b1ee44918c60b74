"""Planning tasks as JSON: an object of `domain`, `start` and `goal`, and perhaps `title`.

Sokoban: start and goal are XSB boards, each one string. Free tree: they are node numbers.
"""

import json
from typing import TypeGuard

from nhc.domains.free_tree import LAST_NODE, TreeState
from nhc.domains.sokoban.legends import Legend
from nhc.domains.sokoban.source import read_lines
from nhc.errors import InputError, Place
from nhc.tasks.configurations import configuration_task, domain_name, read_configuration
from nhc.tasks.planning import PlanningTask

REQUIRED = ("domain", "start", "goal")
KEYS = (*REQUIRED, "title")
FREE_TREE = "free-tree"


def parse_json_task(data: bytes, file: str | None, legend: Legend, *, close_border: bool) -> PlanningTask:
    """The task in a JSON text.

    Raises InputError: `task.json` (not JSON, or not such an object), `task.domain` (an unknown domain, or
    another board size than the domain's name says), and the codes of `configuration_task`.
    """
    fields = _read_object(data, file)
    domain, title = _text(fields, "domain", file), None
    if "title" in fields:
        title = _text(fields, "title", file)
    if domain == FREE_TREE:
        return tree_task(_node(fields, "start", file), _node(fields, "goal", file), title)
    if domain == "sokoban" or domain.startswith("sokoban-"):
        start, goal = (
            read_configuration(
                read_lines(_text(fields, key, file), _inside(file, key)),
                legend,
                _inside(file, key),
                close_border=close_border,
            )
            for key in ("start", "goal")
        )
        task = configuration_task(start, goal, title)
        if domain not in ("sokoban", task.domain):
            raise InputError("task.domain", f"the boards are {task.domain}, not {domain}", Place(file))
        return task
    message = f"expected the domain {FREE_TREE}, sokoban or {domain_name(6, 6)} (any size), found {domain!r}"
    raise InputError("task.domain", message, Place(file))


def tree_task(start: int, goal: int, title: str | None = None) -> PlanningTask:
    """The task to get from one node of the free tree to another."""
    return PlanningTask(
        FREE_TREE, TreeState(start), TreeState(goal), f"{FREE_TREE}-{start}-{goal}", title=title
    )


def _read_object(data: bytes, file: str | None) -> dict[str, object]:
    try:
        value: object = json.loads(data.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        place = Place(file, error.lineno, error.colno)
        raise InputError("task.json", f"this is no JSON: {error.msg}", place) from error
    except (ValueError, RecursionError) as error:
        raise InputError("task.json", f"this is no JSON that can be read: {error}", Place(file)) from error
    if not _is_object(value):
        raise InputError("task.json", "expected an object of domain, start and goal", Place(file))
    missing = [key for key in REQUIRED if key not in value]
    unknown = [key for key in value if key not in KEYS]
    if missing or unknown:
        message = f"expected the keys {', '.join(REQUIRED)} and perhaps title"
        message += f"; missing: {', '.join(missing)}" if missing else ""
        message += f"; unknown: {', '.join(unknown)}" if unknown else ""
        raise InputError("task.json", message, Place(file))
    return value


def _is_object(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)


def _text(fields: dict[str, object], key: str, file: str | None) -> str:
    value = fields[key]
    if not isinstance(value, str):
        raise InputError("task.json", f"`{key}` must be a text, found {value!r:.60}", Place(file))
    return value


def _node(fields: dict[str, object], key: str, file: str | None) -> int:
    value = fields[key]
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LAST_NODE:
        message = f"`{key}` must be a node number from 0 to {LAST_NODE}, found {value!r:.60}"
        raise InputError("task.json", message, Place(file))
    return value


def _inside(file: str | None, key: str) -> str:
    return f"{file or '<input>'}#{key}"
