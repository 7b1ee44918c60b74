"""A run in this process: the same configuration gives the same run, however it is cut and kept."""

from itertools import accumulate

import numpy as np

from nhc.evolve.state import Record, TrainState
from nhc.training.session import train
from tests.training.small import config


def weights(state: TrainState) -> bytes:
    blocks = state.parameters.named_blocks(config().machine)
    return b"".join(blocks[name].tobytes() for name in sorted(blocks))


def test_the_same_configuration_gives_the_same_run() -> None:
    runs: list[list[Record]] = []
    results = []
    for _ in range(2):
        told: list[Record] = []
        results.append(train(config(), on_step=lambda _, records, told=told: told.extend(records)))
        runs.append(told)
    assert runs[0] == runs[1]
    assert [record.iteration for record in runs[0]] == list(range(1, len(runs[0]) + 1))
    assert weights(results[0].state) == weights(results[1].state)
    assert results[0].model.hash == results[1].model.hash
    assert results[0].ticks == results[0].state.ticks > 0


def test_another_seed_gives_another_run() -> None:
    first, second = (train(config(seed=seed, budget=20)) for seed in (8, 9))
    assert first.model.hash != second.model.hash


def test_the_budget_ends_a_run_on_its_iteration() -> None:
    """Also where many iterations are evaluated at once."""
    told: list[tuple[TrainState, list[Record]]] = []
    train(config(), on_step=lambda state, records: told.append((state, records)))
    many = next(state for state, records in told if len(records) > 3)
    cut = train(config(budget=many.iteration - 2))
    assert cut.state.iteration == many.iteration - 2
    assert not cut.mastered and not cut.succeeded


def test_a_result_tells_what_became_of_the_run() -> None:
    told: list[Record] = []
    result = train(config(), on_step=lambda _, records: told.extend(records))
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


def test_a_finished_run_continues_with_nothing() -> None:
    result = train(config())
    again = train(config(), state=result.state, on_step=lambda *_: None)
    assert again.state == result.state
    assert again.ticks == 0
