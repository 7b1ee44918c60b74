"""The learning loop: from one state of a run to the next, many perfect iterations at a time where possible.

The paper, section "Learning to Search". Each iteration evaluates θ on a batch. At maximum fitness nothing is
learned; else θ's failures become bad memories, the offspring are evaluated and θ is updated.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import jax
import numpy as np
from numpy.typing import NDArray

from nhc.algorithms.supply import Position
from nhc.algorithms.traces import Traces, concatenate
from nhc.evolve import nes
from nhc.evolve.course import Batch, Course
from nhc.evolve.evaluate import Scores
from nhc.evolve.novelty import Novelty, behaviours_of, novelties
from nhc.evolve.shaping import batch_fitness, gini_utilities, ranked_utilities
from nhc.evolve.state import (
    Record,
    TrainState,
    after_perfect,
    at_the_end,
    must_restart,
    record_of,
    restarted,
)
from nhc.machine.parameters import Parameters

LOOKAHEAD = 12
"""Iterations that are evaluated in one call while nothing is learned."""

Step = tuple[TrainState, list[Record]]
"""A state, and the iterations that led to it."""


def evolution(
    course: Course, state: TrainState, examine: Callable[[TrainState], TrainState] = lambda state: state
) -> Iterator[Step]:
    """The run from `state` on: after each step its state and the iterations it covered.

    `examine` may judge the weights of a state whose batch was perfect. The sequence of states is a function
    of the arguments alone, so continuing from any of them gives the same run, bit for bit on one machine.
    """
    while not ended(course, state):
        state, records = advance(course, state)
        first_perfect = bool(records) and state.streak == 1
        if state.mastered or (first_perfect and not course.exact):
            state = examine(state)
        if state.iteration >= course.config.budget:
            state = at_the_end(course, state)
        yield state, records


def ended(course: Course, state: TrainState) -> bool:
    """Is there nothing left to learn, or no budget?"""
    return state.mastered or state.certified or state.iteration >= course.config.budget


def advance(course: Course, state: TrainState) -> Step:
    """The next few iterations: one by itself where it will hardly be perfect, many where they may be."""
    if course.exact:
        return exact_step(course, state)
    return single_step(course, state) if state.doubtful else perfect_steps(course, state)


def exact_step(course: Course, state: TrainState) -> Step:
    """One iteration on all tasks so far, and the levels that θ solves beside its own if it was perfect."""
    batch = course.upto(state.level, state.bad)
    members, noise = population(course, state)
    scores = batch.run(members)
    perfect = not batch.failures(scores)[0].any()
    state = replace(state, iteration=state.iteration + 1)
    if perfect and not (state.undecided or state.refused):
        return climbed(course, counted(state, scores, members=1), members)
    return improved(course, state, batch, members, noise, scores)


def climbed(course: Course, state: TrainState, members: Parameters) -> Step:
    """The perfect iteration of this level, and one for each following level that θ solves too."""
    level, config = state.level, course.config
    last = min(config.last_level, level + config.budget - state.iteration)
    state, record = after_perfect(course, state)
    records = [record]
    if level >= last:
        return state, records
    batch = course.upto(last, state.bad)
    scores = batch.run(members)
    right = ~batch.failures(scores)[0]
    ends = np.cumsum([course.listed(number).size for number in range(1, last + 1)])
    for number in range(level + 1, last + 1):
        if not right[: ends[number - 1]].all():
            return replace(state, doubtful=True), records
        state = replace(state, iteration=state.iteration + 1)
        if number == last:
            state = counted(state, scores, members=1)
        state, record = after_perfect(course, state)
        records.append(record)
    return state, records


def single_step(course: Course, state: TrainState) -> Step:
    """One sampled iteration. θ is evaluated beside its offspring, which are ignored if θ is perfect."""
    tasks, positions = course.sampled(state.iteration, state.level, state.bad, state.positions)
    batch = course.batch(tasks)
    members, noise = population(course, state)
    scores = batch.run(members)
    failed = batch.failures(scores)[0]
    state = replace(state, iteration=state.iteration + 1, positions=positions)
    if not failed.any():
        state, record = after_perfect(course, counted(state, scores, members=1))
        return state, [record]
    if course.config.bad_memories.enabled:
        state = replace(state, bad=state.bad.remember(tasks.rows(np.flatnonzero(failed))))
    return improved(course, state, batch, members, noise, scores)


def population(course: Course, state: TrainState) -> tuple[Parameters, Parameters]:
    """θ with its offspring, and the noise behind them."""
    config, noise = course.config, course.noise(state.iteration)
    return nes.offspring(state.parameters, noise, config=config.machine, es=config.es)


def improved(
    course: Course, state: TrainState, batch: Batch, members: Parameters, noise: Parameters, scores: Scores
) -> Step:
    """The state after an iteration that was not perfect: θ learns, or its lineage is given up."""
    config = course.config
    state = counted(state, scores, members=config.es.population + 1)
    fitness = batch_fitness(scores.points, batch.most, course.algorithm.bonus)
    fitness = finite_fitness(fitness, members)
    state = replace(state, streak=0, doubtful=True, undecided=False)
    if must_restart(config, state):
        state, record = restarted(config, state, fitness[0])
    else:
        state, record = learned(course, state, members, noise, fitness)
    return state, [record]


def perfect_steps(course: Course, state: TrainState) -> Step:
    """Up to `LOOKAHEAD` iterations in one call: exact, since θ stays the same until one is not perfect.

    The look ahead ends where the streak clears the bad memories or solves the level. The first iteration
    that is not perfect is left to `single_step`.
    """
    config = course.config
    boundaries = (config.bad_memories.cleared_after, config.curriculum.solved_after)
    until = [boundary - state.streak for boundary in boundaries if boundary > state.streak]
    ahead = min(LOOKAHEAD, config.budget - state.iteration, *until)
    batches, positions = next_batches(course, state, ahead)

    # One shape for every look ahead: what is missing repeats a batch, and is not looked at.
    batch = course.batch(concatenate(batches + [batches[0]] * (LOOKAHEAD - ahead)))
    scores = batch.run(jax.tree.map(lambda leaf: leaf[None], state.parameters))
    failed = batch.failures(scores)[0].reshape(LOOKAHEAD, config.batch)
    lived = scores.ticks[0].reshape(LOOKAHEAD, config.batch).sum(axis=1)

    records: list[Record] = []
    for step in range(ahead):
        if failed[step].any():
            return replace(state, doubtful=True), records
        state = replace(
            state,
            iteration=state.iteration + 1,
            positions=positions[step],
            ticks=state.ticks + int(lived[step]),
        )
        state, record = after_perfect(course, state)
        records.append(record)
    return state, records


def next_batches(
    course: Course, state: TrainState, count: int
) -> tuple[list[Traces], list[tuple[Position, ...]]]:
    """The batches of the next `count` iterations if all are perfect, and the positions after each."""
    batches: list[Traces] = []
    positions: list[tuple[Position, ...]] = []
    after = state.positions
    for number in range(state.iteration, state.iteration + count):
        tasks, after = course.sampled(number, state.level, state.bad, after)
        batches.append(tasks)
        positions.append(after)
    return batches, positions


def finite_fitness(fitness: NDArray[np.float64], members: Parameters) -> NDArray[np.float64]:
    """NaN for members whose weights are not finite: their episodes mean nothing."""
    leaves = [np.asarray(leaf).reshape(len(leaf), -1) for leaf in jax.tree.leaves(members)]
    return np.where(np.isfinite(np.concatenate(leaves, axis=1)).all(axis=1), fitness, np.nan)


def counted(state: TrainState, scores: Scores, members: int) -> TrainState:
    """The state with the ticks of the first `members` added."""
    return replace(state, ticks=state.ticks + int(scores.ticks[:members].sum()))


def learned(
    course: Course,
    state: TrainState,
    members: Parameters,
    noise: Parameters,
    fitness: NDArray[np.float64],
) -> tuple[TrainState, Record]:
    """One update of θ from the ranks of its offspring; `members` and `fitness` begin with θ's own."""
    es = course.config.es
    by_rank = gini_utilities(es.population, es.gini, es.utility_scale)
    utilities = ranked_utilities(fitness[1:], by_rank)
    if state.novelty is not None:
        novelty, novel = explored(course, state, members, fitness)
        state, weight = replace(state, novelty=novelty), novelty.weight
        utilities = weight * utilities + (1 - weight) * ranked_utilities(novel, by_rank)
    parameters = nes.update(state.parameters, noise, utilities.astype(np.float32), es=es)
    state = replace(
        state,
        parameters=parameters,
        learning_iterations=state.learning_iterations + 1,
        nonfinite=state.nonfinite + int((~np.isfinite(fitness[1:])).sum()),
    )
    return state, record_of(state, fitness[0], learned=True)


def explored(
    course: Course, state: TrainState, members: Parameters, fitness: NDArray[np.float64]
) -> tuple[Novelty, NDArray[np.float64]]:
    """The archive with θ's behaviour, the weight adapted to θ's fitness, and the novelty of the offspring.

    Offspring whose fitness is not finite have no novelty either.
    """
    config, novelty, probe = course.config, state.novelty, course.algorithm.probe()
    assert novelty is not None and probe is not None, "novelty is enabled, so there is a probe"
    behaviours = behaviours_of(members, config.machine, probe)
    novelty = novelty.remembered(behaviours[0])
    novelty = novelty.adapted(config.novelty, state.level, float(fitness[0]))
    novel = novelties(behaviours[1:], novelty, config.novelty.neighbours)
    return novelty, np.where(np.isfinite(fitness[1:]), novel, np.nan)
