"""The state of a training run between two iterations, what one reports, and what follows from both."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import jax

from nhc.algorithms.supply import START, Position
from nhc.evolve.bad_memories import BadMemories, empty_bad_memories
from nhc.evolve.config import TrainConfig
from nhc.evolve.course import INIT_STREAM, Course, stream
from nhc.evolve.novelty import Novelty, empty_novelty
from nhc.machine.parameters import Parameters, initial_parameters


@dataclass(frozen=True)
class TrainState:
    """Everything that the next iteration depends on; the random streams are functions of its counters."""

    parameters: Parameters
    bad: BadMemories
    positions: tuple[Position, ...]
    """Per level, how far its supply of tasks was used."""
    unproved: Parameters
    """The first weights that mastered all levels and were refused a proof; if there are any."""
    iteration: int = 0
    level: int = 1
    level_began: int = 0
    """The iteration after which the level began."""
    reached: bool = False
    """Was the level's maximum fitness reached once?"""
    streak: int = 0
    """Perfect iterations in a row."""
    doubtful: bool = True
    """Is the next iteration likely not perfect? Then it is evaluated by itself, offspring beside θ."""
    learning_iterations: int = 0
    restarts: int = 0
    nonfinite: int = 0
    """Offspring whose fitness was not finite."""
    ticks: int = 0
    """Ticks that all episodes lived, of θ and of offspring."""
    mastered: bool = False
    certified: bool = False
    """Did a proof end the run?"""
    undecided: bool = False
    """Was nothing wrong found, and no proof? Then an exact run learns although it is perfect."""
    refused: bool = False
    """Was nothing wrong found, and is there no proof, nor one near? Then the lineage is given up."""
    has_unproved: bool = False
    novelty: Novelty | None = None
    """Archive and weight of NSRA-ES, where it is enabled."""


class Record(NamedTuple):
    """One iteration, one line of metrics.jsonl; every field is a function of the configuration."""

    iteration: int
    level: int
    fitness: float
    learned: bool
    restarted: bool
    learning_iterations: int
    restarts: int
    streak: int
    solved: bool
    nonfinite: int


def lineage_parameters(config: TrainConfig, lineage: int) -> Parameters:
    """The first weights of lineage 0, 1, ...: a restart begins the next."""
    key = jax.random.fold_in(stream(config, INIT_STREAM), lineage)
    return initial_parameters(config.machine, key=key, scale=config.es.initial_scale)


def initial_train_state(course: Course) -> TrainState:
    """The run before its first iteration."""
    config = course.config
    ticks = course.ticks_at(config.curriculum.levels)
    probe = course.algorithm.probe() if config.novelty.enabled else None
    parameters = lineage_parameters(config, 0)
    return TrainState(
        parameters,
        empty_bad_memories(config.bad_memories.capacity, ticks, config.machine.signals),
        (START,) * config.curriculum.levels,
        unproved=parameters,
        novelty=None if probe is None else empty_novelty(config.novelty, probe),
    )


def after_perfect(course: Course, state: TrainState) -> tuple[TrainState, Record]:
    """A perfect iteration: the streak grows, at its marks clears the bad memories and solves the level.

    One perfect evaluation of all tasks solves an exact level.
    """
    config, streak = course.config, state.streak + 1
    cleared = streak == config.bad_memories.cleared_after and not course.exact
    bad = state.bad.cleared() if cleared else state.bad
    state = replace(state, streak=streak, reached=True, bad=bad, doubtful=False)
    solved = course.exact or streak >= config.curriculum.solved_after
    record = record_of(state, course.algorithm.maximum, solved=solved)
    if not solved:
        return state, record
    after = replace(
        state,
        level=state.level + 1,
        level_began=state.iteration,
        streak=0,
        reached=False,
        mastered=state.level >= config.last_level,
    )
    return after, record


def refused(course: Course, state: TrainState) -> TrainState:
    """The state of a lineage that is right and was not proved: another is begun, while there is budget."""
    unproved = state.unproved if state.has_unproved else state.parameters
    last = course.config.last_level
    return replace(
        state, mastered=False, level=last, refused=True, reached=True, unproved=unproved, has_unproved=True
    )


def at_the_end(course: Course, state: TrainState) -> TrainState:
    """The state whose budget is spent: with weights that were mastered, if none are proved."""
    if state.mastered or state.certified or not state.has_unproved:
        return state
    return replace(state, parameters=state.unproved, mastered=True, level=course.config.last_level + 1)


def must_restart(config: TrainConfig, state: TrainState) -> bool:
    """Was it refused a proof, or has it had its patience's worth of iterations on this level, in vain?"""
    exhausted = state.iteration - state.level_began > config.restart.patience
    in_vain = {"unreached": not state.reached, "unsolved": True, "never": False}
    return state.refused or (exhausted and in_vain[config.restart.rule])


def restarted(config: TrainConfig, state: TrainState, fitness: float) -> tuple[TrainState, Record]:
    """New weights at Level 1 with empty bad memories; this iteration does not learn."""
    lineage = state.restarts + 1
    record = record_of(replace(state, restarts=lineage), fitness, restarted=True)
    after = replace(
        state,
        parameters=lineage_parameters(config, lineage),
        bad=state.bad.cleared(),
        level=1,
        level_began=state.iteration,
        reached=False,
        refused=False,
        restarts=lineage,
        novelty=None if state.novelty is None else state.novelty.restarted(config.novelty),
    )
    return after, record


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
