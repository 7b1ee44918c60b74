"""Transfer: a frozen machine on the whole curriculum of another world, with that world's data modules.

The paper, sections R1 to R3 and Figure 4: 10,000 iterations of 20 samples over all levels, at maximum fitness
throughout, so that no learning is triggered. Nothing is learned here; mistakes are counted.
"""

import math
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.algorithms.judge import Points
from nhc.algorithms.tree.algorithm import TreeAlgorithm
from nhc.algorithms.tree.nodes import depths
from nhc.algorithms.tree.sampler import nearest_level
from nhc.computer.world import Computer
from nhc.domains.local import LocalWorld
from nhc.domains.registry import AnyDomain, AnyReadable
from nhc.domains.states import picked, plain
from nhc.evolve.config import TrainConfig
from nhc.evolve.course import draw_origins
from nhc.evolve.shaping import batch_fitness
from nhc.planning.evaluate import draw_level, graded_batches
from nhc.statistics import label_sampled
from nhc.streams import random_stream

MOST_ROWS = 16
"""Of a word in the figure, one below the other."""
SEARCH_POINTS, END_POINTS, SEARCH_MOST, END_MOST = range(4)


class Transfer(NamedTuple):
    """What came of it."""

    domain: str
    modules: str
    """Name of the data modules."""
    task: str
    level: NDArray[np.int64]
    """Per iteration the curriculum level; the last draws from all."""
    fitness: NDArray[np.float64]
    """Per iteration."""
    behind: dict[int, int]
    """Levels of which the domain has no task, with the level that takes the place."""
    samples: int
    mistakes: int
    """Samples with a wrong tick."""
    seconds: float

    def summary(self) -> dict[str, object]:
        """The figures, as plain values."""
        return {
            "world": self.domain,
            "task": self.task,
            "modules": self.modules,
            "samples": self.samples,
            "mistakes": self.mistakes,
            "lowest_fitness": float(self.fitness.min()),
            "empty_levels": {str(level): behind for level, behind in self.behind.items()},
            "seconds": round(self.seconds, 1),
            "samples_per_s": round(self.samples / self.seconds),
            "claim": label_sampled(self.mistakes, self.samples),
        }


class Part(NamedTuple):
    """What came of the samples of one level."""

    filled: int
    """The level that they were drawn from: the nearest lower one if there is no task of this one."""
    counts: NDArray[np.int32]
    """Points and most points of each sample, 4 x samples, see `SEARCH_POINTS` and the others."""
    mistakes: int
    """Samples with a wrong tick."""

    @property
    def samples(self) -> int:
        """Their number."""
        return self.counts.shape[1]


def transfer(
    computer: Computer,
    domain: AnyDomain,
    *,
    iterations: int,
    seed: int,
    on_progress: Callable[[int, int], None] = lambda samples, mistakes: None,
    kept: Mapping[int, Part] | None = None,
    on_part: Callable[[int, Part], None] = lambda number, part: None,
) -> Transfer:
    """Run the curriculum as if every batch were perfect: each level lasts as long as it takes to solve it.

    `on_progress` gets the samples done and the mistakes so far. Levels do not depend on each other: those in
    `kept` are not repeated, and `on_part` is told of each that was done. Raises InputError (`task.level`) if
    a level and the next lower ones are empty.
    """
    began = time.perf_counter()
    level, source = schedule(computer, iterations, seed)
    parts: dict[int, Part] = dict(kept or {})
    for number in np.unique(source).tolist():
        if number not in parts:
            done = sum(part.samples for part in parts.values())
            mistakes = sum(part.mistakes for part in parts.values())

            def note(samples: int, wrong: int, done: int = done, mistakes: int = mistakes) -> None:
                on_progress(done + samples, mistakes + wrong)

            parts[number] = transfer_level(computer, domain, source, number, seed, note)
            on_part(number, parts[number])
    counts = np.zeros((4, *source.shape), np.int32)
    for number, part in parts.items():
        counts[:, source == number] = part.counts
    fitness = np.array([_fitness(computer, counts[:, at]) for at in range(iterations)])
    seconds = time.perf_counter() - began
    return Transfer(
        domain=domain.name,
        modules=computer.modules.name,
        task=computer.algorithm.name,
        level=level,
        fitness=fitness,
        behind={number: part.filled for number, part in parts.items() if part.filled != number},
        samples=sum(part.samples for part in parts.values()),
        mistakes=sum(part.mistakes for part in parts.values()),
        seconds=seconds,
    )


def transfer_level(
    computer: Computer,
    domain: AnyDomain,
    source: NDArray[np.int64],
    number: int,
    seed: int,
    on_progress: Callable[[int, int], None],
) -> Part:
    """All samples of one level; `source` is the level of each sample, iterations x batch."""
    filled = nearest_level(domain, number)
    samples = int((source == number).sum())
    counts = np.zeros((4, samples), np.int32)
    done = mistakes = 0
    rng = random_stream(seed, "transfer", number)
    drawn = draw_level(domain, filled, count=samples, rng=rng)
    for rows, grades in graded_batches(computer, domain, drawn, filled):
        counts[:, rows] = (*grades.points, *most_points(computer.algorithm, drawn.node[rows]))
        done += len(rows)
        mistakes += int((~grades.right).sum())
        on_progress(done, mistakes)
    return Part(filled, counts, mistakes)


def schedule(computer: Computer, iterations: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The curriculum level of each iteration, and the level of each of its samples (iterations x batch)."""
    algorithm = computer.algorithm
    machine = {"signals": len(algorithm.signals)}
    config = TrainConfig.model_validate({"task": algorithm.name, "seed": seed, "machine": machine})
    level = 1 + np.arange(iterations) // config.curriculum.solved_after
    level = np.minimum(level, config.curriculum.levels + 1)
    rows = [draw_origins(config, at, int(one), remembered=0).level for at, one in enumerate(level)]
    return level, np.stack(rows)


def example_world(domain: AnyReadable, seed: int) -> tuple[str, NDArray[np.uint8]]:
    """A state for the figure: as text, and its word with a row for each cell, or for each row of a board."""
    state = domain.sample(random_stream(seed, "picture"), 1)
    word = domain.encode(state)[0]
    cells = domain.form.cells if isinstance(domain, LocalWorld) else 1
    rows = cells if cells <= MOST_ROWS else math.isqrt(cells)
    return domain.draw(plain(picked(state, 0))), word.reshape(rows, -1)


def most_points(algorithm: TreeAlgorithm, node: NDArray[np.int32]) -> Points:
    """The points of perfect runs to these goals."""
    per_tick = 3 if algorithm.backtracks else 1
    return Points(3 * node, per_tick * algorithm.end_ticks(depths(node)))


def _fitness(computer: Computer, counts: NDArray[np.int32]) -> float:
    """The fitness of one batch, counts x samples."""
    points = Points(counts[None, SEARCH_POINTS], counts[None, END_POINTS])
    most = Points(counts[SEARCH_MOST], counts[END_MOST])
    return float(batch_fitness(points, most, computer.algorithm.bonus)[0])
