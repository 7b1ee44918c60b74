"""Certificate-guided training: a proof ends the run, a refuting task becomes a bad memory, all else stays."""

from dataclasses import fields, replace

import jax
import numpy as np
import pytest

from nhc.algorithms.traces import trace_of
from nhc.certify.prove import Proof, Undecided, prove
from nhc.evolve.course import Course
from nhc.evolve.loop import evolution
from nhc.evolve.state import Record, TrainState, initial_train_state
from nhc.machine.parameters import Parameters
from nhc.model import Model
from nhc.training import certified
from nhc.training.certified import examiner
from nhc.training.session import course_of, steps, train
from tests.computer.machines import PLAN
from tests.evolve.plain_loop import Case
from tests.oracles.teacher import damaged, search_weights

VALUES: dict[str, object] = {
    "domain": "free-tree",
    "until": "certified",
    "budget": 40,
    "curriculum": {"levels": 3, "solved_after": 9},
    "bad_memories": {"capacity": 3, "share": 0.1, "cleared_after": 6},
    "restart": {"patience": 60},
}


def course_with(**changes: object) -> Course:
    return course_of(Case("none", False, {**VALUES, **changes}).config)


def exact_course(**changes: object) -> Course:
    return course_with(sampling="exact", domain="", **changes)


def state_of(fault: str, course: Course) -> TrainState:
    weights = damaged(fault) if course.algorithm is PLAN else search_weights(damaged(fault))
    return replace(
        initial_train_state(course), parameters=Parameters.from_blocks(weights, course.config.machine)
    )


def examined(course: Course, state: TrainState) -> TrainState:
    return examiner(course)(state)


def assert_same_but(one: TrainState, other: TrainState, *changed: str) -> None:
    for field in fields(TrainState):
        left, right = (jax.tree.leaves(getattr(state, field.name)) for state in (one, other))
        same = len(left) == len(right) and all(np.array_equal(a, b) for a, b in zip(left, right, strict=True))
        assert same != (field.name in changed), field.name


def held(state: TrainState) -> list[int]:
    """The goals of the bad memories."""
    return state.bad.recalled(np.arange(state.bad.held)).main.tolist()


@pytest.mark.parametrize("make", [course_with, exact_course])
def test_a_proof_certifies_and_changes_nothing_else(make) -> None:
    course = make()
    state = state_of("none", course)
    assert not state.certified
    assert_same_but(state, examined(course, state), "certified")
    assert examined(course, state).certified


@pytest.mark.parametrize(("fault", "goal"), [("stops at 2", 9), ("last op wins", 4), ("never nop", 1)])
def test_a_refuting_task_is_remembered(fault: str, goal: int) -> None:
    """As the only one, for the batch was perfect: what was wrong before is mended."""
    course = course_with()
    state = state_of(fault, course)
    after = examined(course, state)
    assert_same_but(state, after, "bad")
    assert (after.bad.held, after.bad.next) == (1, 1)
    wanted = trace_of(PLAN, goal)
    for found, expected in zip(
        after.bad.recalled(np.arange(1)), wanted.padded(after.bad.tasks.ticks), strict=True
    ):
        np.testing.assert_array_equal(found, expected)
    again = examined(course, replace(after, bad=after.bad.remember(wanted).remember(wanted)))
    assert held(again) == [goal]


def test_an_exact_run_keeps_what_refuted_it_before() -> None:
    """And goes on at its last level, which it has not reached with one more task."""
    course = exact_course()
    state = replace(state_of("stops at 2", course), level=4, mastered=True, iteration=7, reached=True)
    state = replace(state, bad=state.bad.remember(trace_of(PLAN, 50)))
    after = examined(course, state)
    assert_same_but(state, after, "bad", "level", "mastered", "reached")
    assert (held(after), after.level, after.mastered, after.reached) == ([50, 9], 3, False, False)
    # Without bad memories in the batch there would be nothing to learn from.
    off = exact_course(bad_memories={"enabled": False})
    assert held(examined(off, state_of("stops at 2", off))) == [9]


def test_a_refuting_task_deeper_than_all_levels_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Level 1 needs 6 ticks; goal 17 with its way back takes 20. There is a bound."""
    course = course_with(curriculum={"levels": 1})
    state = state_of("stops at 4", course)
    assert state.bad.tasks.ticks == 6
    after = examined(course, state)
    assert (held(after), after.bad.tasks.ticks) == ([17], 20)
    monkeypatch.setattr(certified, "REFUTING_TICKS", 20)
    assert held(examined(course, state)) == [17]
    monkeypatch.setattr(certified, "REFUTING_TICKS", 19)
    assert_same_but(state, examined(course, state))
    exact = exact_course(curriculum={"levels": 1})
    assert examined(exact, state_of("stops at 4", exact)).undecided


def test_without_bad_memories_nothing_is_remembered() -> None:
    course = course_with(bad_memories={"enabled": False})
    state = state_of("stops at 2", course)
    assert_same_but(state, examined(course, state))


def test_what_is_undecided_changes_nothing_but_makes_an_exact_run_learn() -> None:
    course = course_with(machine={"words": "real"})
    state = state_of("none", course)
    assert isinstance(prove(Model(state.parameters, course.config.machine, PLAN, {})), Undecided)
    assert_same_but(state, examined(course, state))
    exact = exact_course(machine={"words": "real"})
    state = replace(state_of("none", exact), level=4, mastered=True, reached=True)
    after = examined(exact, state)
    assert_same_but(state, after, "level", "mastered", "undecided")
    assert (after.level, after.mastered, after.undecided) == (3, False, True)


def test_search_is_certified_too() -> None:
    course = course_with(task="search", machine={"signals": 2})
    assert examined(course, state_of("none", course)).certified


def test_a_machine_that_is_right_is_certified_at_its_first_perfect_iteration() -> None:
    course = course_with()
    state = state_of("none", course)
    ((after, records),) = [*steps(course, state)]
    assert after.certified and not after.mastered
    assert after.streak == after.iteration == len(records) == 1
    assert [*steps(course, after)] == []
    plain = next(evolution(course, state))
    assert records == plain[1]
    assert_same_but(plain[0], after, "certified")


def test_a_proof_is_tried_once_when_a_streak_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    course = course_with()
    tried: list[int] = []

    def noted(model: Model) -> object:
        tried.append(len(records))
        return prove(model)

    monkeypatch.setattr(certified, "verdict_on", noted)
    records: list[Record] = []
    states: list[TrainState] = []
    for state, some in steps(course, state_of("last op wins", course)):
        records += some
        states.append(state)
    assert len(records) == course.config.budget
    assert len(tried) == len({*tried}) >= 2
    # A proof comes after the iteration that begins a streak, before its record was told.
    began = {record.iteration - 1 for record in records if record.streak == 1}
    assert {*tried} <= began
    # After a solved level the weights are those that were tried before.
    assert began - {*tried} <= {record.iteration for record in records if record.solved}
    assert any(record.streak == 0 for record in records)
    assert 4 in [goal for state in states for goal in held(state)]
    assert not states[-1].certified


def test_a_session_that_is_certified_has_succeeded() -> None:
    course = course_with()
    result = train(course.config, state=state_of("none", course))
    assert result.succeeded and not result.mastered
    assert result.state.certified
    assert result.model.record["certified"] is True
    assert result.model.record["iterations"] == 1
    assert isinstance(prove(result.model), Proof)
    spent = train(course_with(budget=2).config, state=state_of("never nop", course))
    assert not spent.succeeded
    assert spent.model.record["certified"] is False
