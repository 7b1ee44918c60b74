"""`outcome`: no labels during the search, only what came of it.

f_e = 100 · |generated nodes with a breadth-first number in 1..T_e| / T_e, and f_b as in `steps`. A weaker
teacher than the paper's; runs on the free tree.
"""

from dataclasses import dataclass

import equinox as eqx
import jax.numpy as jnp

from nhc.evolve.fitness import free_run
from nhc.evolve.fitness.free_run import FreeEpisode
from nhc.evolve.fitness.judge import Episode, Points, Task, end_points, number_equal
from nhc.machine.tick import Tick
from nhc.tasks.algorithm import Algorithm
from nhc.tasks.batch import Tasks
from nhc.types import Count, Flag


@dataclass(frozen=True)
class Outcome:
    """Judges which nodes were generated, in whatever order, and the way back."""

    algorithm: Algorithm

    def begin(self, task: Task) -> FreeEpisode:
        return free_run.begin(task)

    def episode(self, state: FreeEpisode) -> Episode:
        return state

    def equal(self, task: Task, state: FreeEpisode, second_signal: Flag) -> Flag:
        return number_equal(state.node, task.goal, second_signal)

    def judge(self, task: Task, state: FreeEpisode, time: Count, tick: Tick) -> FreeEpisode:
        after = free_run.advance(self.algorithm, task, state, time, tick)
        covered = after.generated.sum(dtype=jnp.int32)
        return eqx.tree_at(lambda episode: episode.search, after, covered)

    def most(self, tasks: Tasks) -> Points:
        return Points(tasks.goal, end_points(self.algorithm, tasks))
