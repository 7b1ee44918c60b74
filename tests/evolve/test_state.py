"""Streaks, solved levels, cleared memories and restarts, at the figures of the paper."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from nhc.algorithms.traces import trace_of
from nhc.evolve.config import TrainConfig
from nhc.evolve.course import Course
from nhc.evolve.state import TrainState, after_perfect, initial_train_state, must_restart, restarted
from tests.computer.machines import PLAN


def course_with(**values: object) -> Course:
    config = TrainConfig.model_validate(values)
    return Course(config, config.algorithm)


def perfect_for(iterations: int, course: Course, state: TrainState, watch: Callable[[TrainState], None]):
    """States and records of perfect iterations in a row."""
    records = []
    for _ in range(iterations):
        state, record = after_perfect(course, replace(state, iteration=state.iteration + 1))
        records.append(record)
        watch(state)
    return state, records


def remembering(state: TrainState) -> TrainState:
    return replace(state, bad=state.bad.remember(trace_of(PLAN, 1)))


def test_bad_memories_are_cleared_at_exactly_10_perfect_iterations_and_not_again() -> None:
    course = course_with()
    held: list[int] = []
    state = remembering(initial_train_state(course))
    state, _ = perfect_for(10, course, state, lambda state: held.append(state.bad.held))
    assert held == [1] * 9 + [0]
    later = remembering(state)
    held.clear()
    perfect_for(239, course, later, lambda state: held.append(state.bad.held))
    assert held == [1] * 239


def test_250_perfect_iterations_in_a_row_solve_a_level() -> None:
    course = course_with()
    state = replace(initial_train_state(course), iteration=1000, level=4, level_began=700, doubtful=True)
    state, records = perfect_for(249, course, state, lambda state: None)
    assert (state.level, state.streak, state.reached, state.level_began) == (4, 249, True, 700)
    assert not any(record.solved for record in records)
    assert {record.fitness for record in records} == {150.0}
    assert [record.streak for record in records] == list(range(1, 250))
    state, (record,) = perfect_for(1, course, state, lambda state: None)
    assert (record.level, record.solved, record.streak, record.iteration) == (4, True, 250, 1250)
    assert (state.level, state.streak, state.reached, state.level_began) == (5, 0, False, 1250)
    assert not state.doubtful
    assert not state.mastered


def test_the_run_is_mastered_when_the_additional_level_is_solved() -> None:
    course = course_with(task="search", machine={"signals": 2})
    for level, mastered in ((20, False), (21, False), (22, True)):
        state = replace(initial_train_state(course), level=level, streak=249)
        after, record = after_perfect(course, state)
        assert after.mastered == mastered
        assert record.fitness == 120.0


@pytest.mark.parametrize("rule", ["unreached", "unsolved", "never"])
@pytest.mark.parametrize("reached", [False, True])
def test_restarts_come_after_the_patience_of_the_level(rule: str, reached: bool) -> None:
    course = course_with(restart={"rule": rule})
    state = replace(initial_train_state(course), level_began=300, reached=reached)
    given_up = {"unreached": not reached, "unsolved": True, "never": False}[rule]
    for iteration, patient in ((301, True), (2800, True), (2801, False), (2802, False), (9000, False)):
        assert must_restart(course.config, replace(state, iteration=iteration)) == (given_up and not patient)


def test_learning_iterations_count_on_across_restarts() -> None:
    course = course_with()
    state = remembering(replace(initial_train_state(course), iteration=5000, level=7, level_began=2000))
    state = replace(state, learning_iterations=432, restarts=2, nonfinite=6, reached=True)
    after, record = restarted(course.config, state, 81.25)
    assert (record.iteration, record.level, record.fitness) == (5000, 7, 81.25)
    assert (record.restarted, record.learned, record.solved) == (True, False, False)
    assert (record.restarts, record.learning_iterations, record.nonfinite) == (3, 432, 6)
    assert (after.restarts, after.learning_iterations, after.nonfinite) == (3, 432, 6)
    assert (after.level, after.level_began, after.reached, after.bad.held) == (1, 5000, False, 0)


@pytest.mark.parametrize(("level", "mastered"), [(1, False), (2, False), (3, True)])
def test_one_perfect_iteration_solves_an_exact_level_and_forgets_nothing(level: int, mastered: bool) -> None:
    """There is no additional level, and what refuted a machine before stays in the batch."""
    values = {"curriculum": {"levels": 3}, "bad_memories": {"cleared_after": 1}, "sampling": "exact"}
    course = course_with(**values)
    state = replace(remembering(initial_train_state(course)), level=level, iteration=70)
    after, record = after_perfect(course, state)
    assert (record.level, record.solved, record.fitness, record.streak) == (level, True, 150.0, 1)
    assert (after.level, after.mastered, after.level_began, after.streak) == (level + 1, mastered, 70, 0)
    assert after.bad.held == 1
