"""`nhc check`: verify a certificate or a witness, with code that shares nothing with what made it."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import tyro

from nhc.certify import checker
from nhc.cli.parse import counted, message, parse
from nhc.errors import ConfigError, InputError, Place
from nhc.zoo import model_path

MOST_STATES = 200_000
"""That of `nhc.planning.witness`, which a certificate does not need."""
KIND, SCHEMA = "witness", 1
TASK = ("task", "level", "cost")
READING = ("sample", "domain", "seed", "max_worlds", "legend", "allow_extra_goals", "close_border")
"""Options of `nhc solve` that say which task it is; the second are told only where they are not the usual."""
SHOWN = ("labels", "layers", "digests")


@dataclass
class CheckOptions:
    """Recompute every step of a certificate from the weights, and accept it or name the steps that fail.

    For algorithms other than search and plan it also compares what the certificate says of the inputs with
    what the algorithm of that name states.
    What a certificate says of data modules (made with --data) is not in the weights of control: of that it
    checks that the record is complete and without errors, and says so.
    The checker is one file that needs NumPy alone; it can be run without the rest of nhc.
    A witness (nhc solve --witness) needs no model: its task is read again, at the path that it names, and
    searched anew in plain Python, some thousand configurations a second.

    Examples:
    nhc check zoo-plan.certificate.json zoo:plan
    nhc check runs/plan-seed0/model.certificate.json runs/plan-seed0/model.safetensors
    nhc check answer.witness.json
    """

    certificate: tyro.conf.Positional[Path]
    """The certificate, or a witness."""
    model: tyro.conf.Positional[str] = ""
    """The model file, or a name of the zoo; none for a witness."""
    most_states: int = MOST_STATES
    """Refuse a witness that counts more configurations."""


def run(arguments: list[str]) -> int:
    """Check and report. Exit 0 if accepted, 1 if not."""
    options = parse(CheckOptions, arguments, name="check")
    began, file = time.perf_counter(), options.certificate
    try:
        certificate = checker.parse(file.read_bytes())
        is_witness = certificate.get("kind") == KIND
        if is_witness == bool(options.model):
            wanted = "no model beside a witness" if is_witness else "a model after the certificate"
            raise ConfigError("cli.options", f"nhc check: expected {wanted}")
        failing = [] if is_witness else failing_steps(file, certificate, model_path(options.model))
        notes = [] if is_witness else checker.unchecked(certificate)
    except (OSError, ValueError) as error:
        raise InputError("check.file", f"cannot be read: {error}", Place(str(file))) from error
    accepted = "accepted"
    if is_witness:
        accepted, fault = check_witness_file(file, certificate, options.most_states)
        failing = [] if fault is None else [fault]
    seconds = time.perf_counter() - began
    for step in failing:
        print(f"fails: {step}")
    print("rejected" if failing else "\n".join([accepted, *notes]))
    message(f"checked in {seconds:.1f} s")
    return 1 if failing else 0


def failing_steps(path: Path, certificate: Mapping[str, object], model: Path) -> list[str]:
    """The steps that fail, by the checker for this kind of certificate. Raises OSError, ValueError."""
    if "environment" not in certificate:
        return checker.check_files(path, model)
    from nhc.algorithms.registry import ALGORITHMS
    from nhc.certify.environment import stated_environment
    from nhc.certify.path_check.certificate import check_files

    algorithm = ALGORITHMS.get(str(certificate.get("task")))
    if algorithm is None:
        return check_files(path, model)
    return check_files(path, model, stated_environment(algorithm))


def check_witness_file(file: Path, witness: Mapping[str, object], most_states: int) -> tuple[str, str | None]:
    """What the answer means if it is right, and what is wrong, None if nothing is.

    Paths of the task are relative to the current folder. Raises InputError (`witness.form`) for what no
    `nhc solve` writes, and what `check_witness`, `graph_task` and the reading of tasks do.
    """
    from pydantic import TypeAdapter, ValidationError

    from nhc.cli.solve_command import SolveOptions
    from nhc.cli.solve_graph import given_tasks
    from nhc.pddl import PddlTask
    from nhc.planning.graph_tasks import graph_task
    from nhc.planning.witness import check_witness

    told = {name: value for name, value in witness.items() if name not in ("kind", "schema", *SHOWN)}
    wanted = f"expected schema {SCHEMA}, {', '.join(TASK)} and options that tell which task it is"
    if witness.get("schema") != SCHEMA or not {*TASK} <= {*told} <= {*TASK, *READING}:
        raise InputError("witness.form", wanted, Place(str(file)))
    try:
        options = TypeAdapter(SolveOptions).validate_json(json.dumps({"model": "", **told}), strict=True)
    except ValidationError as error:
        raise InputError("witness.form", wanted, Place(str(file))) from error
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
