"""The learning loop: from one state of a run to the next, many perfect iterations at a time where possible.

The paper, section "Learning to Search". Each iteration draws a batch and evaluates θ. At maximum fitness
nothing is learned; else θ's failures become bad memories, the offspring are evaluated and θ is updated.
"""

from collections.abc import Iterator
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from nhc.domains.protocol import StateT
from nhc.evolve import nes
from nhc.evolve.bookkeeping import after_perfect, must_restart, record_of, restarted
from nhc.evolve.config import TrainConfig
from nhc.evolve.curriculum import draw_batch, draw_origins, ticks_at
from nhc.evolve.evaluate import Scores, capacity_for, evaluate, failures
from nhc.evolve.fitness import FITNESSES, Judge
from nhc.evolve.novelty import Novelty, behaviours_of, novelties
from nhc.evolve.shaping import batch_fitness, gini_utilities, ranked_utilities
from nhc.evolve.state import NOISE_STREAM, Record, TrainState, stream
from nhc.machine.parameters import Parameters
from nhc.tasks.batch import Tasks, concatenate
from nhc.tasks.source import Position, TaskSource

LOOKAHEAD = 12
"""Iterations that are evaluated in one call while nothing is learned."""


def evolution(
    config: TrainConfig, state: TrainState, source: TaskSource[StateT]
) -> Iterator[tuple[TrainState, list[Record]]]:
    """The run from `state` on: after each step its state and the iterations it covered.

    The sequence of states is a function of the arguments alone, so continuing from any of them gives the
    same run, bit for bit on one machine.
    """
    while not ended(config, state):
        state, records = advance(config, state, source)
        yield state, records


def ended(config: TrainConfig, state: TrainState) -> bool:
    """Is there nothing left to learn, or no budget?"""
    return state.mastered or state.certified or state.iteration >= config.budget


def advance(
    config: TrainConfig, state: TrainState, source: TaskSource[StateT]
) -> tuple[TrainState, list[Record]]:
    """The next few iterations: one by itself where it will hardly be perfect, many where they may be."""
    judge = FITNESSES[config.fitness](config.algorithm)
    if state.doubtful:
        state, record = single_step(config, state, source, judge)
        return state, [record]
    return perfect_steps(config, state, source, judge)


def single_step(
    config: TrainConfig, state: TrainState, source: TaskSource[StateT], judge: Judge
) -> tuple[TrainState, Record]:
    """One iteration. θ is evaluated beside its offspring, which are ignored if θ turns out perfect."""
    tasks, positions = next_batch(config, state, source)
    key, number = stream(config, NOISE_STREAM), jnp.int32(state.iteration)
    members, noise = nes.offspring(state.parameters, key, number, config=config.machine, es=config.es)
    scores = evaluate(members, tasks, config=config.machine, judge=judge)
    most = judge.most(tasks)
    failed = failures(scores.points, most)[0]

    state = replace(state, iteration=state.iteration + 1, positions=positions)
    if not failed.any():
        return after_perfect(config, counted(state, scores, members=1))
    state = counted(state, scores, members=config.es.population + 1)
    fitness = finite_fitness(batch_fitness(scores.points, most, config.algorithm.bonus), members)
    if config.bad_memories.enabled:
        state = replace(state, bad=state.bad.remember(tasks.rows(np.flatnonzero(failed))))
    state = replace(state, streak=0, doubtful=True)
    if must_restart(config, state):
        return restarted(config, state, fitness[0])
    return learned(config, state, members, noise, fitness)


def perfect_steps(
    config: TrainConfig, state: TrainState, source: TaskSource[StateT], judge: Judge
) -> tuple[TrainState, list[Record]]:
    """Up to `LOOKAHEAD` iterations in one call: exact, since θ stays the same until one is not perfect.

    The look ahead ends where the streak clears the bad memories or solves the level. The first iteration
    that is not perfect is left to `single_step`.
    """
    boundaries = (config.bad_memories.cleared_after, config.curriculum.solved_after)
    until = [boundary - state.streak for boundary in boundaries if boundary > state.streak]
    ahead = min(LOOKAHEAD, config.budget - state.iteration, *until)
    batches, positions = next_batches(config, state, source, ahead)

    # One shape for every look ahead: what is missing repeats a batch, and is not looked at.
    tasks = concatenate(batches + [batches[0]] * (LOOKAHEAD - ahead))
    theta = jax.tree.map(lambda leaf: leaf[None], state.parameters)
    scores = evaluate(theta, tasks, config=config.machine, judge=judge)
    failed = failures(scores.points, judge.most(tasks))[0].reshape(LOOKAHEAD, config.batch)
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
        state, record = after_perfect(config, state)
        records.append(record)
    return state, records


