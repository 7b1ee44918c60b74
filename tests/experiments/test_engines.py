"""Engines: workers that are killed, runs that fail, Ctrl-C; and results that do not depend on any of it.

The same run is done twice, in two folders: the worker of one is killed, nothing happens to the other.
"""

import json
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from nhc.errors import ConfigError, WorkError
from nhc.experiments import engine as engines
from nhc.experiments.engine import Engine, LocalEngine, RayEngine
from nhc.experiments.job import Task, job
from nhc.experiments.worker import attempts, finished_record, perform
from nhc.runs.checkpoints import checkpoint_files
from nhc.runs.lock import held
from nhc.runs.pool import Outcome
from tests.experiments.samples import Notes, answer_with_many_checkpoints, stubborn_job, task
from tests.training.processes import environment

MOMENT = random.Random(7).uniform(0.0, 0.1)
"""Seconds after the first checkpoint that is not the start."""


@pytest.fixture(scope="module", autouse=True)
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Workers compile each program once for the whole test run; afterwards all is as it was."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment(tmp_path_factory).items():
            if name.startswith("JAX"):
                patch.setenv(name, value)
        # Ray sets this one by itself.
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        yield


def nothing() -> None:
    """No pulse."""


def kill_when_under_way(folder: Path) -> threading.Thread:
    """End the worker of a task with SIGKILL once it has a checkpoint on the way."""

    def watch() -> None:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if max(checkpoint_files(folder / "run" / "checkpoints"), default=0) > 0:
                time.sleep(MOMENT)
                os.kill(json.loads((folder / "attempt-1.json").read_text())["process"], signal.SIGKILL)
                return
            time.sleep(0.02)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def made(one: Task) -> tuple[object, bytes]:
    """What must be equal: the result and the log."""
    record = finished_record(one.path)
    assert record is not None
    return record["result"], (one.path / "run" / "metrics.jsonl").read_bytes()


def survives_a_killed_worker(engine: Engine, folder: Path, budget: int) -> tuple[object, bytes]:
    """Two equal runs and one that fails; returns what came of the runs."""
    one = stubborn_job(budget=budget)
    killed, unbroken = (task(one, folder / name) for name in ("killed", "unbroken"))
    unbroken = unbroken._replace(key="unbroken")
    wrong = Task("wrong", job("train", {"budget": 0}), killed.code, folder / "wrong")
    notes, thread = Notes(), kill_when_under_way(killed.path)
    engine.run([killed, unbroken, wrong], notes.append, nothing)
    thread.join()
    assert notes.events(killed.key) == ["started", "lost", "started", "finished"]
    assert notes.events("unbroken") == ["started", "finished"]
    assert notes.events("wrong") == ["started", "failed"]
    (reason,) = [report.reason for report in notes if report.event == "failed"]
    assert reason.startswith("ConfigError: ") and "[config.value]" in reason
    assert (attempts(killed.path), attempts(unbroken.path)) == (2, 1)
    assert made(killed) == made(unbroken)
    return made(killed)


def test_a_killed_local_worker_is_replaced_and_its_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "answer", answer_with_many_checkpoints)
    result, log = survives_a_killed_worker(LocalEngine(1), tmp_path, budget=400)
    assert isinstance(result, dict) and result["iterations"] == 400 == log.count(b"\n")


@pytest.mark.ray
@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")
@pytest.mark.filterwarnings("ignore")
def test_ray_survives_a_killed_worker_and_makes_the_same(tmp_path: Path) -> None:
    here = task(stubborn_job(), tmp_path / "here")
    perform(here)
    assert survives_a_killed_worker(RayEngine(2), tmp_path, budget=1_500) == made(here)


def test_a_run_that_took_every_worker_with_it_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = (Task(key, job("long", {}), "", Path()) for key in "ab")

    def made_up(function: object, tasks: list[Task], workers: int, **told: Callable[[Task], Task]) -> object:
        for number, (each, error) in enumerate(((one, WorkError("run.worker", "lost")), (other, None))):
            told["started"](each)
            assert told["lost"](each) == each
            yield Outcome(number, each, None if error else "", error)

    monkeypatch.setattr(engines, "outcomes", made_up)
    notes = Notes()
    LocalEngine(1).run([one, other], notes.append, nothing)
    assert notes.events("a") == ["started", "lost", "failed"]
    assert notes.events("b") == ["started", "lost", "finished"]
    assert [each.reason for each in notes if each.event == "failed"] == ["WorkError: lost [run.worker]"]


def test_a_finished_task_is_not_done_again(tmp_path: Path) -> None:
    one = task(job("long", {}), tmp_path)
    (tmp_path / "record.json").write_text('{"result": {"x": 1}}')
    assert perform(one) == {"result": {"x": 1}}


def test_a_worker_with_other_sources_refuses(tmp_path: Path) -> None:
    one = task(stubborn_job(), tmp_path / "run")._replace(code="of another version")
    with pytest.raises(Exception, match=r"\[reproduce.code\]"):
        perform(one)
    assert not one.path.exists()


def test_a_second_worker_waits_and_then_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = task(stubborn_job(), tmp_path / "run")
    one.path.mkdir()
    monkeypatch.setattr("nhc.experiments.worker.PATIENCE", 0.3)
    began = time.monotonic()
    with (
        held(one.path / "lock", "reproduce.busy", "the first"),
        pytest.raises(ConfigError, match=r"another worker has this run \[reproduce.busy\]"),
    ):
        perform(one)
    assert time.monotonic() - began >= 0.3
    assert attempts(one.path) == 0 and not (one.path / "run").exists()


def test_a_worker_that_waited_takes_what_the_first_one_made(tmp_path: Path) -> None:
    one, found = task(stubborn_job(), tmp_path / "run"), []
    one.path.mkdir()
    thread = threading.Thread(target=lambda: found.append(perform(one)))
    with held(one.path / "lock", "reproduce.busy", "the first"):
        thread.start()
        time.sleep(0.3)
        (one.path / "record.json").write_text('{"result": {"x": 1}}')
    thread.join()
    assert found == [{"result": {"x": 1}}] and attempts(one.path) == 0
