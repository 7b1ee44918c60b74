"""Transfer: a frozen machine on the whole curriculum of another world, with that world's data modules.

The paper, sections R1 to R3 and Figure 4: 10,000 iterations of 20 samples over all levels, at maximum fitness
throughout, so that no learning is triggered. Nothing is learned here; mistakes are counted.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.computer.compose import Computer
from nhc.domains.registry import AnyDomain
from nhc.evolve.config import TrainConfig
from nhc.evolve.curriculum import draw_origins
from nhc.evolve.fitness.judge import Points
from nhc.evolve.fitness.steps import Steps
from nhc.evolve.shaping import batch_fitness
from nhc.planning.evaluate import draw_level, graded_batches
from nhc.streams import random_stream
from nhc.tasks.algorithm import Algorithm
from nhc.tasks.batch import Tasks
from nhc.tasks.sampler import nearest_level
from nhc.tasks.tree import depths

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


def transfer(
    computer: Computer,
    domain: AnyDomain,
    *,
    iterations: int,
    seed: int,
    on_progress: Callable[[int, int], None] = lambda samples, mistakes: None,
) -> Transfer:
    """Run the curriculum as if every batch were perfect: each level lasts as long as it takes to solve it.

    `on_progress` gets the samples done and the mistakes so far. Raises InputError (`task.level`) if a level
    and the next lower ones are empty.
    """
    began = time.perf_counter()
    level, source = schedule(computer, iterations, seed)
    counts = np.zeros((4, *source.shape), np.int32)
    behind: dict[int, int] = {}
    done = mistakes = 0
    for number in np.unique(source).tolist():
        filled = nearest_level(domain, number, computer.algorithm)
        if filled != number:
            behind[number] = filled
        iteration, sample = np.nonzero(source == number)
        rng = random_stream(seed, "transfer", number)
        drawn = draw_level(domain, filled, computer.algorithm, count=len(sample), rng=rng)
        for rows, grades in graded_batches(computer, domain, drawn, filled, ahead=True):
            columns = (*grades.points, *most_points(computer.algorithm, drawn.node[rows]))
            counts[:, iteration[rows], sample[rows]] = columns
            done += len(rows)
            mistakes += int((~grades.right).sum())
            on_progress(done, mistakes)
    fitness = np.array([_fitness(computer, counts[:, at]) for at in range(iterations)])
    seconds = time.perf_counter() - began
    name, task = computer.modules.name, computer.algorithm.name
    return Transfer(domain.name, name, task, level, fitness, behind, done, mistakes, seconds)


def schedule(computer: Computer, iterations: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The curriculum level of each iteration, and the level of each of its samples (iterations x batch)."""
    algorithm = computer.algorithm
    machine = {"signals": algorithm.signals}
    config = TrainConfig.model_validate({"task": algorithm.name, "seed": seed, "machine": machine})
    level = 1 + np.arange(iterations) // config.curriculum.solved_after
    level = np.minimum(level, config.curriculum.levels + 1)
    rows = [draw_origins(config, at, int(one), remembered=0).level for at, one in enumerate(level)]
    return level, np.stack(rows)


def most_points(algorithm: Algorithm, node: NDArray[np.int32]) -> Points:
    """The points of perfect runs to these goals."""
    tasks = Tasks(np.zeros((len(node), 0), np.int32), node, algorithm.end_ticks(depths(node)))
    return Steps(algorithm).most(tasks)


def _fitness(computer: Computer, counts: NDArray[np.int32]) -> float:
    """The fitness of one batch, counts x samples."""
    points = Points(counts[None, SEARCH_POINTS], counts[None, END_POINTS])
    most = Points(counts[SEARCH_MOST], counts[END_MOST])
    return float(batch_fitness(points, most, computer.algorithm.bonus)[0])
