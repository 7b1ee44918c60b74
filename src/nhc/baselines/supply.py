"""Tasks of the curriculum with their configurations: what networks learn from, drawn for a whole round.

The same source of tasks as for learning by evolution, so seeds give the same levels.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.algorithms.supply import Position, take
from nhc.algorithms.tree.algorithm import SEARCH
from nhc.algorithms.tree.sampler import WorldSupply, grow_tree
from nhc.baselines.config import BaselineConfig
from nhc.domains.protocol import BRANCHING, Domain
from nhc.domains.registry import AnyState
from nhc.domains.states import joined, picked
from nhc.streams import random_stream


class Draws(NamedTuple):
    """What chance gives to the rounds of all runs; leading axes updates, runs, batch."""

    words: NDArray[np.uint8]
    """The packed configurations of the first nodes of tasks."""
    goal: NDArray[np.int32]
    """The goal's node."""
    repeats: NDArray[np.bool_]
    """Is a bad memory to take this place, if there is one?"""
    memory: NDArray[np.float32]
    """In [0, 1): which, as a share of what the ring holds."""


def nodes_at(level: int) -> int:
    """Nodes of the longest task up to `level`."""
    return BRANCHING * level + 1


def top_level(config: BaselineConfig, levels: NDArray[np.int64]) -> int:
    """The highest level that tasks come from: the one after the last draws from all."""
    return min(int(levels.max()), config.curriculum.levels)


class Supply:
    """The tasks of all runs. Holds nothing but its arguments and what its sources hold."""

    def __init__(self, config: BaselineConfig, domain: Domain[AnyState]) -> None:
        self._config, self._domain = config, domain
        self._sources = [WorldSupply(domain, SEARCH, seed=seed) for seed in config.seeds]

    def draws(
        self, levels: NDArray[np.int64], positions: NDArray[np.int64], index: int
    ) -> tuple[Draws, NDArray[np.int64]]:
        """What round `index` gets if run r is at `levels[r]`, and the positions after it.

        `positions[r, L-1]` is refill and offset of level L. Raises InputError (`task.level`).
        """
        config, nodes = self._config, nodes_at(top_level(self._config, levels))
        after, columns = positions.copy(), []
        for run in range(config.runs):
            rng = random_stream(config.seed + run, "baselines", index)
            shape = (config.round, config.batch)
            repeats = rng.random(shape) < config.bad_memories.share
            memory = rng.random(shape, np.float32)
            origin = self._origins(int(levels[run]), rng, config.round * config.batch)
            words, goal, after[run] = self._drawn(run, origin, positions[run], nodes)
            columns.append((words.reshape(*shape, *words.shape[1:]), goal.reshape(shape), repeats, memory))
        return Draws(*(np.stack(column, axis=1) for column in zip(*columns, strict=True))), after

    def _origins(self, level: int, rng: np.random.Generator, count: int) -> NDArray[np.int64]:
        """The level of each fresh task: some from earlier levels, and from all once every level is solved."""
        last, share = self._config.curriculum.levels, self._config.curriculum.earlier_share
        earlier = rng.random(count) < share
        if level > last:
            return rng.integers(1, last + 1, size=count)
        return np.where(earlier & (level > 1), rng.integers(1, max(level, 2), size=count), level)

    def _drawn(
        self, run: int, levels: NDArray[np.int64], positions: NDArray[np.int64], nodes: int
    ) -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.int64]]:
        """Words and goals of tasks of these levels, and the positions of a run after them."""
        bytes_ = (self._domain.word_bits + 7) // 8
        words = np.zeros((len(levels), nodes, bytes_), np.uint8)
        goal, after = np.zeros(len(levels), np.int32), positions.copy()
        for level in np.unique(levels).tolist():
            rows = np.flatnonzero(levels == level)
            refill, offset = positions[level - 1].tolist()
            start, goals, end = taken(self._sources[run], level, len(rows), Position(refill, offset))
            width = nodes_at(level)
            tree = grow_tree(self._domain, start, width)
            words[rows, :width] = np.packbits(self._domain.encode(tree), axis=-1)
            goal[rows], after[level - 1] = goals, end
        return words, goal, after


def taken(
    source: WorldSupply[AnyState], level: int, count: int, position: Position
) -> tuple[AnyState, NDArray[np.int32], Position]:
    """Start states and goal nodes of the tasks that `take` gives, and the position after them.

    Raises InputError (`task.level`) as it does.
    """
    tasks, after = take(source, level, count, position)
    # A refill of which nothing was taken is not drawn for this.
    refills = range(position.refill, after.refill + (after.offset > 0))
    starts = joined([source.sample(level, index).start_state for index in refills])
    goals = np.asarray(tasks.main, np.int32)
    return picked(starts, slice(position.offset, position.offset + count)), goals, after
