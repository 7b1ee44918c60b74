"""What is measured is what is said to be measured; the figures themselves are not judged here."""

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
