"""Run directories: what is kept, going on after an end in the middle, and what is refused."""

import io
import json
from dataclasses import replace
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.baselines import run as run_module
from nhc.baselines.config import BaselineConfig
from nhc.baselines.experiment import Stage, experiment_of
from nhc.baselines.run import Summary, kind_of, run_in_directory, standing
from nhc.baselines.search_training import widened
from nhc.baselines.supply import nodes_at
from nhc.errors import ConfigError, ModelError
from nhc.runs.arrays import load_arrays, save_arrays
from nhc.runs.checkpoints import checkpoint_files
from nhc.runs.codec import decoded, encoded
from nhc.runs.directory import RunDirectory
from nhc.runs.progress import LineProgress, SilentProgress, Standing

SMALL = {"hidden": 5, "word": 4, "runs": 2, "batch": 3, "round": 4, "learning_rate": 0.01}
SEARCH = BaselineConfig.model_validate(
    {
        **SMALL,
        **{"model": "stack-rnn", "iterations": 24, "stack": {"stacks": 2, "depth": 3, "tops": 1}},
        **{"curriculum": {"levels": 3}, "bad_memories": {"capacity": 7}},
    }
)
REVERSE = BaselineConfig.model_validate(
    {
        **{"model": "stack-rnn", "task": "reverse", "optimiser": "rmsprop", "learning_rate": 0.003},
        **{"runs": 2, "batch": 16, "round": 50, "iterations": 300, "hidden": 24, "word": 6},
        **{"stack": {"stacks": 2, "depth": 4, "tops": 1}},
        "sequence": {"bits": 2, "length": 3},
    }
)


class Until(SilentProgress):
    """Ends the run after some rounds: asks to stop, or raises."""

    def __init__(self, rounds: int, error: type[BaseException] | None = None) -> None:
        self.left, self.error = rounds, error

    def update(self, standing: Standing) -> None:
        self.left -= 1
        if self.error is not None and self.left == 0:
            raise self.error

    def stop(self) -> bool:
        return self.error is None and self.left <= 0


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
    for config in (SEARCH, REVERSE):
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
    assert BaselineConfig.model_validate(RunDirectory.open(path).read_config()) == SEARCH


@pytest.mark.parametrize(("config", "error"), [(SEARCH, Killed), (REVERSE, None)], ids=["killed", "stopped"])
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
        assert not run_in_directory(config, path, progress, stop=progress.stop).finished
    else:
        with pytest.raises(error):
            run_in_directory(config, path, progress)
    status = json.loads((path / "meta.json").read_text())["status"]
    assert status == ("stopped" if error is None else "running")
    assert max(checkpoint_files(path / "checkpoints")) == 3 * config.round
    if error is Killed:  # the log is ahead of its checkpoint, and its last line is torn
        with (path / "metrics.jsonl").open("a") as file:
            file.write(f'{{"iteration":{4 * config.round},"loss":[]}}\n{{"iter')
    resumed = run_in_directory(config, path, resume=True)
    assert kept(path) == kept(unbroken[config.task][0])
    assert resumed.last == unbroken[config.task][1].last


def test_a_finished_run_just_ends_again(unbroken: dict[str, tuple[Path, Summary]]) -> None:
    path, summary = unbroken["reverse"]
    before = kept(path)
    again = run_in_directory(REVERSE, path, resume=True)
    assert again._replace(wall_s=0) == summary._replace(wall_s=0)
    assert kept(path) == before


def test_what_is_refused(unbroken: dict[str, tuple[Path, Summary]], tmp_path: Path) -> None:
    path, _ = unbroken["reverse"]
    before = kept(path)
    with pytest.raises(ConfigError, match=r"run\.exists"):
        run_in_directory(REVERSE, path)
    with pytest.raises(ConfigError, match=r"seed: 0 is kept, 1 is wanted .*run\.config"):
        run_in_directory(REVERSE.model_copy(update={"seed": 1}), path, resume=True)
    assert kept(path) == before
    with pytest.raises(ConfigError, match=r"domain\.cells"):
        run_in_directory(SEARCH.model_copy(update={"domain": "free-tree"}), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_foreign_checkpoints_are_refused(unbroken: dict[str, tuple[Path, Summary]], tmp_path: Path) -> None:
    newest = max(checkpoint_files(unbroken["reverse"][0] / "checkpoints").items())[1]
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
        run_in_directory(REVERSE, path, overwrite=True, stop=lambda: True)
        save_arrays(path / "checkpoints" / "000000004.safetensors", changed, {**kind, "lines": 0})
        with pytest.raises(ModelError, match=code):
            run_in_directory(REVERSE, path, resume=True)


def test_a_checkpoint_keeps_levels_and_wide_rings() -> None:
    """Rings of a run at a higher level are wider than those of the first."""
    experiment = experiment_of(SEARCH)
    begun = experiment.begin()
    tree = widened(begun.tree, nodes_at(2))
    words = tree.ring.words.at[1, 3, 6].set(5)
    tree = replace(tree, ring=tree.ring._replace(words=words), streak=jnp.array([2, 8]))
    stage = Stage(8, tree, np.array([2, 1]), begun.positions + 1)
    kind = kind_of(SEARCH, experiment)
    again = decoded(*encoded(stage), kind.start, kind.free)
    assert again.iteration == 8 and again.levels.tolist() == [2, 1] and (again.positions == 1).all()
    assert str(jax.tree.structure(again.tree)) == str(jax.tree.structure(tree))
    pairs = zip(jax.tree.leaves(again.tree), jax.tree.leaves(tree), strict=True)
    assert all(np.array_equal(one, other) and one.dtype == other.dtype for one, other in pairs)
    assert again.tree.ring.words.shape == (2, 7, nodes_at(2), 18)


def test_a_small_stack_rnn_learns_to_repeat_in_reverse(unbroken: dict[str, tuple[Path, Summary]]) -> None:
    path, summary = unbroken["reverse"]
    first, *_ = RunDirectory.open(path).metrics.read()
    # By chance half of the bits are right, and (1/4 + 1/16 + 1/64) / 3 = 11 % of the sequences.
    for record, least, most in ((first, 0, 60), (summary.last, 80, 100)):
        correct = record["correct"]
        assert isinstance(correct, list) and all(least <= one <= most for one in correct)


def test_progress_shows_the_means() -> None:
    stream = io.StringIO()
    progress = LineProgress(stream, lambda: 0.0)
    progress.update(standing(SEARCH, {"iteration": 4, "fitness": [1.0], "fitness_mean": 1.0}))
    assert stream.getvalue() == "iteration 4  fitness_mean 1.0  iterations/s -  elapsed 0:00:00  left -\n"


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"iterations": 250, "round": 100}, "multiple"),
        ({"model": "ntm"}, "model"),
        ({"dnc": {"writes": 0}}, "dnc.writes"),
        ({"stack": {"tops": 9, "depth": 8}}, "tops <= depth"),
        ({"learning_rate": float("nan")}, "learning_rate"),
        ({"depth": 3}, "config.key"),
    ],
)
def test_configurations_that_are_refused(values: dict[str, object], fault: str) -> None:
    with pytest.raises(ConfigError, match=fault) as caught:
        BaselineConfig.model_validate(values)
    assert caught.value.code == ("config.key" if "depth" in values else "config.value")


def test_the_papers_sizes_are_the_defaults() -> None:
    config = BaselineConfig()
    assert (config.hidden, config.word, config.runs, config.iterations, config.batch) == (
        *(256, 152, 10, 500_000, 20),
    )
    assert (config.dnc.reads, config.dnc.writes, config.stack.stacks) == (1, 2, 4)
