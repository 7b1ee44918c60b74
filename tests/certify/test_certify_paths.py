"""`nhc certify` and `nhc check` for algorithms with an environment, and training that ends with a proof."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from nhc.certify import mutants
from nhc.evolve.course import Course
from nhc.evolve.state import TrainState, initial_train_state
from nhc.model import Model, save_model
from nhc.training.certified import examiner
from nhc.training.config import run_config
from tests.certify.path_machines import blank, trained
from tests.cli.command import Command


@pytest.fixture
def nhc(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs commands in an empty folder, in a wide terminal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "140")
    return Command(capsys)


def always(op: str) -> Model:
    """A machine that copies, but for one operation that it likes too much."""
    weights = mutants.blocks_of(trained("copy"))
    weights["transform_c.b"][trained("copy").algorithm.ops.index(op)] += 50
    return mutants.with_blocks(trained("copy"), weights)


def test_a_right_machine_is_certified_and_its_certificate_checked(nhc: Command) -> None:
    save_model("model.safetensors", trained("copy"))
    done = nhc("certify", "model.safetensors")
    assert done.code == 0
    assert "copy, for every input of every length" in done.out
    assert "Smallest margins" in done.out
    checked = nhc("check", "model.certificate.json", "model.safetensors")
    assert (checked.code, checked.out) == (0, "accepted\n")


def test_another_environment_than_the_algorithms_is_no_certificate(nhc: Command) -> None:
    save_model("model.safetensors", trained("copy"))
    nhc("certify", "model.safetensors")
    path = Path("model.certificate.json")
    path.write_text(path.read_text().replace("input 1 emit cursor -> along", "input 1 emit first -> along"))
    checked = nhc("check", str(path), "model.safetensors")
    assert checked.code == 1
    assert "environment.lines" in checked.out


def test_a_wrong_machine_is_refuted_by_an_input(nhc: Command) -> None:
    save_model("model.safetensors", always("stop"))
    done = nhc("certify", "model.safetensors")
    assert done.code == 1
    assert "not the algorithm: on (1,): the result is () instead of (1,)" in done.out
    failure = json.loads(Path("model.failure.json").read_text())
    assert (failure["instance"], failure["expected"], failure["first_wrong_tick"]) == ([1], [1], 1)


def test_undecided_says_why(nhc: Command) -> None:
    save_model("model.safetensors", blank("copy"))
    done = nhc("certify", "model.safetensors")
    assert done.code == 1
    assert "not certified: margin: " in done.err


def test_copy_has_no_data_modules(nhc: Command) -> None:
    save_model("model.safetensors", trained("copy"))
    done = nhc("certify", "model.safetensors", "--data", "sokoban-6x6")
    assert (done.code, "certify.family" in done.err) == (2, True)


def test_a_proof_ends_training_and_what_refutes_a_machine_is_learned() -> None:
    algorithm = trained("copy").algorithm
    config = run_config(algorithm)
    assert config.until == "certified"
    course = Course(config, algorithm)
    state = initial_train_state(course)
    examine = examiner(course)
    right = examine(_with(state, trained("copy")))
    assert right.certified
    wrong = examine(_with(state, always("stop")))
    assert not wrong.certified
    assert wrong.bad.held == state.bad.held + 1
    assert np.asarray(wrong.bad.tasks.length)[0] == 3  # one symbol, written and stopped


def _with(state: TrainState, model: Model) -> TrainState:
    return replace(state, parameters=model.parameters, mastered=True)
