"""A run that was killed, wherever, goes on as if nothing had happened: equal logs and weights, byte for byte.

The unbroken run and the continuations are made in this process, the killed ones in processes of their own.
"""

import json
import math
import os
import re
import signal
import sys
from collections.abc import Callable
from functools import cache
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
SHORT, MIDDLE = 8, 80
"""Budgets: a short run shows what is written, one of 80 iterations how it continues after a restart."""


def kept(path: Path) -> tuple[bytes, bytes]:
    """What must be equal: the log and the model."""
    return (path / "metrics.jsonl").read_bytes(), (path / "model.safetensors").read_bytes()


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """The folder of the run that nothing happened to, by its budget."""

    @cache
    def run(budget: int) -> Path:
        path = tmp_path_factory.mktemp("unbroken") / "run"
        result = train_in_directory(config(budget=budget), path, SilentProgress())
        assert result.state.restarts > 0 or budget == SHORT
        return path

    return run


def assert_continues(path: Path, unbroken: Path) -> None:
    """Resume, and compare everything that does not tell the time."""
    before, whole = ((folder / "metrics.jsonl").read_bytes() for folder in (path, unbroken))
    complete = before[: before.rfind(b"\n") + 1]
    assert whole.startswith(complete) and len(complete) < len(whole)
    resume_in_directory(path, SilentProgress())
    assert kept(path) == kept(unbroken)
    arrays, others = (load_arrays(folder / "model.safetensors")[0] for folder in (path, unbroken))
    assert arrays.keys() == others.keys()
    assert all(array.tobytes() == others[name].tobytes() for name, array in arrays.items())
    assert (path / "learning.safetensors").read_bytes() == (unbroken / "learning.safetensors").read_bytes()
    assert temporary_files(path / "checkpoints") == []
    assert len(checkpoint_files(path / "checkpoints")) <= 2
    timing = (path / "timing.jsonl").read_text().splitlines()
    iterations = [json.loads(line)["iteration"] for line in timing]
    assert iterations == sorted(set(iterations))
    meta, other = (json.loads((folder / "meta.json").read_text()) for folder in (path, unbroken))
    timeless = dict.fromkeys(("ticks_per_s", "wall_s", "model"))
    assert meta["summary"] | timeless == other["summary"] | timeless
    assert meta["status"] == other["status"] == "finished"


def doomed(moment: str, budget: int, path: Path, factory: pytest.TempPathFactory) -> CompletedProcess[str]:
    """A process that trains and is ended at the moment."""
    options = ["train", *arguments(budget=budget), "--out", str(path), "--quiet"]
    return python("-m", "tests.training.doomed", moment, *options, env=environment(factory))


@pytest.mark.parametrize("moment", ["checkpoint", "log"])
def test_a_killed_run_continues(
    moment: str,
    unbroken: Callable[[int], Path],
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path / "run"
    done = doomed(moment, MIDDLE, path, tmp_path_factory)
    assert done.returncode == KILLED, done.stderr
    assert json.loads((path / "meta.json").read_text())["status"] == "running"
    last = max(checkpoint_files(path / "checkpoints"))
    logged = (path / "metrics.jsonl").read_bytes()
    newest = json.loads(logged.split(b"\n")[-2])["iteration"]
    assert last > 0
    assert logged.endswith(b"\n") == (moment != "log")
    assert len(temporary_files(path / "checkpoints")) == (moment == "checkpoint")
    assert newest > last, "the log is written before the checkpoint"
    assert_continues(path, unbroken(MIDDLE))


def test_an_interrupted_run_says_so_and_continues(
    unbroken: Callable[[int], Path],
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path / "run"
    done = doomed("terminate", MIDDLE, path, tmp_path_factory)
    assert (done.returncode, done.stdout) == (128 + signal.SIGTERM, "")
    assert done.stderr.splitlines()[-1] == "interrupted"
    assert json.loads((path / "meta.json").read_text())["status"] == "interrupted"
    lines = (path / "metrics.jsonl").read_text().splitlines()
    last = json.loads(lines[-1])["iteration"]
    assert last % 10 == 7, "everything up to the interrupt is kept"
    assert max(checkpoint_files(path / "checkpoints")) == last == len(lines)
    assert_continues(path, unbroken(MIDDLE))


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
        (r"(?!0{9})\d{9}.safetensors", False),
        ("model.safetensors", False),
        ("learning_curve.svg", False),
    ],
)
def test_a_run_that_stopped_at_its_very_start_or_end_continues(
    stop: str, named: bool, unbroken: Callable[[int], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run"
    train_until(path, stop, named=named, monkeypatch=monkeypatch)
    resume_in_directory(path, SilentProgress())
    assert kept(path) == kept(unbroken(SHORT))
    figures = sorted(figure.name for figure in (path / "figures").iterdir())
    assert figures == ["learning_curve.png", "learning_curve.svg"]


def test_a_damaged_newest_checkpoint_is_passed_over(unbroken: Callable[[int], Path], tmp_path: Path) -> None:
    """A killed machine, not only a killed process: the newest file may be torn; the one before serves."""
    path = tmp_path / "run"
    train_in_directory(config(budget=SHORT), path, SilentProgress())
    newest = max(checkpoint_files(path / "checkpoints").values())
    newest.write_bytes(newest.read_bytes()[:-100])
    (path / "model.safetensors").unlink()
    resume_in_directory(path, SilentProgress())
    assert kept(path) == kept(unbroken(SHORT))


KEEPING = {("keeper.py", "note"), ("keeper.py", "keep")}
"""The functions whose lines are interrupted, by file."""


class InterruptAt:
    """Raises KeyboardInterrupt at the n-th line that the keeper executes from its fifth step on."""

    FIRST_STEP = 5

    def __init__(self, number: int) -> None:
        self.left = number
        self.steps = 0
        self.line: int | None = None

    def __call__(self, frame: FrameType, event: str, _: object) -> object:
        code: CodeType = frame.f_code
        if (Path(code.co_filename).name, code.co_name) not in KEEPING:
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


LINES = [(math.inf, number) for number in range(5)] + [(0.0, number) for number in range(5, 20)]
"""Lines of taking note where nothing is kept yet, and of keeping where each step is kept."""


@pytest.mark.parametrize(("seconds", "number"), LINES)
def test_ctrl_c_between_any_two_lines_of_the_keeper_loses_and_repeats_nothing(
    seconds: float,
    number: int,
    unbroken: Callable[[int], Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
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
    assert kept(path) == kept(unbroken(SHORT))
