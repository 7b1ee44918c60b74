"""What a run is taught: the tasks of each iteration, and how they are evaluated.

*Sampled* (the paper, section "Learning to Search"): 25 % of a batch from the bad memories, 20 % from earlier
levels, and an additional last level that draws from all. *Exact*: all tasks of the levels so far, each once,
with what refuted the machine before. Our reading of the shares, and why exact levels: docs/decisions.md.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

import jax
import numpy as np
from jaxtyping import Array, Float, Key
from numpy.typing import NDArray

from nhc.algorithms.judge import Judge, Points, SharingJudge
from nhc.algorithms.registry import AnyAlgorithm
from nhc.algorithms.supply import Position, Supply, take
from nhc.algorithms.traces import Traces, concatenate, on_device, shared, stacked
from nhc.errors import ConfigError
from nhc.evolve import native
from nhc.evolve.bad_memories import BadMemories
from nhc.evolve.config import TrainConfig
from nhc.evolve.evaluate import (
    SHARED_SIZES,
    Scores,
    capacity_for,
    evaluate,
    evaluate_shared,
    padded_tasks,
    prepared,
    size_for,
)
from nhc.evolve.nes import noise_of
from nhc.machine.parameters import Parameters
from nhc.streams import random_stream

INIT_STREAM, NOISE_STREAM = 2, 3
"""Numbers of the two streams of weights. What seeds give depends on them, so they stay."""


@lru_cache(maxsize=16)
def stream(config: TrainConfig, name: int) -> Key[Array, ""]:
    """The key of one of the run's random streams."""
    return jax.random.fold_in(jax.random.key(config.seed), name)


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


class Batch(NamedTuple):
    """The tasks of an iteration, the points of perfect episodes, and how members are run on them."""

    tasks: Traces
    most: Points
    run: Callable[[Parameters], Scores]

    def failures(self, scores: Scores) -> NDArray[np.bool_]:
        """Which tasks each member did not solve perfectly, members x tasks."""
        return (scores.main < self.most.main) | (scores.bonus < self.most.bonus)


@dataclass(frozen=True)
class Course:
    """A configuration with its algorithm: all that training knows of what is to be learned."""

    config: TrainConfig
    algorithm: AnyAlgorithm
    _listed: dict[int, Traces] = field(default_factory=dict, compare=False, repr=False)
    _exact: dict[int, tuple[BadMemories, Batch]] = field(default_factory=dict, compare=False, repr=False)
    _drawn: dict[int, Array] = field(default_factory=dict, compare=False, repr=False)

    @property
    def exact(self) -> bool:
        """Is a batch every task of the levels so far?"""
        return self.config.sampling == "exact"

    @cached_property
    def judge(self) -> Judge:
        """The fitness."""
        return self.algorithm.judge(self.config.fitness)

    @cached_property
    def supply(self) -> Supply:
        """Where sampled tasks come from."""
        return self.algorithm.supply(self.config.domain, self.config.seed)

    def noise(self, iteration: int) -> Float[Array, "members weights"]:
        """ε of all offspring of an iteration. Other threads draw that of the next one meanwhile."""
        config = self.config
        draw = partial(
            noise_of,
            stream(config, NOISE_STREAM),
            config=config.machine,
            population=config.es.population,
        )
        noise = self._drawn.pop(iteration, None)
        if noise is None:
            noise = draw(np.int32(iteration))
        self._drawn.clear()
        self._drawn[iteration + 1] = draw(np.int32(iteration + 1))
        return noise

    def ticks_at(self, level: int) -> int:
        """Most ticks of an episode while the run is at `level`, as far as it is known before."""
        return self.algorithm.longest(min(level, self.config.curriculum.levels)) or 1

    def sampled(
        self, iteration: int, level: int, bad: BadMemories, positions: tuple[Position, ...]
    ) -> tuple[Traces, tuple[Position, ...]]:
        """The sampled tasks of `iteration`, and the supply's positions after it (entry L-1 for level L)."""
        origins = draw_origins(self.config, iteration, level, bad.held)
        parts: list[tuple[NDArray[np.intp], Traces]] = []
        after = list(positions)
        repeated = np.flatnonzero(origins.memory >= 0)
        if len(repeated):
            parts.append((repeated, bad.recalled(origins.memory[repeated])))
        for number in np.unique(origins.level[origins.memory < 0]).tolist():
            rows = np.flatnonzero((origins.level == number) & (origins.memory < 0))
            tasks, after[number - 1] = take(self.supply, number, len(rows), positions[number - 1])
            parts.append((rows, tasks))
        order = np.argsort(np.concatenate([rows for rows, _ in parts]))
        tasks = concatenate([tasks for _, tasks in parts]).rows(order)
        longest = max(self.ticks_at(level), tasks.longest)
        return tasks.padded(capacity_for(longest, self.config.machine.attention)), tuple(after)

    def listed(self, level: int) -> Traces:
        """The tasks of one level, each once. Raises ConfigError (`algorithm.tasks`) if there are none."""
        if level not in self._listed:
            instances = self.algorithm.tasks(level)
            if not instances:
                raise ConfigError("algorithm.tasks", f"{self.algorithm.name} lists no tasks of level {level}")
            self._listed[level] = stacked(self.algorithm, instances)
        return self._listed[level]

    def upto(self, level: int, bad: BadMemories) -> Batch:
        """The exact batch at `level`: all tasks up to it, then the remembered ones."""
        known, batch = self._exact.get(level, (None, None))
        if batch is None or known is not bad:
            parts = [self.listed(number) for number in range(1, level + 1)]
            if bad.held:
                parts.append(bad.recalled(np.arange(bad.held)))
            tasks = concatenate(parts)
            batch = self.batch(tasks.padded(tasks.longest))
            self._exact[level] = bad, batch
        return batch

    def batch(self, tasks: Traces) -> Batch:
        """Tasks that are ready to be run; exact ones share what they have in common."""
        machine, judge = self.config.machine, self.judge
        most = judge.most(tasks)
        if not self.exact:
            return Batch(tasks, most, partial(evaluate, tasks=tasks, config=machine, judge=judge))
        if native.fits(machine, judge, tasks):
            return Batch(tasks, most, native.evaluator(tasks, machine))
        if isinstance(judge, SharingJudge) and machine.attention == "hard":
            ready = prepared(shared(tasks))
            return Batch(tasks, most, partial(evaluate_shared, batch=ready, config=machine, judge=judge))
        wide = tasks.padded(size_for(tasks.longest, SHARED_SIZES))
        filled = on_device(padded_tasks(wide, size_for(tasks.size, SHARED_SIZES)))

        def run(members: Parameters) -> Scores:
            scores = evaluate(members, filled, config=machine, judge=judge)
            return Scores(*(column[:, : tasks.size] for column in scores))

        return Batch(tasks, most, run)