def next_batch(
    config: TrainConfig, state: TrainState, source: TaskSource[StateT]
) -> tuple[Tasks, tuple[Position, ...]]:
    """The batch of the iteration after `state`, with content as wide as its longest task needs."""
    origins = draw_origins(config, state.iteration, state.level, state.bad.held)
    tasks, positions = draw_batch(source, state.positions, state.bad, origins)
    longest = max(ticks_at(state.level, config), int((tasks.goal + tasks.end).max()))
    return tasks.padded(capacity_for(longest, config.machine.attention)), positions


def next_batches(
    config: TrainConfig, state: TrainState, source: TaskSource[StateT], count: int
) -> tuple[list[Tasks], list[tuple[Position, ...]]]:
    """The batches of the next `count` iterations if all are perfect, and the positions after each."""
    batches: list[Tasks] = []
    positions: list[tuple[Position, ...]] = []
    for _ in range(count):
        tasks, after = next_batch(config, state, source)
        batches.append(tasks)
        positions.append(after)
        state = replace(state, iteration=state.iteration + 1, positions=after)
    return batches, positions


def finite_fitness(fitness: NDArray[np.float64], members: Parameters) -> NDArray[np.float64]:
    """NaN for members whose weights are not finite: their episodes mean nothing."""
    leaves = [np.asarray(leaf).reshape(len(leaf), -1) for leaf in jax.tree.leaves(members)]
    return np.where(np.isfinite(np.concatenate(leaves, axis=1)).all(axis=1), fitness, np.nan)


def counted(state: TrainState, scores: Scores, members: int) -> TrainState:
    """The state with the ticks of the first `members` added."""
    return replace(state, ticks=state.ticks + int(scores.ticks[:members].sum()))


def learned(
    config: TrainConfig,
    state: TrainState,
    members: Parameters,
    noise: Parameters,
    fitness: NDArray[np.float64],
) -> tuple[TrainState, Record]:
    """One update of θ from the ranks of its offspring; `members` and `fitness` begin with θ's own."""
    es = config.es
    by_rank = gini_utilities(es.population, es.gini, es.utility_scale)
    utilities = ranked_utilities(fitness[1:], by_rank)
    if state.novelty is not None:
        novelty, novel = explored(config, state.novelty, state.level, members, fitness)
        state = replace(state, novelty=novelty)
        utilities = novelty.weight * utilities + (1 - novelty.weight) * ranked_utilities(novel, by_rank)
    parameters = nes.update(state.parameters, noise, jnp.asarray(utilities, jnp.float32), es=es)
    state = replace(
        state,
        parameters=parameters,
        learning_iterations=state.learning_iterations + 1,
        nonfinite=state.nonfinite + int((~np.isfinite(fitness[1:])).sum()),
    )
    return state, record_of(state, fitness[0], learned=True)


def explored(
    config: TrainConfig, novelty: Novelty, level: int, members: Parameters, fitness: NDArray[np.float64]
) -> tuple[Novelty, NDArray[np.float64]]:
    """The archive with θ's behaviour, the weight adapted to θ's fitness, and the novelty of the offspring.

    Offspring whose fitness is not finite have no novelty either.
    """
    behaviours = behaviours_of(members, config.machine)
    novelty = novelty.remembered(behaviours[0])
    novelty = novelty.adapted(config.novelty, level, float(fitness[0]))
    novel = novelties(behaviours[1:], novelty, config.novelty.neighbours)
    return novelty, np.where(np.isfinite(fitness[1:]), novel, np.nan)
