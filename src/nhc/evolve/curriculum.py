"""The curriculum: where each sample of a batch comes from.

The paper, section "Learning to Search": 25 % of a batch from the bad memories, 20 % from earlier levels,
and an additional last level that draws from all. Our reading of the shares: docs/decisions.md.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.domains.protocol import StateT
from nhc.evolve.bad_memories import BadMemories
from nhc.evolve.config import TrainConfig
from nhc.streams import random_stream
from nhc.tasks.batch import Tasks, tick_bound
from nhc.tasks.source import Position, TaskSource


class Origins(NamedTuple):
    """Per sample: the row of the bad memories it repeats, or -1 and the level it is drawn from."""

    memory: NDArray[np.int64]
    level: NDArray[np.int64]


def draw_origins(config: TrainConfig, iteration: int, level: int, remembered: int) -> Origins:
    """The origins of the batch of `iteration`; depends on nothing else."""
    rng = random_stream(config.seed, "batches", iteration)
    count, last = config.batch, config.curriculum.levels
    repeats = rng.random(count) < config.bad_memories.share
    memory = rng.integers(max(remembered, 1), size=count)
    earlier = rng.random(count) < config.curriculum.earlier_share
    if level > last:
        levels = rng.integers(1, last + 1, size=count)
    else:
        levels = np.where(earlier & (level > 1), rng.integers(1, max(level, 2), size=count), level)
    return Origins(np.where(repeats & (remembered > 0), memory, -1), levels)


def draw_batch(
    source: TaskSource[StateT], positions: tuple[Position, ...], bad: BadMemories, origins: Origins
) -> tuple[Tasks, tuple[Position, ...]]:
    """The tasks behind `origins`, and the supply's positions after them (entry L-1 for level L)."""
    tasks = bad.recalled(np.maximum(origins.memory, 0))
    after = list(positions)
    fresh = origins.memory < 0
    for level in np.unique(origins.level[fresh]).tolist():
        rows = np.flatnonzero((origins.level == level) & fresh)
        new, after[level - 1] = source.take(level, len(rows), positions[level - 1])
        tasks.content[rows, : new.content.shape[1]] = new.content
        tasks.goal[rows], tasks.end[rows] = new.goal, new.end
    return tasks, tuple(after)


def ticks_at(level: int, config: TrainConfig) -> int:
    """Most ticks of an episode while the run is at `level`."""
    return tick_bound(min(level, config.curriculum.levels), config.algorithm)
