"""Run directories: what is kept, going on after an end in the middle, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from nhc.baselines import experiment
from nhc.baselines import run as run_module
from nhc.baselines.config import BaselineConfig, validated
from nhc.baselines.experiment import Record
from nhc.baselines.run import LineProgress, Progress, Summary, read_config, run_in_directory
from nhc.baselines.search_training import Runs
from nhc.baselines.stack_rnn import StackParameters
from nhc.errors import ConfigError, ModelError
from nhc.runs.arrays import load_arrays, save_arrays
from nhc.runs.checkpoints import checkpoint_files
from nhc.runs.directory import RunDirectory

SMALL = {"hidden": 5, "word": 4, "runs": 2, "batch": 3, "round": 4, "learning_rate": 0.01}
SEARCH = BaselineConfig.model_validate(
    {
        **SMALL,
        **{"model": "stack-rnn", "iterations": 24, "stack": {"stacks": 2, "depth": 3, "tops": 1}},
        **{"curriculum": {"levels": 3}, "bad_memories": {"capacity": 7}},
    }
)
COPY = BaselineConfig.model_validate(
    {
        **SMALL,
        **{"model": "stack-rnn", "task": "copy", "iterations": 24, "optimiser": "rmsprop"},
        **{"copy_task": {"bits": 2, "length": 3}, "stack": {"stacks": 2, "depth": 3, "tops": 1}},
    }
)


class Until(Progress):
    """Ends the run after some rounds: asks to stop, or raises."""

    def __init__(self, rounds: int, error: type[BaseException] | None = None) -> None:
        self.rounds, self.error, self.records = rounds, error, list[Record]()

    def update(self, record: Record) -> None:
        self.records.append(record)
        if self.error is not None and len(self.records) == self.rounds:
            raise self.error

    def stop(self) -> bool:
        return self.error is None and len(self.records) >= self.rounds


class Killed(BaseException):
    """Nothing catches it."""


def kept(path: Path) -> tuple[bytes, list[bytes]]:
    """The log, and the arrays of the last checkpoint."""
    newest = max(checkpoint_files(path / "checkpoints").items())[1]
    arrays, _ = load_arrays(newest)
    return (path / "metrics.jsonl").read_bytes(), [arrays[name].tobytes() for name in sorted(arrays)]


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Summary]]:
    """Runs that nothing happened to."""
    found: dict[str, tuple[Path, Summary]] = {}
    for config in (SEARCH, COPY):
        path = tmp_path_factory.mktemp("unbroken") / "run"
        found[config.task] = path, run_in_directory(config, path)
    return found


def test_what_a_search_run_keeps(unbroken: dict[str, tuple[Path, Summary]]) -> None:
    path, summary = unbroken["search"]
    lines = [json.loads(line) for line in (path / "metrics.jsonl").read_text().splitlines()]
    assert [line["iteration"] for line in lines] == [4, 8, 12, 16, 20, 24]
    for line in lines:
        assert line["fitness_mean"] == pytest.approx(np.mean(line["fitness"]), abs=1e-3)
        assert line["fitness_std"] == pytest.approx(np.std(line["fitness"]), abs=1e-3)
        assert [len(line[name]) for name in ("fitness", "level", "loss", "correct", "streak")] == [2] * 5
        assert all(0 < one <= 120 for one in line["fitness"]) and line["level"] == [1, 1]
    # 36 cells of four symbols and a signal: 36 log 4 + log 2 = 50.6 by chance.
    first, last = (np.array(line["loss"]) for line in (lines[0], lines[-1]))
    assert (last < 0.8 * first).all() and (first < 60).all()
    meta = json.loads((path / "meta.json").read_text())
    assert meta["status"] == "finished" and summary.finished and summary.last == lines[-1]
    assert read_config(RunDirectory.open(path)) == SEARCH


@pytest.mark.parametrize("config", [SEARCH, COPY], ids=["search", "copy"])
@pytest.mark.parametrize("error", [None, KeyboardInterrupt, Killed], ids=["stop", "interrupt", "kill"])
def test_a_run_goes_on_as_if_nothing_had_happened(
    config: BaselineConfig,
    error: type[BaseException] | None,
    unbroken: dict[str, tuple[Path, Summary]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run_module, "CHECKPOINT_SECONDS", 0.0)
    path, progress = tmp_path / "run", Until(3, error)
    if error is None:
        assert not run_in_directory(config, path, progress).finished
    else:
        with pytest.raises(error):
            run_in_directory(config, path, progress)
    named = {"NoneType": "stopped", "KeyboardInterrupt": "interrupted", "Killed": "running"}
    status = named["NoneType" if error is None else error.__name__]
    assert json.loads((path / "meta.json").read_text())["status"] == status
    assert max(checkpoint_files(path / "checkpoints")) == 12
    if error is Killed:  # the log is ahead of its checkpoint, and its last line is torn
        with (path / "metrics.jsonl").open("a") as file:
            file.write('{"iteration":16,"loss":[]}\n{"iter')
    resumed = run_in_directory(config, path, resume=True)
    assert kept(path) == kept(unbroken[config.task][0])
    assert resumed.last == unbroken[config.task][1].last


def test_a_finished_run_just_ends_again(unbroken: dict[str, tuple[Path, Summary]]) -> None:
    path, summary = unbroken["copy"]
    before = kept(path)
    again = run_in_directory(COPY, path, resume=True)
    assert again._replace(wall_s=0) == summary._replace(wall_s=0)
    assert kept(path) == before


def test_what_is_refused(unbroken: dict[str, tuple[Path, Summary]], tmp_path: Path) -> None:
    path, _ = unbroken["copy"]
    before = kept(path)
    with pytest.raises(ConfigError, match=r"run\.exists"):
        run_in_directory(COPY, path)
    with pytest.raises(ConfigError, match=r"run\.config"):
        run_in_directory(COPY.model_copy(update={"seed": 1}), path, resume=True)
    assert kept(path) == before
    with pytest.raises(ConfigError, match=r"domain\.cells"):
        run_in_directory(SEARCH.model_copy(update={"domain": "free-tree"}), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_foreign_checkpoints_are_refused(unbroken: dict[str, tuple[Path, Summary]], tmp_path: Path) -> None:
    newest = max(checkpoint_files(unbroken["copy"][0] / "checkpoints").items())[1]
    arrays, values = load_arrays(newest)
    name = next(name for name in sorted(arrays) if name.startswith("tree/"))
    smaller = arrays | {name: arrays[name][:1]}
    without = {key: array for key, array in arrays.items() if key != name}
    for changed, kind, code in (
        (smaller, values, r"model\.shape"),
        (without, values, r"model\.checkpoint"),
        (arrays, {**values, "kind": "checkpoint"}, r"model\.checkpoint"),
    ):
        path = tmp_path / "run"
        run_in_directory(COPY, path, Until(0), overwrite=True)
        save_arrays(path / "checkpoints" / "000000004.safetensors", changed, kind)
        with pytest.raises(ModelError, match=code):
            run_in_directory(COPY, path, resume=True)


def test_levels_rise_and_rings_grow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first run's level counts as solved after each round: a continuation knows, and has wider rings."""

    def lenient(
        runs: Runs[StackParameters], levels: NDArray[np.int64]
    ) -> tuple[Runs[StackParameters], NDArray[np.int64]]:
        return runs, levels + np.array([1, 0])

    monkeypatch.setattr(experiment, "next_levels", lenient)
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    config = SEARCH.model_copy(update={"iterations": 8})
    assert run_in_directory(config, whole).last["level"] == [2, 1]
    run_in_directory(config, parts, Until(1))
    run_in_directory(config, parts, resume=True)
    assert kept(parts) == kept(whole)
    arrays, _ = load_arrays(parts / "checkpoints" / "000000008.safetensors")
    assert arrays["levels"].tolist() == [3, 1] and (arrays["positions"][0, 1] > 0).any()
    run_in_directory(config, parts, resume=True)  # the ring of the checkpoint is wider than that of Level 1


