"""Exact training: all tasks of the levels so far, levels climbed at once, a proof at the end.

Runs that start from the breadth-first machine or a fault of it say what an iteration must do; short runs show
that it learns.
"""

from collections.abc import Iterator
from dataclasses import replace

import jax
import numpy as np
import pytest

from nhc.algorithms.traces import stacked
from nhc.certify.prove import Proof, prove
from nhc.evolve import loop
from nhc.evolve.course import Course
from nhc.evolve.evaluate import Scores
from nhc.evolve.state import Record, TrainState, initial_train_state, refused
from nhc.machine.parameters import Parameters
from nhc.training.config import run_config
from nhc.training.session import course_of, steps, train
from tests.computer.machines import ALGORITHMS, TREES
from tests.oracles.machine import random_weights
from tests.oracles.teacher import damaged, search_weights


def exact(task: str = "plan", **values: object) -> Course:
    """Few levels and a small population."""
    levels = {"levels": values.pop("levels", 3)}
    usual = {"curriculum": levels, "es": {"population": 4}, "seed": 5}
    return course_of(run_config(task, overrides={**usual, **values}))


def begun(course: Course, fault: str = "none", **fields: object) -> TrainState:
    weights = damaged(fault) if course.algorithm.name == "plan" else search_weights(damaged(fault))
    parameters = Parameters.from_blocks(weights, course.config.machine)
    return replace(initial_train_state(course), parameters=parameters, **fields)


def held(state: TrainState) -> list[int]:
    """The goals of the bad memories."""
    return state.bad.recalled(np.arange(state.bad.held)).main.tolist()


def same_weights(one: TrainState, other: TrainState) -> bool:
    pairs = zip(jax.tree.leaves(one.parameters), jax.tree.leaves(other.parameters), strict=True)
    return all(np.array_equal(a, b) for a, b in pairs)


@pytest.mark.parametrize(("task", "seed"), [("search", 2), ("plan", 1)])
def test_a_short_run_masters_its_levels_and_ends_with_a_proof(task: str, seed: int) -> None:
    """Search from random weights; Plan, which takes longer, from a right machine with much noise."""
    config = run_config(task, overrides={"curriculum": {"levels": 2}, "budget": 600, "seed": seed})
    assert (config.sampling, config.until, config.domain) == ("exact", "certified", "")
    first = initial_train_state(course_of(config))
    if task == "plan":
        noise = random_weights(np.random.default_rng(4), 3, 0.3)
        blurred = {name: array + noise[name] for name, array in damaged("none").items()}
        first = replace(first, parameters=Parameters.from_blocks(blurred, config.machine))
    result = train(config, state=first)
    assert result.state.mastered and result.state.certified and result.succeeded
    assert isinstance(prove(result.model), Proof)
    assert {record.level for record in result.history if record.solved} == {1, 2}
    assert result.state.learning_iterations > 10
    assert result.model.record["level"] == 2


def one_by_one(course: Course, state: TrainState) -> list[Record]:
    """The records of perfect iterations, each on the batch of its own level."""
    records = []
    while True:
        batch = course.upto(state.level, state.bad)
        scores = batch.run(loop.population(course, state)[0])
        if batch.failures(scores)[0].any():
            return records
        state = replace(state, iteration=state.iteration + 1)
        state, record = loop.after_perfect(course, state)
        records.append(record)
        if state.mastered or state.iteration == course.config.budget:
            return records


@pytest.mark.parametrize("task", ALGORITHMS)
@pytest.mark.parametrize(
    ("fault", "first", "budget", "memories", "last"),
    [
        ("none", 1, 100, (), 7),
        ("none", 5, 100, (24,), 7),
        ("none", 2, 4, (), 5),
        ("stops at 2", 1, 100, (), 2),
        ("stops at 2", 2, 100, (), 2),
        ("never nop", 1, 100, (), 0),
    ],
)
def test_all_levels_that_are_solved_are_climbed_at_once(
    task: str, fault: str, first: int, budget: int, memories: tuple[int, ...], last: int
) -> None:
    """One record a level, as if they had been tried one by one."""
    course = exact(task, levels=7, budget=budget)
    state = begun(course, fault, level=first)
    if memories:
        state = replace(state, bad=state.bad.remember(stacked(TREES[task], [*memories])))
    after, records = loop.advance(course, state)
    expected = one_by_one(course, state)
    if not last:
        assert expected == [] and [record.learned for record in records] == [True]
        return
    assert records == expected
    assert [record.level for record in records] == [*range(first, last + 1)]
    assert all(record.solved and not record.learned for record in records)
    assert (after.level, after.iteration) == (last + 1, len(records))
    assert after.mastered == (last == 7)
    assert same_weights(after, state) and held(after) == [*memories]
    assert after.ticks > 0


