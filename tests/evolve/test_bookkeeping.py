"""Streaks, solved levels, cleared memories and restarts, at the figures of the paper."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from nhc.evolve.bad_memories import no_bad_memories
from nhc.evolve.bookkeeping import after_perfect, must_restart, restarted
from nhc.evolve.config import TrainConfig
from nhc.evolve.state import TrainState, initial_train_state
from nhc.tasks.batch import Tasks


def perfect_for(iterations: int, config: TrainConfig, state: TrainState, watch: Callable[[TrainState], None]):
    """States and records of perfect iterations in a row."""
    records = []
    for _ in range(iterations):
        state, record = after_perfect(config, replace(state, iteration=state.iteration + 1))
        records.append(record)
        watch(state)
    return state, records


def remembering(state: TrainState) -> TrainState:
    one = Tasks(np.ones((1, 16), np.int32), np.ones(1, np.int32), np.ones(1, np.int32))
    return replace(state, bad=no_bad_memories(9, 128).remember(one))


def test_bad_memories_are_cleared_at_exactly_10_perfect_iterations_and_not_again() -> None:
    config = TrainConfig()
    held: list[int] = []
    state = remembering(initial_train_state(config))
    state, _ = perfect_for(10, config, state, lambda state: held.append(state.bad.held))
    assert held == [1] * 9 + [0]
    later = remembering(state)
    held.clear()
    perfect_for(239, config, later, lambda state: held.append(state.bad.held))
    assert held == [1] * 239


def test_250_perfect_iterations_in_a_row_solve_a_level() -> None:
    config = TrainConfig()
    state = replace(initial_train_state(config), iteration=1000, level=4, level_began=700, doubtful=True)
    state, records = perfect_for(249, config, state, lambda state: None)
    assert (state.level, state.streak, state.reached, state.level_began) == (4, 249, True, 700)
    assert not any(record.solved for record in records)
    assert {record.fitness for record in records} == {150.0}
    assert [record.streak for record in records] == list(range(1, 250))
    state, (record,) = perfect_for(1, config, state, lambda state: None)
    assert (record.level, record.solved, record.streak, record.iteration) == (4, True, 250, 1250)
    assert (state.level, state.streak, state.reached, state.level_began) == (5, 0, False, 1250)
    assert not state.doubtful
    assert not state.mastered


def test_the_run_is_mastered_when_the_additional_level_is_solved() -> None:
    config = TrainConfig.model_validate({"task": "search", "machine": {"signals": 2}})
    for level, mastered in ((20, False), (21, False), (22, True)):
        state = replace(initial_train_state(TrainConfig()), level=level, streak=249)
        after, record = after_perfect(config, state)
        assert after.mastered == mastered
        assert record.fitness == 120.0


@pytest.mark.parametrize("rule", ["unreached", "unsolved", "never"])
@pytest.mark.parametrize("reached", [False, True])
def test_restarts_come_after_the_patience_of_the_level(rule: str, reached: bool) -> None:
    config = TrainConfig.model_validate({"restart": {"rule": rule}})
    state = replace(initial_train_state(config), level_began=300, reached=reached)
    given_up = {"unreached": not reached, "unsolved": True, "never": False}[rule]
    for iteration, patient in ((301, True), (2800, True), (2801, False), (2802, False), (9000, False)):
        assert must_restart(config, replace(state, iteration=iteration)) == (given_up and not patient)


def test_learning_iterations_count_on_across_restarts() -> None:
    config = TrainConfig()
    state = remembering(replace(initial_train_state(config), iteration=5000, level=7, level_began=2000))
    state = replace(state, learning_iterations=432, restarts=2, nonfinite=6, reached=True)
    after, record = restarted(config, state, 81.25)
    assert (record.iteration, record.level, record.fitness) == (5000, 7, 81.25)
    assert (record.restarted, record.learned, record.solved) == (True, False, False)
    assert (record.restarts, record.learning_iterations, record.nonfinite) == (3, 432, 6)
    assert (after.restarts, after.learning_iterations, after.nonfinite) == (3, 432, 6)
    assert (after.level, after.level_began, after.reached, after.bad.held) == (1, 5000, False, 0)
