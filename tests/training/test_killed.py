"""A run that was killed, wherever, goes on as if nothing had happened: equal logs and weights, byte for byte.

The unbroken run and the continuations are made in this process, the killed ones in processes of their own.
"""

import json
import math
import os
import re
import signal
import sys
from pathlib import Path
from subprocess import CompletedProcess
from types import CodeType, FrameType

import pytest

from nhc.runs.arrays import load_arrays
from nhc.runs.checkpoints import checkpoint_files, temporary_files
from nhc.runs.progress import SilentProgress
from nhc.training import keeping
from nhc.training.keeping import resume_in_directory, train_in_directory
from tests.training.processes import environment, python
from tests.training.small import arguments, config

KILLED = -signal.SIGKILL


def kept(path: Path) -> tuple[bytes, bytes]:
    """What must be equal: the log and the model."""
    return (path / "metrics.jsonl").read_bytes(), (path / "model.safetensors").read_bytes()


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("unbroken") / "run"
    result = train_in_directory(config(), path, SilentProgress())
    assert result.state.restarts > 0 and result.state.level > 2, "a run with all that can happen"
    return path


SHORT = 14
"""Iterations where how a run continues is not in question, but what was written."""


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("short") / "run"
    train_in_directory(config(budget=SHORT), path, SilentProgress())
    return path


def assert_continues(path: Path, unbroken: Path) -> None:
    """Resume, and compare everything that does not tell the time."""
    before = (path / "metrics.jsonl").read_bytes() if (path / "metrics.jsonl").exists() else b""
    whole = (unbroken / "metrics.jsonl").read_bytes()
    torn = before.rpartition(b"\n")[0]
    assert whole.startswith(torn)
    assert len(torn) < len(whole)
    resume_in_directory(path, SilentProgress())
    assert kept(path) == kept(unbroken)
    (arrays, metadata), (others, other_metadata) = (
        load_arrays(p / "model.safetensors") for p in (path, unbroken)
    )
    assert metadata == other_metadata
    assert {name: array.tobytes() for name, array in arrays.items()} == {
        name: array.tobytes() for name, array in others.items()
    }
    assert temporary_files(path / "checkpoints") == []
    assert len(checkpoint_files(path / "checkpoints")) <= 2
    iterations = [
        line["iteration"] for line in map(json.loads, (path / "timing.jsonl").read_text().splitlines())
    ]
    assert iterations == sorted(set(iterations))
    summary = json.loads((path / "meta.json").read_text())["summary"]
    expected = json.loads((unbroken / "meta.json").read_text())["summary"]
    for name in ("ticks_per_s", "wall_s", "model"):
        del summary[name], expected[name]
    assert summary == expected
    assert json.loads((path / "meta.json").read_text())["status"] == "finished"


def doomed(moment: str, path: Path, env: dict[str, str]) -> CompletedProcess[str]:
    """A process that trains and is ended at the moment."""
    command = ["-m", "tests.training.doomed", moment, "train", *arguments(), "--out", str(path), "--quiet"]
    return python(*command, env=env)


