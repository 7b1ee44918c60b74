"""`success`: two bits an episode. Was the goal generated in time, and is everything after it right?

f_e = 100 · [goal generated within T_e ticks]; f_b = 50 · [whole plan right] for Plan, 20 · [nop] for Search.
The weakest teacher; runs on the free tree.
"""

from dataclasses import dataclass, replace

import numpy as np

from nhc.evolve.fitness import free_run
from nhc.evolve.fitness.judge import Episode, Points, Task
from nhc.machine.tick import Tick
from nhc.shapes import Count, Flag
from nhc.tasks.algorithm import Algorithm
from nhc.tasks.batch import Tasks


@dataclass(frozen=True)
class Success:
    """Judges only whether the goal was generated and whether the end is right as a whole."""

    algorithm: Algorithm

    def equal(self, task: Task, episode: Episode, met: Flag) -> Flag:
        return free_run.number_equal(task, episode, met)

    def judge(self, task: Task, episode: Episode, time: Count, tick: Tick) -> Episode:
        after, _, complete = free_run.advance(self.algorithm, task, episode, time, tick)
        return replace(after, search=after.met.astype(np.int32), end=episode.end + complete)

    def most(self, tasks: Tasks) -> Points:
        return Points(np.ones_like(tasks.goal), np.ones_like(tasks.goal))
