"""What is measured is what is said to be measured; the figures themselves are not judged here."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from nhc.bench import running, training
from nhc.bench.measure import Row, paired_seconds
from nhc.bench.running import measured
from nhc.bench.training import learning_iteration, perfect_iterations, training_rows
from nhc.cli.main import run
from nhc.evolve.config import TrainConfig
from tests.computer.machines import free_task, hand_made, stacked, zoo
from tests.training.small import config


@pytest.fixture(autouse=True)
def few_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SCANNED_CELLS", 64)
    monkeypatch.setattr(running, "SCANNED_TICKS", 3)


@pytest.fixture
def made_up_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Evaluation takes half a second, and its twin 10."""

    def seconds(fast: Callable[[], object], naive: Callable[[], object], *, repeats: int) -> list[float]:
        assert repeats == training.REPEATS and fast() and naive()
        return [0.5, 10.0]

    monkeypatch.setattr(training, "paired_seconds", seconds)


@pytest.mark.usefixtures("made_up_seconds")
def test_perfect_iterations_are_perfect() -> None:
    """Every episode lives as long as its task takes: 5 to 8 ticks to search and one to stop at Level 2."""
    found = perfect_iterations(config(), stacked([zoo("search")]), 2)
    assert 2 * 48 * 6 < found.pop("ticks/s") < 2 * 48 * 9
    assert found == {
        "case": "perfect iterations, level 2",
        "iterations/s": 24,
        "naive iterations/s": 1,
        "times faster": 20.0,
    }


@pytest.mark.usefixtures("made_up_seconds")
def test_a_learning_iteration_evaluates_the_offspring_too() -> None:
    found = learning_iteration(config(), zoo("search").parameters, 1)
    assert (found["case"], found["iterations/s"]) == ("θ and 20 offspring, level 1", 2)
    # θ needs 2 to 5 ticks for each of four tasks; offspring may fail at their first.
    assert 2 * (4 * 2 + 80) <= found["ticks/s"] <= 2 * 84 * 5


def test_the_benchmark_is_of_three_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    def perfect(config: TrainConfig, theta: object, level: int) -> Row:
        return {"case": f"perfect {level}", "batch": config.batch}

    def learning(config: TrainConfig, theta: object, level: int) -> Row:
        return {"case": f"learning {level}", "population": config.es.population}

    monkeypatch.setattr(training, "perfect_iterations", perfect)
    monkeypatch.setattr(training, "learning_iteration", learning)
    assert training_rows() == [
        {"case": "perfect 3", "batch": 20},
        {"case": "perfect 21", "batch": 20},
        {"case": "learning 1", "population": 20},
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
    assert (found["case"], found["ticks"]) == ("some case", 500 + 1 + 5)
    by_scan = found["us/tick by scan"]
    assert found["us/tick"] > 0 and by_scan > 0
    assert found["times faster"] == pytest.approx(by_scan / found["us/tick"], abs=0.2)


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
    def interrupted() -> list[Row]:
        raise KeyboardInterrupt

    monkeypatch.setattr(training, "training_rows", interrupted)
    assert run(["bench", "train"]) == 130
