"""The learning loop: from one state of a run to the next, many perfect iterations at a time where possible.

The paper, section "Learning to Search". Each iteration draws a batch and evaluates θ. At maximum fitness
nothing is learned; else θ's failures become bad memories, the offspring are evaluated and θ is updated.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from nhc.evolve import nes
from nhc.evolve.bad_memories import BadMemories
from nhc.evolve.config import TrainConfig
from nhc.evolve.curriculum import draw_batch, draw_origins, ticks_at
from nhc.evolve.evaluate import Scores, capacity_for, evaluate, failures
from nhc.evolve.fitness import FITNESSES, Judge
from nhc.evolve.fitness.judge import Points
from nhc.evolve.shaping import batch_fitness, gini_utilities, ranked_utilities
from nhc.evolve.state import NOISE_STREAM, Record, TrainState, lineage_parameters, stream
from nhc.machine.parameters import Parameters
from nhc.tasks.batch import Tasks, concatenate
from nhc.tasks.source import Position, TaskSource

LOOKAHEAD = 12
"""Iterations that are evaluated in one call while nothing is learned."""

Step = tuple[TrainState, list[Record]]


def evolution(config: TrainConfig, state: TrainState, source: TaskSource) -> Iterator[Step]:
    """The run from `state` on: after each step its state and the iterations it covered.

    The sequence of states is a function of the arguments alone, so continuing from any of them gives the
    same run, bit for bit on one machine.
    """
    judge = FITNESSES[config.fitness](config.algorithm)
    while not state.mastered and state.iteration < config.budget:
        if state.streak > 0 and not state.doubtful:
            state, records = perfect_steps(config, state, source, judge)
        else:
            state, record = single_step(config, state, source, judge)
            records = [record]
        yield state, records


def single_step(config: TrainConfig, state: TrainState, source: TaskSource, judge: Judge) -> tuple[TrainState, Record]:
    """One iteration. θ is evaluated beside its offspring, which are ignored if θ turns out perfect."""
    tasks, positions = next_batch(config, state, source)
    members, noise = nes.offspring(
        state.parameters,
        stream(config, NOISE_STREAM),
        jnp.int32(state.iteration),
        config=config.machine,
        es=config.es,
    )
    scores = scored(config, members, tasks, judge)
    fitness = finite_fitness(batch_fitness(points_of(scores), judge.most(tasks), judge.algorithm.bonus), members)
    failed = failures(scores, tasks, judge)[0]
    state = replace(state, iteration=state.iteration + 1, positions=positions, doubtful=False)
    if not failed.any():
        state = counted(state, scores, members=1)
        return after_perfect(config, state)

    state = counted(state, scores, members=config.es.population + 1)
    state = replace(state, streak=0, bad=remembered(config, state.bad, tasks.rows(np.flatnonzero(failed))))
    if must_restart(config, state):
        return restarted(config, state, fitness[0])
    return learned(config, state, noise, fitness)


def perfect_steps(
    config: TrainConfig, state: TrainState, source: TaskSource, judge: Judge
) -> tuple[TrainState, list[Record]]:
    """Up to `LOOKAHEAD` iterations in one call: exact, since θ stays the same until one is not perfect.

    The look ahead ends where the streak clears the bad memories or solves the level. The first iteration
    that is not perfect is left to `single_step`.
    """
    boundaries = (config.bad_memories.cleared_after, config.curriculum.solved_after)
    ahead = min(LOOKAHEAD, config.budget - state.iteration, *(b - state.streak for b in boundaries if b > state.streak))
    batches: list[Tasks] = []
    positions: list[tuple[Position, ...]] = []
    walker = state
    for _ in range(ahead):
        tasks, after = next_batch(config, walker, source)
        batches.append(tasks)
        positions.append(after)
        walker = replace(walker, iteration=walker.iteration + 1, positions=after)

    padding = [batches[0]] * (LOOKAHEAD - ahead)
    tasks = concatenate(batches + padding)
    theta = jax.tree.map(lambda leaf: leaf[None], state.parameters)
    scores = scored(config, theta, tasks, judge)
    perfect = ~failures(scores, tasks, judge)[0].reshape(LOOKAHEAD, config.batch).any(axis=1)[:ahead]
    good = ahead if perfect.all() else int(np.argmin(perfect))
    lived = np.asarray(scores.ticks)[0].reshape(LOOKAHEAD, config.batch).sum(axis=1)

    records: list[Record] = []
    for step in range(good):
        state = replace(
            state,
            iteration=state.iteration + 1,
            positions=positions[step],
            ticks=state.ticks + int(lived[step]),
        )
        state, record = after_perfect(config, state)
        records.append(record)
    return replace(state, doubtful=good < ahead), records


def next_batch(
    config: TrainConfig, state: TrainState, source: TaskSource
) -> tuple[Tasks, tuple[Position, ...]]:
    """The batch of the iteration after `state`, with content as wide as the level needs."""
    origins = draw_origins(config, state.iteration, state.level, state.bad.count)
    tasks, positions = draw_batch(source, state.positions, state.bad, origins)
    return tasks.padded(capacity_for(ticks_at(state.level, config))), positions


def scored(config: TrainConfig, members: Parameters, tasks: Tasks, judge: Judge) -> Scores:
    """Points of `members` on `tasks`, on the host."""
    scores = evaluate(members, tasks, config=config.machine, judge=judge)
    return Scores(*(np.asarray(column) for column in scores))


def points_of(scores: Scores) -> Points:
    """The points among the scores."""
    return Points(np.asarray(scores.search), np.asarray(scores.end))


def finite_fitness(fitness: np.ndarray, members: Parameters) -> np.ndarray:
    """NaN for members whose weights are not finite: their episodes mean nothing."""
    finite = np.all([np.isfinite(leaf).reshape(len(leaf), -1).all(axis=1) for leaf in jax.tree.leaves(members)], axis=0)
    return np.where(finite, fitness, np.nan)


def counted(state: TrainState, scores: Scores, members: int) -> TrainState:
    """The state with the ticks of the first `members` added."""
    return replace(state, ticks=state.ticks + int(np.asarray(scores.ticks)[:members].sum()))


def after_perfect(config: TrainConfig, state: TrainState) -> tuple[TrainState, Record]:
    """Bookkeeping of a perfect iteration: the streak grows, clears the bad memories, solves the level."""
    streak = state.streak + 1
    bad = state.bad.cleared() if streak == config.bad_memories.cleared_after else state.bad
    state = replace(state, streak=streak, reached=True, bad=bad)
    solved = streak >= config.curriculum.solved_after
    record = record_of(state, config.algorithm.maximum, solved=solved)
    if solved:
        state = replace(
            state,
            level=state.level + 1,
            level_began=state.iteration,
            streak=0,
            reached=False,
            mastered=state.level > config.curriculum.levels,
        )
    return state, record


def remembered(config: TrainConfig, bad: BadMemories, failed: Tasks) -> BadMemories:
    """The bad memories with the failures of a batch."""
    return bad.remember(failed) if config.bad_memories.enabled else bad


def must_restart(config: TrainConfig, state: TrainState) -> bool:
    """Has the lineage had its patience's worth of iterations on this level, in vain by the rule?"""
    exhausted = state.iteration - state.level_began > config.restart.patience
    in_vain = {"unreached": not state.reached, "unsolved": True, "never": False}
    return exhausted and in_vain[config.restart.rule]


