"""`outcome`: no labels during the search, only what came of it.

f_e = 100 · |generated nodes with a breadth-first number in 1..T_e| / T_e, and f_b as in `steps`. A weaker
teacher than the paper's; runs on the free tree.
"""

from dataclasses import dataclass, replace

import jax.numpy as jnp

from nhc.evolve.fitness import free_run
from nhc.evolve.fitness.judge import Episode, Points, Task, end_points
from nhc.machine.tick import Tick
from nhc.shapes import Count, Flag
from nhc.tasks.algorithm import Algorithm
from nhc.tasks.batch import Tasks


@dataclass(frozen=True)
class Outcome:
    """Judges which nodes were generated, in whatever order, and the way back."""

    algorithm: Algorithm

    def equal(self, task: Task, episode: Episode, met: Flag) -> Flag:
        return free_run.number_equal(task, episode, met)

    def judge(self, task: Task, episode: Episode, time: Count, tick: Tick) -> Episode:
        after, end_points, _ = free_run.advance(self.algorithm, task, episode, time, tick)
        return replace(after, search=after.generated.sum(dtype=jnp.int32), end=episode.end + end_points)

    def most(self, tasks: Tasks) -> Points:
        return Points(tasks.goal, end_points(self.algorithm, tasks))
