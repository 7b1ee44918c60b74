"""`nhc program`: prints one program, compares two, surveys many."""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from nhc.algorithms.tree.algorithm import PLAN
from nhc.certify.prove import Proof, Verdict, extract_program, prove
from nhc.machine.config import MachineConfig
from nhc.machine.parameters import Parameters
from nhc.model import Model, save_model
from nhc.program.diagram import diagram, dot_text
from nhc.program.listing import listing_json
from nhc.program.minimize import minimized
from nhc.program.table import Program, program_json
from nhc.program.text import listing_text, program_text
from tests.cli.command import Command
from tests.oracles.free_tree import breadth_first_weights
from tests.program.learned import proved
from tests.program.reader import run_text


def saved(path: Path, weights: dict[str, np.ndarray], **options: object) -> Path:
    """A Plan model file."""
    config = MachineConfig.model_validate({"signals": 3, **options})
    path.parent.mkdir(parents=True, exist_ok=True)
    save_model(path, Model(Parameters.from_blocks(weights, config), config, PLAN, {}))
    return path


VERDICTS: dict[tuple[str, str], Verdict] = {}
PROGRAMS: dict[str, Program] = {}


@pytest.fixture(autouse=True)
def proofs_are_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests prove the same few models again and again."""

    def shared_proof(model: Model) -> Verdict:
        key = (model.hash, model.config.mix)
        VERDICTS[key] = VERDICTS.get(key) or prove(model)
        return VERDICTS[key]

    def shared_program(model: Model, proof: Proof) -> Program:
        PROGRAMS[model.hash] = PROGRAMS.get(model.hash) or extract_program(model, proof)
        return PROGRAMS[model.hash]

    monkeypatch.setattr("nhc.certify.prove.prove", shared_proof)
    monkeypatch.setattr("nhc.certify.prove.extract_program", shared_program)


@pytest.fixture
def hand(tmp_path: Path) -> Path:
    """The machine made by hand, in a run folder."""
    return saved(tmp_path / "by-hand" / "model.safetensors", breadth_first_weights())


@pytest.fixture
def looking_up(tmp_path: Path) -> Path:
    """The same, but it finds the next node by its word: after the fourth operation the key is FRESH."""
    weights = breadth_first_weights()
    unit_of_left = 3 + 3
    weights["interface.read.modes.w"][1, unit_of_left] = 0
    weights["interface.read.key.w"][:, unit_of_left] = -2
    return saved(tmp_path / "looking-up.safetensors", weights)


@pytest.fixture
def lost(tmp_path: Path) -> Path:
    """A machine that is not the algorithm."""
    weights = breadth_first_weights()
    weights["transform_c.b"][2] = 9
    return saved(tmp_path / "lost.safetensors", weights)


def test_a_program_is_printed(nhc: Command) -> None:
    assert nhc("program", "zoo:plan") == (0, program_text(proved("plan")), "")
    assert nhc("program", "zoo:search", "--minimize") == (0, listing_text(minimized(proved("search"))), "")


def test_what_is_printed_runs(nhc: Command) -> None:
    printed = nhc("program", "zoo:plan").out
    assert run_text(printed, 6) == [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (6, 4), (1, 4), (0, 4)]


def test_a_program_as_json(nhc: Command) -> None:
    whole, minimal = (
        nhc("program", "zoo:plan", "--format", "json"),
        nhc("program", "zoo:plan", "--minimize", "--format", "json"),
    )
    assert whole.data == [program_json(proved("plan"))]
    assert minimal.data == [json.loads(json.dumps(listing_json(minimized(proved("plan")))))]
    assert (whole.code, minimal.code, len(whole.data)) == (0, 0, 1)
    rule = minimal.data[0]["rules"]
    assert isinstance(rule, list) and rule[1] == {
        "phase": "search",
        "word": "FRESH",
        "op": 0,
        "mark": "EXPANDING-1",
        "add": "FRESH",
        "sources": [{"mechanism": 0, "words": ["EXPANDING-1"]}],
        "choices": [{"op": 1, "words": []}],
    }


@pytest.mark.parametrize("minimize", [[], ["--minimize"]])
def test_pictures_show_the_minimal_program(nhc: Command, hand: Path, minimize: list[str]) -> None:
    dot = nhc("program", hand, "--format", "dot", *minimize)
    assert dot == (0, dot_text(diagram(minimized(proved("hand")))), "")
    svg = nhc("program", hand, "--format", "svg", *minimize)
    root = ET.fromstring(svg.out)
    assert svg.code == 0
    assert root.findtext("{http://www.w3.org/2000/svg}title") == "The program of by-hand"


def test_a_program_is_written_to_a_file(nhc: Command, tmp_path: Path) -> None:
    path = tmp_path / "program.svg"
    done = nhc("program", "zoo:search", "--format", "svg", "--out", path)
    assert (done.code, done.out) == (0, "")
    assert str(path) in done.err
    assert (
        ET.parse(path).getroot().findtext("{http://www.w3.org/2000/svg}title") == "The program of zoo:search"
    )


def test_a_file_that_cannot_be_written(nhc: Command, tmp_path: Path) -> None:
    done = nhc("program", "zoo:search", "--out", tmp_path / "no" / "folder.txt")
    assert (done.code, done.out, done.error_code) == (1, "", "storage.write")


def test_two_models_with_the_same_program(nhc: Command, hand: Path) -> None:
    assert nhc("program", "zoo:plan", hand) == (0, "the same program\n", "")
    done = nhc("program", hand, hand, "--format", "json")
    assert done.data == [{"models": [str(hand), str(hand)], "same": True, "difference": None}]
    assert done.code == 0


def test_two_models_with_different_programs(nhc: Command, hand: Path, looking_up: Path) -> None:
    done = nhc("program", hand, looking_up)
    assert (done.code, done.err) == (1, "")
    assert done.out.splitlines() == [
        "different programs; first difference: search, on EXPANDING-3 after left",
        "  by-hand     mark DONE  add FRESH  read next  do up",
        "  looking-up  mark DONE  add FRESH  read first FRESH  do up",
    ]
    found = nhc("program", looking_up, hand, "--format", "json")
    assert found.code == 1
    assert found.data[0]["same"] is False
    assert found.data[0]["difference"] == {
        "where": "search, on EXPANDING-3 after left",
        "first": "mark DONE  add FRESH  read first FRESH  do up",
        "second": "mark DONE  add FRESH  read next  do up",
    }


def test_different_tasks_are_different_programs(nhc: Command) -> None:
    done = nhc("program", "zoo:plan", "zoo:search")
    assert done.code == 1
    assert done.out.startswith("different programs; first difference: task\n")


def test_many_models_are_grouped(nhc: Command, hand: Path, looking_up: Path) -> None:
    done = nhc("program", "zoo:search", looking_up, hand, "zoo:plan")
    assert (done.code, done.err) == (0, "")
    rows = [re.split(r"  +", line.strip()) for line in done.out.splitlines()]
    assert rows[0] == ["3 different programs in 4 models"]
    assert ["1", "2", "plan", "next", "child", "by-hand, zoo:plan"] in rows
    assert ["3", "1", "plan", "first FRESH", "child", "looking-up"] in rows
    assert next(row for row in rows if row[0] == "2")[1:4] == ["1", "search", "next"]
    assert rows[-1] == ["Until the goal is met: 2 different programs."]


def test_many_models_as_json(nhc: Command, hand: Path, looking_up: Path) -> None:
    done = nhc("program", hand, looking_up, "zoo:plan", "--format", "json")
    assert [entry["models"] for entry in done.data] == [[str(hand), "zoo:plan"], [str(looking_up)]]
    assert done.data[0]["program"] == json.loads(json.dumps(listing_json(minimized(proved("hand")))))


def test_one_program_in_many_models(nhc: Command, hand: Path, tmp_path: Path) -> None:
    copy = saved(tmp_path / "copy.safetensors", breadth_first_weights())
    done = nhc("program", hand, copy, "zoo:plan")
    assert done.out.startswith("1 program in 3 models")
    assert done.out.endswith("Until the goal is met: 1 program.\n")


def test_a_machine_that_is_not_the_algorithm_has_no_program(nhc: Command, hand: Path, lost: Path) -> None:
    done = nhc("program", lost)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(
        f"{lost} has no program: it is not the algorithm: on the free tree with goal node 1"
    )
    pair = nhc("program", hand, lost)
    assert (pair.code, pair.out, pair.err) == (1, "", done.err)
    many = nhc("program", hand, lost, "zoo:plan")
    assert (many.code, many.err) == (1, done.err)
    assert many.out.startswith("1 program in 2 models")


def test_a_machine_beyond_the_proof_has_no_program(nhc: Command, tmp_path: Path) -> None:
    summed = saved(tmp_path / "summed.safetensors", breadth_first_weights(), mix="sum")
    done = nhc("program", summed)
    assert (done.code, done.out) == (1, "")
    assert done.err == f"{summed} has no program: it is not proved: unsupported options: mix = sum\n"
    assert nhc("program", summed, summed, summed).code == 1


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], "program.models"),
        (["zoo:plan", "zoo:search", "--format", "svg"], "program.options"),
        (["zoo:plan", "zoo:search", "--format", "dot"], "program.options"),
        (["zoo:plan", "zoo:search", "--out", "x"], "program.options"),
        (["zoo:nothing"], "model.zoo"),
        (["zoo:plan", "missing.safetensors"], "model.missing"),
        (["zoo:plan", "--format", "png"], "cli.options"),
    ],
)
def test_bad_options(nhc: Command, arguments: list[str], code: str) -> None:
    done = nhc("program", *arguments)
    assert (done.code, done.out, done.error_code) == (2, "", code)


def test_a_free_run_is_checked_and_one_that_needs_too_much_memory_is_refused(nhc: Command) -> None:
    (made,) = nhc("run", "zoo:search", "--ticks", "1000", "--check", "--json").data
    assert (made["ticks"], made["last_node"], made["breadth_first"]) == (1000, 1000, True)
    done = nhc("run", "zoo:plan", "--ticks", "2_147_483_647")
    assert done.code == 2 and "program.memory" in done.err and "2,147,483,647 ticks take" in done.err
    assert nhc("run", "zoo:plan", "--ticks", "1000", "--max-memory", "100").code == 2
