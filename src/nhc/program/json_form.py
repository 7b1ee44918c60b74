"""Programs as JSON, and back."""

from collections.abc import Mapping

from nhc.errors import InputError
from nhc.program.control import ControlState, Phase
from nhc.program.table import Program, Row

SCHEMA = 1


def program_json(program: Program) -> dict[str, object]:
    """A program as plain JSON values; words are codes, bit j set where value j is +1."""
    states = [
        {
            "phase": state.phase.name.lower(),
            "word": state.word,
            "op": state.op,
            "constrained": row.constrained,
            "fresh": row.fresh,
            "mechanisms": list(row.mechanisms),
            "preference": list(row.preference),
            "ops": [[word, op] for word, op in sorted(row.ops.items())],
        }
        for state, row in sorted(program.rows.items())
    ]
    return {"schema": SCHEMA, "task": program.task, "word_size": program.word_size, "states": states}


def parse_program(values: Mapping[str, object]) -> Program:
    """The program behind `program_json`. Raises InputError (`program.json`)."""
    try:
        if values["schema"] != SCHEMA:
            raise ValueError(f"schema {values['schema']!r}")
        rows = dict(_row(entry) for entry in _list(values["states"]))
        task, size = values["task"], values["word_size"]
        if not isinstance(task, str) or not isinstance(size, int):
            raise ValueError(f"task {task!r}, word size {size!r}")
        return Program(task, size, rows)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError("program.json", f"expected a program, found: {error}") from error


def _row(entry: object) -> tuple[ControlState, Row]:
    if not isinstance(entry, dict):
        raise TypeError("a state that is no object")
    state = ControlState(Phase[entry["phase"].upper()], int(entry["word"]), int(entry["op"]))
    ops = {int(word): int(op) for word, op in entry["ops"]}
    mechanisms, preference = (tuple(map(int, entry[name])) for name in ("mechanisms", "preference"))
    return state, Row(int(entry["constrained"]), int(entry["fresh"]), mechanisms, preference, ops)


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError("no list of states")
    return value
