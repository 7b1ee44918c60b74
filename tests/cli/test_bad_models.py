"""Models that cannot be used, with their codes."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from nhc.model import load_model, save_model
from nhc.runs.arrays import load_arrays, save_arrays
from nhc.zoo import zoo_names, zoo_path
from tests.cli.command import Command
from tests.oracles.machine import random_weights

Files = Callable[[Path], object]


def truncated(path: Path) -> None:
    path.write_bytes(zoo_path("plan").read_bytes()[:-1])


def flipped(path: Path) -> None:
    content = bytearray(zoo_path("plan").read_bytes())
    content[-7] ^= 1
    path.write_bytes(content)


def of_shape(signals_of_weights: int, task: str = "plan", **changes: object) -> Files:
    """Weights of one machine under the description of another."""

    def write(path: Path) -> None:
        _, metadata = load_arrays(zoo_path("plan"))
        machine = metadata["machine"]
        assert isinstance(machine, dict)
        weights = random_weights(np.random.default_rng(0), signals_of_weights, 0.1)
        save_arrays(path, weights, metadata | {"task": task, "machine": machine | changes})

    return write


def with_metadata(**changes: object) -> Files:
    def write(path: Path) -> None:
        arrays, metadata = load_arrays(zoo_path("plan"))
        save_arrays(path, arrays, metadata | changes)

    return write


MODELS: dict[str, tuple[Files, str]] = {
    "missing": (lambda path: None, "model.missing"),
    "a folder": (lambda path: path.mkdir(), "model.missing"),
    "empty": (lambda path: path.write_bytes(b""), "model.truncated"),
    "truncated": (truncated, "model.truncated"),
    "a flipped bit": (flipped, "model.damaged"),
    "a level file": (lambda path: path.write_text("######\n#@$.##\n######\n"), "model.damaged"),
    "two signals where three are claimed": (of_shape(2), "model.shape"),
    "three signals where two are claimed": (of_shape(3, "search", signals=2), "model.shape"),
    "other hidden units": (of_shape(3, hidden=17), "model.shape"),
    "other words": (of_shape(3, word_size=7), "model.shape"),
    "an unknown option": (of_shape(3, colour="red"), "model.config"),
    "an option out of range": (of_shape(3, hidden=0), "model.config"),
    "a checkpoint": (with_metadata(kind="checkpoint"), "model.kind"),
    "another task": (with_metadata(task="sort"), "model.config"),
    "other operations": (with_metadata(ops=["nop", "up", "right", "down", "left"]), "model.config"),
    "no record": (with_metadata(record=None), "model.config"),
    "the signals of the other algorithm": (with_metadata(task="search"), "model.config"),
}


@pytest.mark.parametrize("command", ["solve", "eval"])
@pytest.mark.parametrize("name", MODELS)
def test_a_model_that_cannot_be_used_is_refused(
    nhc: Command, tmp_path: Path, name: str, command: str
) -> None:
    write, code = MODELS[name]
    path = tmp_path / "model.safetensors"
    write(path)
    before = path.read_bytes() if path.is_file() else None
    options = ["--sample", "level=1"] if command == "solve" else ["--levels", "1", "--n", "1"]
    done = nhc(command, path, *options)
    assert (done.code, done.out, done.error_code) == (2, "", code)
    assert done.err.startswith(f"error: {path}")  # in a folder, a file of it
    assert (path.read_bytes() if path.is_file() else None) == before


def test_the_files_of_these_tests_are_refused_for_nothing_else(nhc: Command, tmp_path: Path) -> None:
    """The same writers make good files where nothing is wrong."""
    for number, write in enumerate((of_shape(3), with_metadata())):
        path = tmp_path / f"{number}.safetensors"
        write(path)
        assert load_model(str(path)).algorithm.name == "plan"


@pytest.mark.parametrize("name", ["zoo:nope", "zoo:", "zoo:../plan", "zoo:plan.safetensors"])
def test_a_name_that_does_not_ship(nhc: Command, name: str) -> None:
    done = nhc("solve", name, "--sample", "level=1")
    assert (done.code, done.out, done.error_code) == (2, "", "model.zoo")
    assert f"expected one of {', '.join(zoo_names())}, found" in done.err


def test_the_zoo_works_from_a_copy_under_any_name(nhc: Command, tmp_path: Path) -> None:
    save_model(tmp_path / "my planner", load_model("zoo:plan"))
    assert nhc("solve", tmp_path / "my planner", tmp_path / "none").error_code == "task.file"