def test_a_counterexample_among_the_memories_is_part_of_every_level() -> None:
    """A machine that is right up to Level 2 and wrong at 9 does not solve Level 1 once 9 is remembered."""
    course = exact(levels=2)
    state = begun(course, "stops at 2")
    assert [record.level for record in loop.advance(course, state)[1]] == [1, 2]
    refuted = replace(state, bad=state.bad.remember(stacked(TREES["plan"], [9])))
    after, (record,) = loop.advance(course, refuted)
    assert record.learned and not record.solved and record.level == 1
    assert after.bad.held == 1 and not same_weights(after, refuted)


def test_what_refutes_a_machine_that_solves_all_levels_enters_the_batch() -> None:
    """Levels 1 and 2 end with goal 8; the first wrong goal is 9. The run goes on at the last level."""
    course = exact(levels=2, budget=40)
    found = []
    for state, records in steps(course, begun(course, "stops at 2")):
        found.append((state, records))
        if len(found) == 3:
            break
    state, records = found[0]
    assert [record.solved for record in records] == [True, True]
    assert held(state) == [9]
    assert (state.level, state.mastered, state.certified, state.undecided) == (2, False, False, False)
    goals = course.upto(state.level, state.bad).tasks.main.tolist()
    assert goals == [*range(1, 9), 9]
    for _, later in found[1:]:
        assert [record.learned for record in later] == [True]


def test_a_right_machine_is_proved_in_its_first_step() -> None:
    course = exact()
    (state, records), *more = steps(course, begun(course))
    assert not more
    assert state.certified and state.mastered
    assert [record.level for record in records] == [1, 2, 3]


@pytest.fixture
def nothing_proves(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever the machine, the prover does not decide."""
    from nhc.certify.prove import Undecided

    monkeypatch.setattr("nhc.training.certified.verdict_on", lambda model: Undecided("for the test"))
    yield


def test_an_undecided_machine_learns_although_it_is_perfect(nothing_proves: None) -> None:
    """Else it would be evaluated for ever. After the step it may be proved again."""
    course = exact(budget=9)
    first = begun(course)
    states, told = [first], []
    for state, records in steps(course, first):
        states.append(state)
        told.append(records)
    one, two = states[1], states[2]
    assert [record.solved for record in told[0]] == [True] * 3
    assert one.undecided and not one.mastered and one.level == 3 and same_weights(first, one)
    (record,) = told[1]
    assert record.learned and record.fitness == 150.0
    assert not two.undecided and not same_weights(one, two)
    assert two.learning_iterations == 1
    assert states[-1].iteration == 9 and sum(len(records) for records in told) == 9


@pytest.mark.parametrize("budget", [7, 3])
def test_a_machine_that_is_refused_a_proof_gives_way_to_a_new_one(
    monkeypatch: pytest.MonkeyPatch, budget: int
) -> None:
    """It is the result if there is none better when the budget is spent, also if that is at once."""
    from nhc.certify.prove import Undecided

    refusal = Undecided("for the test", close=False)
    monkeypatch.setattr("nhc.training.certified.verdict_on", lambda model: refusal)
    course = exact(budget=budget)
    first = begun(course)
    (one, told), *others = steps(course, first)
    assert [record.solved for record in told] == [True] * 3
    if budget == 3:
        assert others == [] and one.mastered and same_weights(first, one)
        return
    assert one.refused and not one.mastered
    (two, (record,)), *rest, (last, _) = others
    assert record.restarted and (two.level, two.restarts, two.refused) == (1, 1, False)
    assert not same_weights(first, two)
    assert all(not state.mastered and state.has_unproved for state, _ in rest)
    assert (last.iteration, last.level, last.mastered, last.certified) == (7, 4, True, False)
    assert same_weights(first, last)


def test_of_machines_that_were_refused_the_first_is_kept() -> None:
    course = exact()
    first, later = begun(course, level=4, mastered=True), begun(course, "stops at 2", level=4, mastered=True)
    one = refused(course, first)
    two = refused(course, replace(later, unproved=one.unproved, has_unproved=True))
    assert same_weights(replace(first, parameters=two.unproved), first)
    assert (two.level, two.mastered, two.refused) == (3, False, True)


def test_ticks_of_offspring_count_where_they_are_looked_at() -> None:
    """A perfect iteration counts those of θ alone, also where offspring were run beside it."""
    course = exact()
    right, wrong = begun(course), begun(course, "never nop")
    batch = course.upto(3, right.bad)
    everyone, _ = loop.population(course, right)
    every: Scores = batch.run(everyone)
    own = course.upto(1, right.bad).run(everyone)
    assert loop.advance(course, right)[0].ticks == int(own.ticks[0].sum() + every.ticks[0].sum())
    members, _ = loop.population(course, wrong)
    every = course.upto(1, wrong.bad).run(members)
    assert loop.advance(course, wrong)[0].ticks == int(every.ticks.sum())