def test_progress_says_a_line_and_asks_to_stop() -> None:
    lines: list[str] = []
    progress = LineProgress(lines.append, every=60.0)
    for iteration in (4, 8):
        progress.update({"iteration": iteration, "fitness": [1.0], "fitness_mean": 1.0})
    assert lines == ["iteration 4  fitness_mean 1.0"] and not progress.stop()
    assert LineProgress(lines.append, minutes=0.0).stop()


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"iterations": 250, "round": 100}, "multiple"),
        ({"model": "ntm"}, "model"),
        ({"dnc": {"writes": 0}}, "dnc.writes"),
        ({"stack": {"tops": 9, "depth": 8}}, "tops <= depth"),
        ({"learning_rate": float("nan")}, "learning_rate"),
        ({"depth": 3}, "depth"),
    ],
)
def test_configurations_that_are_refused(values: dict[str, object], fault: str) -> None:
    with pytest.raises(ConfigError, match=fault) as caught:
        validated(values)
    assert caught.value.code == "config.value"


def test_the_papers_sizes_are_the_defaults() -> None:
    config = BaselineConfig()
    assert (config.hidden, config.word, config.runs, config.iterations, config.batch) == (
        *(256, 152, 10, 500_000, 20),
    )
    assert (config.dnc.reads, config.dnc.writes, config.stack.stacks) == (1, 2, 4)
