"""Progress over all runs: what is said, and how long it will still take."""

from pathlib import Path

import pytest

from nhc.experiments.engine import Event, Report
from nhc.experiments.job import Task, job
from nhc.experiments.kinds import training_seconds
from nhc.experiments.plan import expected_seconds
from nhc.experiments.progress import SweepProgress
from nhc.runs.canonical import readable_json
from nhc.training.config import run_config

VALUES = run_config("search", overrides={"budget": 4_000}).model_dump(mode="json")
TASKS = [
    Task(f"k{seed}", job("train", VALUES | {"seed": seed}), "code", Path("nowhere"), f"run k{seed}")
    for seed in range(4)
]
EACH = expected_seconds(TASKS[0])


def finished(folder: Path, one: Task, seconds: float) -> Task:
    """The task with a record that says how long it took."""
    path = folder / one.key
    path.mkdir()
    (path / "record.json").write_text(readable_json({"result": {}, "seconds": seconds}))
    return one._replace(path=path)


def test_the_time_left_follows_what_finished_runs_took(tmp_path: Path) -> None:
    said: list[str] = []
    now = 100.0
    tasks = [
        finished(tmp_path, one, 3 * EACH) if one.key == "k1" else one._replace(path=tmp_path / "x")
        for one in TASKS
    ]
    progress = SweepProgress(tasks, 2, said.append, lambda: now)
    assert progress.left() == pytest.approx(4 * EACH / 2)
    progress.note(Report(tasks[0], Event.STARTED))
    progress.note(Report(tasks[1], Event.STARTED))
    progress.note(Report(tasks[1], Event.FINISHED))
    assert progress.left() == pytest.approx(3 * 3 * EACH / 2)
    assert said[-1].startswith("  1/4 runs, about 0:0") and said[-1].endswith(
        f"| run k1: done in {3 * EACH:.0f} s"
    )
    progress.note(Report(tasks[2], Event.STARTED))
    progress.note(Report(tasks[2], Event.LOST, "its worker ended"))
    assert said[-1].endswith("run k2: its worker ended; it goes on from its last checkpoint")
    progress.note(Report(tasks[2], Event.STARTED))
    progress.note(Report(tasks[2], Event.FAILED, "no reason"))
    assert "2/4 runs" in said[-1] and said[-1].endswith("run k2: failed: no reason")
    assert progress.left() == pytest.approx(2 * 3 * EACH / 2)


def test_something_is_said_now_and_then(tmp_path: Path) -> None:
    said: list[str] = []
    now = [0.0]
    task = TASKS[0]._replace(path=tmp_path, name="the run")
    progress = SweepProgress([task], 2, said.append, lambda: now[0])
    progress.note(Report(task, Event.STARTED))
    for now[0] in (5.0, 14.9, 15.0, 16.0, 29.9, 30.0):
        progress.pulse()
    assert len(said) == 2
    folder = tmp_path / "run" / "checkpoints"
    folder.mkdir(parents=True)
    (folder / "000001000.safetensors").touch()
    now[0] = 60.0
    progress.pulse()
    assert said[-1].endswith("the run 25%")
    assert progress.left() == pytest.approx(EACH * 0.75)


def test_ablations_that_take_longer_are_expected_to() -> None:
    def seconds(budget: int, **overrides: object) -> float:
        config = run_config("search", overrides={"budget": budget, **overrides})
        return training_seconds(config.model_dump(mode="json"))

    soft: dict[str, object] = {"attention": "soft"}
    usual = seconds(10_000)
    assert 20 < usual < 60 < seconds(10_000, novelty={"enabled": True}) < 100
    assert 100 < seconds(10_000, machine=soft) < 200
    assert seconds(10_000, machine=soft) - seconds(5_000, machine=soft) == pytest.approx(75)
