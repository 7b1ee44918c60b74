"""Planning tasks as JSON: an object of `domain`, `start` and `goal`, and perhaps `title`.

Sokoban: start and goal are XSB boards, each one string. Other worlds say themselves how they are written
(`nhc.domains.protocol.ReadableDomain`).
"""

import hashlib
import json
from dataclasses import replace
from typing import TypeGuard

from nhc.domains.protocol import ReadableDomain, StateT
from nhc.domains.registry import SOKOBAN_NAME, AnyReadable, AnyState, any_domain, make_domain
from nhc.domains.sokoban.configuration import read_configuration
from nhc.domains.sokoban.legends import Legend
from nhc.domains.sokoban.source import read_lines
from nhc.errors import ConfigError, InputError, Place
from nhc.tasks.configurations import ID_DIGITS, configuration_task
from nhc.tasks.planning import PlanningTask, domain_of

REQUIRED = ("domain", "start", "goal")
KEYS = (*REQUIRED, "title")


def parse_json_task(data: bytes, file: str | None, legend: Legend, *, close_border: bool) -> PlanningTask:
    """The task in a JSON text.

    Raises InputError: `task.json` (not JSON, or not such an object), `task.domain` (an unknown domain, or
    another board size than the domain's name says), and the codes of `configuration_task`.
    """
    fields = _read_object(data, file)
    domain, title = _text(fields, "domain", file), None
    if "title" in fields:
        title = _text(fields, "title", file)
    if domain == "sokoban" or SOKOBAN_NAME.fullmatch(domain) is not None:
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
    world = _world(domain, file)
    first, last = (_state(world, fields, key, file) for key in ("start", "goal"))
    return world_task(world, first, last, title)


def world_task(world: AnyReadable, start: AnyState, goal: AnyState, title: str | None) -> PlanningTask:
    """The task to get from one state of a world to another, both in plain integers."""
    forms = [world.state_to_json(state) for state in (start, goal)]
    if all(isinstance(form, int) for form in forms):
        identity = f"{forms[0]}-{forms[1]}"
    else:
        identity = hashlib.sha256(json.dumps(forms, sort_keys=True).encode()).hexdigest()[:ID_DIGITS]
    return PlanningTask(world.name, start, goal, f"{world.name}-{identity}", title=title, world=world)


def task_between(
    world: ReadableDomain[StateT], start: object, goal: object, title: str | None = None
) -> PlanningTask:
    """The task to get from `start` to `goal`, each written as the world's `state_from_json` reads it.

    The world need not have a name that `make_domain` knows. Raises InputError (`task.json`) for what is no
    state.
    """
    readable = any_domain(world)
    first, last = (readable.state_from_json(state) for state in (start, goal))
    return world_task(readable, first, last, title)


def format_json_task(task: PlanningTask) -> str:
    """The JSON text that reads as this task; its goal is a configuration."""
    world = domain_of(task)
    fields: dict[str, object] = {
        "domain": task.domain,
        "start": world.state_to_json(task.start),
        "goal": world.state_to_json(task.goal),
    }
    if task.title:
        fields["title"] = task.title
    lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _world(name: str, file: str | None) -> AnyReadable:
    try:
        return make_domain(name)
    except ConfigError as error:
        raise InputError("task.domain", error.message, Place(file)) from error


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


def _inside(file: str | None, key: str) -> str:
    return f"{file or '<input>'}#{key}"