@pytest.mark.parametrize("moment", ["streak", "learning", "checkpoint", "log"])
def test_a_killed_run_continues(
    moment: str, unbroken: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path / "run"
    done = doomed(moment, path, environment(tmp_path_factory))
    assert done.returncode == KILLED, done.stderr
    assert json.loads((path / "meta.json").read_text())["status"] == "running"
    last = max(checkpoint_files(path / "checkpoints"))
    logged = (path / "metrics.jsonl").read_bytes()
    lines = [json.loads(line) for line in logged.split(b"\n")[:-1]]
    match moment:
        case "checkpoint":
            assert len(temporary_files(path / "checkpoints")) == 1
            assert lines[-1]["iteration"] > last
        case "log":
            assert not logged.endswith(b"\n")
            assert lines[-1]["iteration"] > last
        case _:
            assert lines[-1]["iteration"] == last > 0
    assert_continues(path, unbroken)


def test_an_interrupted_run_says_so_and_continues(
    unbroken: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path, env = tmp_path / "run", environment(tmp_path_factory)
    command = [
        "-m",
        "tests.training.doomed",
        "interrupt",
        "train",
        *arguments(),
        "--out",
        str(path),
        "--quiet",
    ]
    done = python(*command, env=env)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.splitlines()[-1] == "interrupted"
    meta = json.loads((path / "meta.json").read_text())
    assert meta["status"] == "interrupted"
    lines = (path / "metrics.jsonl").read_text().splitlines()
    last = json.loads(lines[-1])["iteration"]
    assert last % 50 == 40, "everything up to the interrupt is kept"
    assert max(checkpoint_files(path / "checkpoints")) == last == len(lines)
    assert_continues(path, unbroken)


class Killed(BaseException):
    """Nothing catches it."""


def train_until(path: Path, stop: str, *, named: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Train, and stop when a file that is called so gets its name: just before, or just after."""
    replace = os.replace

    def doomed(source: Path, target: Path) -> None:
        found = re.fullmatch(stop, Path(target).name)
        if named or not found:
            replace(source, target)
        if found:
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", doomed)
        with pytest.raises(Killed):
            train_in_directory(config(budget=SHORT), path, SilentProgress())


@pytest.mark.parametrize(
    ("stop", "named"),
    [
        ("0{9}.safetensors", False),
        (r"(?!0{9})\d{9}.safetensors", True),
        ("model.safetensors", False),
        ("learning_curve.svg", False),
    ],
)
def test_a_run_that_stopped_at_its_very_start_or_end_continues(
    stop: str, named: bool, short: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run"
    train_until(path, stop, named=named, monkeypatch=monkeypatch)
    resume_in_directory(path, SilentProgress())
    assert kept(path) == kept(short)
    figures = sorted(figure.name for figure in (path / "figures").iterdir())
    assert figures == ["learning_curve.png", "learning_curve.svg"]


def test_a_damaged_newest_checkpoint_is_passed_over(short: Path, tmp_path: Path) -> None:
    """A killed machine, not only a killed process: the newest file may be torn; the one before serves."""
    path = tmp_path / "run"
    train_in_directory(config(budget=SHORT), path, SilentProgress())
    newest = max(checkpoint_files(path / "checkpoints").values())
    newest.write_bytes(newest.read_bytes()[:-100])
    (path / "model.safetensors").unlink()
    resume_in_directory(path, SilentProgress())
    assert kept(path) == kept(short)


class InterruptAt:
    """Raises KeyboardInterrupt at the n-th line that the keeper executes from its fifth step on."""

    FIRST_STEP = 5

    def __init__(self, number: int) -> None:
        self.left = number
        self.steps = 0
        self.line: int | None = None

    def __call__(self, frame: FrameType, event: str, _: object) -> object:
        code: CodeType = frame.f_code
        if Path(code.co_filename).name != "keeping.py" or code.co_name not in ("note", "keep"):
            return None
        self.steps += code.co_name == "note"
        return self.local if self.steps >= self.FIRST_STEP else None

    def local(self, frame: FrameType, event: str, _: object) -> object:
        if event == "line" and self.line is None:
            self.left -= 1
            if self.left < 0:
                self.line = frame.f_lineno
                raise KeyboardInterrupt
        return self.local


LINES = [(math.inf, number) for number in range(5)] + [(0.0, number) for number in range(5, 15)]
"""Lines of taking note where nothing is kept yet, and of keeping where each step is kept."""


@pytest.mark.parametrize(("seconds", "number"), LINES)
def test_ctrl_c_between_any_two_lines_of_the_keeper_loses_and_repeats_nothing(
    seconds: float, number: int, short: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "CHECKPOINT_SECONDS", seconds)
    monkeypatch.setattr(keeping, "draw_run", lambda *_: None)
    path, interrupt = tmp_path / "run", InterruptAt(number)
    before = sys.gettrace()
    sys.settrace(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            train_in_directory(config(budget=SHORT), path, SilentProgress())
    finally:
        sys.settrace(before)
    assert interrupt.line is not None
    assert json.loads((path / "meta.json").read_text())["status"] == "interrupted"
    resume_in_directory(path, SilentProgress())
    lines = [json.loads(line)["iteration"] for line in kept(path)[0].splitlines()]
    assert lines == list(range(1, SHORT + 1))
    assert kept(path) == kept(short)
