"""`success`: two bits an episode. Was the goal generated in time, and is everything after it right?

f_e = 100 · [goal generated within T_e ticks]; f_b = 50 · [whole plan right] for Plan, 20 · [nop] for Search.
The weakest teacher; runs on the free tree.
"""

from dataclasses import dataclass

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from nhc.evolve.fitness import free_run
from nhc.evolve.fitness.free_run import FreeEpisode
from nhc.evolve.fitness.judge import Episode, Points, Task, number_equal
from nhc.machine.tick import Tick
from nhc.tasks.algorithm import Algorithm
from nhc.tasks.batch import Tasks
from nhc.types import Count, Flag


class SuccessEpisode(eqx.Module):
    """The run, and the two bits that are told of it."""

    run: FreeEpisode
    told: Episode


@dataclass(frozen=True)
class Success:
    """Judges only whether the goal was generated and whether the end is right as a whole."""

    algorithm: Algorithm

    def begin(self, task: Task) -> SuccessEpisode:
        run = free_run.begin(task)
        return SuccessEpisode(run, Episode(run.node, run.alive, run.search, run.end))

    def episode(self, state: SuccessEpisode) -> Episode:
        return state.told

    def equal(self, task: Task, state: SuccessEpisode, second_signal: Flag) -> Flag:
        return number_equal(state.run.node, task.goal, second_signal)

    def judge(self, task: Task, state: SuccessEpisode, time: Count, tick: Tick) -> SuccessEpisode:
        run = free_run.advance(self.algorithm, task, state.run, time, tick)
        wanted = (1 + self.algorithm.data_points) * task.end
        met, ended = (bit.astype(jnp.int32) for bit in (run.met, run.end == wanted))
        return SuccessEpisode(run, Episode(run.node, run.alive, met, ended))

    def most(self, tasks: Tasks) -> Points:
        return Points(np.ones_like(tasks.goal), np.ones_like(tasks.goal))
