"""`nhc check` with a witness: what `nhc solve` wrote is confirmed, and nothing that was changed."""

import json
from pathlib import Path

import pytest

from tests.cli.command import Command
from tests.cli.test_solve_graph import DEAD, DOMAIN, LEVEL, MACHINE, PROBLEM, put

LEVEL_IN_DOS = "XXXXXX\nX@*. X\nX    X\nXXXXXX\n"


pytestmark = pytest.mark.usefixtures("unproved")  # a witness speaks for itself


def witness(nhc: Command, *task: str) -> dict[str, object]:
    """What the answer to a task leaves in `w.json`."""
    nhc("solve", MACHINE, *task, "--witness", "w.json", "--quiet")
    found: dict[str, object] = json.loads(Path("w.json").read_text())
    return found


def test_a_plan_and_its_absence_are_confirmed(nhc: Command) -> None:
    levels = put("levels.sok", f"One\n\n{LEVEL}\nTwo\n\n{DEAD}\n")
    found = witness(nhc, levels)
    told = {name: found[name] for name in ("kind", "schema", "task", "level", "cost")}
    assert told == {"kind": "witness", "schema": 1, "task": [levels], "level": "1", "cost": "moves"}
    done = nhc("check", "w.json")
    assert (done.code, done.out) == (0, "accepted: the plan of 4 moves is shortest\n")
    found = witness(nhc, levels, "--level", "2", "--cost", "pushes")
    assert found["labels"] is None and isinstance(found["layers"], list)
    done = nhc("check", "w.json")
    assert (done.code, done.out) == (0, "accepted: no plan exists, the only configuration was expanded\n")
    found = witness(nhc, levels, "--level", "2")
    told = f"all {sum(found['layers'])} configurations were expanded"
    assert nhc("check", "w.json").out == f"accepted: no plan exists, {told}\n"


@pytest.mark.parametrize(
    ("task", "said"),
    [
        (("puzzle:1 2 3 4 5 6 0 7 8",), "the plan of 2 actions is shortest"),
        (("domain.pddl", "problem.pddl"), "the plan of 1 action is shortest"),
        (("--sample", "node=13", "--domain", "stacking", "--seed", "3"), "is shortest"),
        (("level.dos", "--legend", "dos"), "the plan of 1 move is shortest"),
        (("open.xsb", "--close-border"), "the plan of 1 move is shortest"),
    ],
)
def test_every_kind_of_task_is_read_again(nhc: Command, task: tuple[str, ...], said: str) -> None:
    put("domain.pddl", DOMAIN), put("problem.pddl", PROBLEM)
    put("level.dos", LEVEL_IN_DOS), put("open.xsb", "######\n#@$. \n#    #\n######\n")
    witness(nhc, *task)
    done = nhc("check", "w.json")
    assert done.code == 0 and said in done.out, done


@pytest.mark.parametrize("key", ["labels", "layers", "digests", "cost"])
def test_what_was_changed_is_rejected(nhc: Command, key: str) -> None:
    put("level.xsb", LEVEL)
    found = witness(nhc, "level.xsb")
    changed = {
        "labels": [*found["labels"][:-1], 0],
        "layers": [*found["layers"][:-1], found["layers"][-1] + 1],
        "digests": [*found["digests"][:-1], found["digests"][0]],
        "cost": "pushes",
    }[key]
    Path("w.json").write_text(json.dumps({**found, key: changed}))
    done = nhc("check", "w.json")
    assert done.code == 1 and done.out.startswith("fails: ") and done.out.endswith("rejected\n")


def test_a_task_that_became_another_is_rejected(nhc: Command) -> None:
    put("level.xsb", LEVEL)
    witness(nhc, "level.xsb")
    put("level.xsb", DEAD)
    assert nhc("check", "w.json").code == 1
    Path("level.xsb").unlink()
    done = nhc("check", "w.json")
    assert (done.code, done.error_code) == (2, "task.file")


@pytest.mark.parametrize(
    "change",
    [
        {"schema": 2},
        {"task": "level.xsb"},
        {"level": 1},
        {"seed": "0"},
        {"engine": "network"},
        {"layers": [1.5]},
        {"close_border": 1},
    ],
)
def test_what_no_command_writes_is_refused(nhc: Command, change: dict[str, object]) -> None:
    put("level.xsb", LEVEL)
    Path("w.json").write_text(json.dumps({**witness(nhc, "level.xsb"), **change}))
    done = nhc("check", "w.json")
    assert (done.code, done.out, done.error_code) == (2, "", "witness.form")


def test_a_witness_has_no_model_and_a_certificate_has_one(nhc: Command) -> None:
    put("level.xsb", LEVEL)
    witness(nhc, "level.xsb")
    assert nhc("check", "w.json", MACHINE).error_code == "cli.options"
    put("certificate.json", "{}")
    assert nhc("check", "certificate.json").error_code == "cli.options"
    many = nhc("check", "w.json", "--most-states", "7")
    assert (many.code, many.error_code) == (2, "witness.states")
    assert "witness" in nhc("check", "--help").out


def test_without_a_search_there_is_no_witness(nhc: Command) -> None:
    done = nhc("solve", MACHINE, "puzzle:2 1 3 4 5 6 7 8 0", "--witness", "w.json")
    assert (done.code, done.error_code) == (2, "witness.open")
    assert not Path("w.json").exists()
