"""The state of a training run between two iterations, and what one iteration reports."""

from dataclasses import dataclass
from typing import NamedTuple

import jax
from jaxtyping import Array, Key

from nhc.evolve.bad_memories import BadMemories, no_bad_memories
from nhc.evolve.config import TrainConfig
from nhc.evolve.curriculum import ticks_at
from nhc.evolve.evaluate import capacity_for
from nhc.evolve.novelty import Novelty, no_novelty
from nhc.machine.parameters import Parameters, initial_parameters
from nhc.tasks.source import START, Position

INIT_STREAM, NOISE_STREAM = 2, 3
REFUTING_TICKS = 1_000
"""Longer tasks that refute a machine are not remembered: they would slow every batch down."""


@dataclass(frozen=True)
class TrainState:
    """Everything that the next iteration depends on; the random streams are functions of its counters."""

    parameters: Parameters
    bad: BadMemories
    positions: tuple[Position, ...]
    """Per level, how far its supply of tasks was used."""
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


def stream(config: TrainConfig, name: int) -> Key[Array, ""]:
    """The key of one of the run's random streams."""
    return jax.random.fold_in(jax.random.key(config.seed), name)


def lineage_parameters(config: TrainConfig, lineage: int) -> Parameters:
    """The first weights of lineage 0, 1, ...: a restart begins the next."""
    key = jax.random.fold_in(stream(config, INIT_STREAM), lineage)
    return initial_parameters(config.machine, key=key, scale=config.es.initial_scale)


def initial_train_state(config: TrainConfig) -> TrainState:
    """The run before its first iteration."""
    return TrainState(
        lineage_parameters(config, 0),
        no_bad_memories(config.bad_memories.capacity, remembered_nodes(config)),
        (START,) * config.curriculum.levels,
        novelty=no_novelty(config.novelty) if config.novelty.enabled else None,
    )


def remembered_nodes(config: TrainConfig) -> int:
    """Most nodes of a bad memory: those of the longest level, or of what a prover may find beyond it."""
    longest = ticks_at(config.curriculum.levels, config)
    return capacity_for(max(longest, REFUTING_TICKS) if config.until == "certified" else longest)
