"""A run in this process: the same configuration gives the same run, however it is cut and kept."""

from itertools import accumulate
from typing import NamedTuple

import numpy as np
import pytest

from nhc.evolve.state import Record, TrainState
from nhc.training.session import Result, train
from tests.training.small import config


class Run(NamedTuple):
    """A run and what it told on the way."""

    result: Result
    steps: list[tuple[TrainState, list[Record]]]

    @property
    def records(self) -> list[Record]:
        """Of all iterations, in order."""
        return [record for _, records in self.steps for record in records]


def run(budget: int) -> Run:
    told: list[tuple[TrainState, list[Record]]] = []
    return Run(train(config(budget=budget), on_step=lambda *step: told.append(step)), told)


@pytest.fixture(scope="module")
def whole() -> Run:
    return run(400)


def weights(state: TrainState) -> bytes:
    blocks = state.parameters.named_blocks(config().machine)
    return b"".join(blocks[name].tobytes() for name in sorted(blocks))


def test_the_same_configuration_gives_the_same_run(whole: Run) -> None:
    """With a smaller budget it is the same run too, as far as it goes."""
    first, again = run(80), run(80)
    assert first.records == again.records == whole.records[:80]
    assert [record.iteration for record in whole.records] == list(range(1, len(whole.records) + 1))
    assert weights(first.result.state) == weights(again.result.state)
    assert again.result.model.hash == first.result.model.hash != whole.result.model.hash
    assert again.result.ticks == again.result.state.ticks > 0


def test_a_true_answer_ends_a_run_and_its_state_goes_on(whole: Run) -> None:
    told: list[Record] = []

    def enough(state: TrainState, records: list[Record]) -> bool:
        told.extend(records)
        return state.iteration >= 30

    stopped = train(config(), on_step=enough)
    assert 30 <= stopped.state.iteration < 30 + 12, "at the first step that is long enough"
    assert not stopped.succeeded and stopped.history == told == whole.records[: len(told)]
    rest = train(config(), state=stopped.state)
    assert told + rest.history == whole.records


def test_another_seed_gives_another_run() -> None:
    first, second = (train(config(seed=seed, budget=20)) for seed in (8, 9))
    assert first.model.hash != second.model.hash


def test_the_budget_ends_a_run_on_its_iteration(whole: Run) -> None:
    """Also where many iterations are evaluated at once."""
    many = next(state for state, records in whole.steps if len(records) > 3)
    cut = train(config(budget=many.iteration - 2))
    assert cut.state.iteration == many.iteration - 2
    assert not cut.mastered and not cut.succeeded


def test_a_result_tells_what_became_of_the_run(whole: Run) -> None:
    result, told = whole.result, whole.records
    state = result.state
    assert result.mastered == state.mastered == (sum(record.solved for record in told) >= 3)
    assert state.learning_iterations == sum(record.learned for record in told)
    assert state.restarts == sum(record.restarted for record in told) > 0
    learned = list(accumulate(record.learned for record in told))
    assert [record.learning_iterations for record in told] == learned
    record = result.model.record
    assert record["level"] == min(state.level, 3)
    assert (record["seed"], record["iterations"], record["ticks"]) == (8, state.iteration, state.ticks)
    assert record["config"] == config().model_dump(mode="json")
    assert result.model.config == config().machine
    assert result.model.algorithm.name == "search"
    assert np.isfinite(result.seconds) and result.seconds > 0


def test_a_finished_run_continues_with_nothing(whole: Run) -> None:
    again = train(config(), state=whole.result.state, on_step=lambda *_: pytest.fail("nothing is left"))
    assert again.state == whole.result.state
    assert again.ticks == 0
