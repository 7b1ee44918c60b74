"""What is measured is what is said to be measured; the figures themselves are not judged here."""

import json
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from nhc.bench import running, training
from nhc.bench.measure import paired_seconds
from nhc.bench.running import LongRun, measured
from nhc.bench.training import Measurement, learning_iteration, measure_training, perfect_iterations
from nhc.cli.main import run
from nhc.evolve.config import TrainConfig
from tests.computer.machines import free_task, hand_made, stacked, zoo
from tests.training.small import config


@pytest.fixture(autouse=True)
def few_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "REPEATS", 1)
    monkeypatch.setattr(running, "SCANNED_CELLS", 64)
    monkeypatch.setattr(running, "SCANNED_TICKS", 3)


def test_perfect_iterations_are_perfect() -> None:
    """Every episode lives as long as its task takes: 5 to 8 ticks to search and one to stop at Level 2."""
    found = perfect_iterations(config(), stacked([zoo("search")]), 2)
    assert (found.case, found.iterations) == ("perfect iterations, level 2", 12)
    assert found.seconds > 0 and found.naive_seconds > 0
    assert 48 * 6 < found.ticks < 48 * 9
    assert found.ratio == found.naive_seconds / found.seconds


def test_a_learning_iteration_evaluates_the_offspring_too() -> None:
    found = learning_iteration(config(), zoo("search").parameters, 1)
    assert (found.case, found.iterations) == ("θ and 20 offspring, level 1", 1)
    assert found.seconds > 0 and found.naive_seconds > 0
    # θ needs 2 to 5 ticks for each of four tasks; offspring may fail at their first.
    assert 4 * 2 + 80 <= found.ticks <= 84 * 5


def test_the_benchmark_is_of_three_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    def perfect(config: TrainConfig, theta: object, level: int) -> Measurement:
        return Measurement(f"perfect {level}", config.batch, 1, 1.0, 1.0)

    def learning(config: TrainConfig, theta: object, level: int) -> Measurement:
        return Measurement(f"learning {level}", config.es.population, 1, 1.0, 1.0)

    monkeypatch.setattr(training, "perfect_iterations", perfect)
    monkeypatch.setattr(training, "learning_iteration", learning)
    found = measure_training()
    assert [(each.case, each.iterations) for each in found] == [
        ("perfect 3", 20),
        ("perfect 21", 20),
        ("learning 1", 20),
    ]


def learned(config: TrainConfig) -> SimpleNamespace:
    """A run that nobody made; that of seed 5 ended without a proof."""
    assert config.until == "certified"
    return SimpleNamespace(state=SimpleNamespace(certified=config.seed != 5))


def printed(command: list[str], **_: object) -> SimpleNamespace:
    """What the command says of a run that is not made; its options are those of `nhc train`."""
    folder = Path(command[command.index("--out") + 1]).parent
    assert folder.is_dir() and run([*command[3:], "--dry-run"]) == 0
    return SimpleNamespace(returncode=0, stdout=json.dumps({"mastered": True, "certified": True}))


def test_exact_levels_are_measured_beside_sampled_ones_in_turn(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    configs: list[TrainConfig] = []
    monkeypatch.setattr(training, "train", lambda config: configs.append(config) or learned(config))
    monkeypatch.setattr(subprocess, "run", printed)
    rows = training.proof_rows("search", (4, 5))
    # A call that compiles, then the one that counts.
    assert [each.sampling for each in configs] == ["exact", "sampled"] * 4
    shown = re.findall(r'^(?:sampling|until) = "(.*)"|^seed = (.)', capsys.readouterr().out, re.M)
    each = [("exact", ""), ("", "4"), ("certified", ""), ("sampled", ""), ("", "4"), ("certified", "")]
    assert shown[: 2 * len(each)] == each * 2 and len(shown) == 4 * len(each)
    assert [row.pop("case") for row in rows] == [
        f"search, seed {seed}: {name}" for seed in (4, 5) for name in ("learning alone", "whole process")
    ]
    unproved = rows.pop(2)
    assert set(unproved.values()) == {None}
    for row in rows:
        assert list(row) == ["exact s", "sampled s", "times faster"]
        assert all(isinstance(value, float) for value in row.values())


def test_a_long_run_is_timed_to_its_end() -> None:
    found = measured("some case", free_task(500))
    assert isinstance(found, LongRun)
    assert (found.case, found.ticks) == ("some case", 500 + 1 + 5)
    assert found.seconds > 0 and found.scan_us is not None and found.scan_us > 0


def test_a_run_that_does_not_finish_is_no_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "load_model", lambda name: hand_made("plan", "stops at 2"))
    with pytest.raises(AssertionError):
        measured("some case", free_task(500))


def test_ways_are_timed_in_turn_after_a_call_that_compiles() -> None:
    calls: list[str] = []
    found = paired_seconds(lambda: calls.append("a"), lambda: calls.append("b"), repeats=3)
    assert calls == ["a", "b"] * 4
    assert len(found) == 2 and all(0 <= seconds < 1 for seconds in found)


def test_ctrl_c_ends_a_measure_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> list[Measurement]:
        raise KeyboardInterrupt

    monkeypatch.setattr(training, "measure_training", interrupted)
    assert run(["bench", "train"]) == 130
