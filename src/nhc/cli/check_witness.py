"""`nhc check` for a witness: the task that it names is read again, and its answer confirmed or refused."""

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

from nhc.cli.parse import counted
from nhc.errors import InputError, Place

KIND, SCHEMA = "witness", 1
TASK = ("task", "level", "cost")
READING = ("sample", "domain", "seed", "max_worlds", "legend", "allow_extra_goals", "close_border")
"""Options of `nhc solve` that say which task it is; the second are told only where they are not the usual."""
SHOWN = ("labels", "layers", "digests")


def check_witness_file(file: Path, witness: Mapping[str, object], most_states: int) -> tuple[str, str | None]:
    """What the answer means if it is right, and what is wrong, None if nothing is.

    Paths of the task are relative to the current folder. Raises InputError (`witness.form`) for what no
    `nhc solve` writes, and what `check_witness`, `graph_task` and the reading of tasks do.
    """
    from nhc.cli.solve_command import SolveOptions
    from nhc.cli.solve_graph import given_tasks
    from nhc.pddl import PddlTask
    from nhc.planning.graph_tasks import graph_task
    from nhc.planning.witness import check_witness

    usual = {field.name: field.default for field in fields(SolveOptions)}
    told = {name: value for name, value in witness.items() if name not in ("kind", "schema", *SHOWN)}
    task = told.get("task")
    right = {
        name: isinstance(value, type(usual[name]) if usual[name] is not None else str)
        for name, value in told.items()
        if name in TASK[1:] + READING
    }
    is_task = isinstance(task, list) and all(isinstance(part, str) for part in task) and {*TASK} <= {*told}
    is_known = {*told} == {*right, "task"} and all(right.values())
    if witness.get("schema") != SCHEMA or not is_task or not is_known:
        wanted = f"expected schema {SCHEMA}, {', '.join(TASK)} and options that tell which task it is"
        raise InputError("witness.form", wanted, Place(str(file)))
    assert isinstance(task, list)
    options = SolveOptions(model="")
    for name, value in told.items():
        setattr(options, name, tuple(task) if name == "task" else value)
    ((_, given),) = given_tasks(options)
    if isinstance(given, InputError):
        raise given
    graph = given if isinstance(given, PddlTask) else graph_task(given, options.cost)
    shown = {name: witness[name] for name in SHOWN if name in witness}
    fault = check_witness(graph, shown, most_states)
    return (meaning(shown, graph.unit), None) if fault is None else ("", fault)


def meaning(shown: Mapping[str, object], unit: str) -> str:
    """What a witness that was accepted shows."""
    labels, layers = shown["labels"], shown["layers"]
    assert isinstance(layers, list)
    if isinstance(labels, list):
        return f"accepted: the plan of {counted(len(labels), unit)} is shortest"
    count = sum(layers)
    all_of_them = "the only configuration was" if count == 1 else f"all {count:,} configurations were"
    return f"accepted: no plan exists, {all_of_them} expanded"