def restarted(config: TrainConfig, state: TrainState, fitness: float) -> tuple[TrainState, Record]:
    """New weights at Level 1 with empty bad memories; this iteration does not learn."""
    lineage = state.restarts + 1
    record = record_of(replace(state, restarts=lineage), fitness, restarted=True)
    state = replace(
        state,
        parameters=lineage_parameters(config, lineage),
        bad=state.bad.cleared(),
        level=1,
        level_began=state.iteration,
        reached=False,
        restarts=lineage,
    )
    return state, record


def learned(
    config: TrainConfig, state: TrainState, noise: Parameters, fitness: np.ndarray
) -> tuple[TrainState, Record]:
    """One update of θ from the ranked fitness of its offspring; `fitness` begins with θ's own."""
    es = config.es
    utilities = ranked_utilities(fitness[1:], gini_utilities(es.population, es.gini, es.utility_scale))
    parameters = nes.update(state.parameters, noise, jnp.asarray(utilities, jnp.float32), es=es)
    state = replace(
        state,
        parameters=parameters,
        learning_iterations=state.learning_iterations + 1,
        nonfinite=state.nonfinite + int((~np.isfinite(fitness[1:])).sum()),
    )
    return state, record_of(state, fitness[0], learned=True)


def record_of(
    state: TrainState, fitness: float, *, learned: bool = False, restarted: bool = False, solved: bool = False
) -> Record:
    """The record of the iteration that led to `state`."""
    return Record(
        iteration=state.iteration,
        level=state.level,
        fitness=round(float(fitness), 6),
        learned=learned,
        restarted=restarted,
        learning_iterations=state.learning_iterations,
        restarts=state.restarts,
        streak=state.streak,
        solved=solved,
        nonfinite=state.nonfinite,
    )
