"""`steps`: the paper's fitness, a label of operation and data word on every tick.

f_e = 100 / (3 T_e) Σ_t ([op right] + 2 [data right]) over the ticks up to and including the first mistake
(the paper, Eq. 3), then f_b likewise for the end. While an episode is correct its data words are the tree's,
so content numbers say all that the teacher needs.
"""

from dataclasses import dataclass

import jax.numpy as jnp

from nhc.domains.protocol import BRANCHING
from nhc.evolve.fitness.judge import (
    Episode,
    Points,
    Task,
    end_points,
    judged_end,
    next_on_way_back,
)
from nhc.machine.tick import Tick
from nhc.shapes import Count, Flag
from nhc.tasks.algorithm import Algorithm
from nhc.tasks.batch import Tasks


@dataclass(frozen=True)
class Steps:
    """Judges each tick against breadth-first search and the way back; the first mistake ends the episode."""

    algorithm: Algorithm

    def equal(self, task: Task, episode: Episode, met: Flag) -> Flag:
        return task.content[episode.node] == task.content[jnp.where(met, 0, task.goal)]

    def judge(self, task: Task, episode: Episode, time: Count, tick: Tick) -> Episode:
        searching = ~episode.met
        wanted = jnp.where(searching, (time - 1) // BRANCHING, episode.expected)
        credited = episode.alive & (tick.reading.address >= 0)
        data_right = task.content[tick.reading.data] == task.content[wanted]
        op_right = tick.op == (time - 1) % BRANCHING
        points, end_right = judged_end(self.algorithm, tick, data_right)
        right = credited & jnp.where(searching, op_right & data_right, end_right)
        end_time = episode.end_time + ~searching
        return Episode(
            node=jnp.where(searching, time, wanted),
            alive=right & (end_time < task.end),
            search=episode.search + jnp.where(credited & searching, op_right + 2 * data_right, 0),
            end=episode.end + jnp.where(credited & ~searching, points, 0),
            met=time >= task.goal,
            expected=jnp.where(searching, task.goal, next_on_way_back(wanted)),
            end_time=end_time,
            generated=episode.generated,
        )

    def most(self, tasks: Tasks) -> Points:
        return Points(3 * tasks.goal, end_points(self.algorithm, tasks))
