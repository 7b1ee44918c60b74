"""`steps`: the paper's fitness, a label of operation and data word on every tick.

f_e = 100 / (3 T_e) Σ_t ([op right] + 2 [data right]) over the ticks up to and including the first mistake
(the paper, Eq. 3), then f_b likewise for the end. While an episode is correct its data words are the tree's,
so content numbers say all that the teacher needs.
"""

from dataclasses import dataclass

import jax.numpy as jnp

from nhc.domains.protocol import BRANCHING
from nhc.evolve.fitness.judge import Episode, Points, Task, WayBack, end_points
from nhc.machine.tick import Tick
from nhc.tasks.algorithm import Algorithm
from nhc.tasks.batch import Tasks
from nhc.types import Count, Flag


class StepsEpisode(Episode):
    """An episode that ends at its first mistake."""

    back: WayBack


@dataclass(frozen=True)
class Steps:
    """Judges each tick against breadth-first search, and the way back."""

    algorithm: Algorithm

    def begin(self, task: Task) -> StepsEpisode:
        zero = jnp.int32(0)
        return StepsEpisode(zero, jnp.bool_(True), zero, zero, WayBack(task.goal))

    def episode(self, state: StepsEpisode) -> Episode:
        return state

    def equal(self, task: Task, state: StepsEpisode, second_signal: Flag) -> Flag:
        wanted = task.content[jnp.where(second_signal, 0, task.goal)]
        return task.content[state.node] == wanted

    def judge(self, task: Task, state: StepsEpisode, time: Count, tick: Tick) -> StepsEpisode:
        searching = time <= task.goal
        wanted = jnp.where(searching, (time - 1) // BRANCHING, state.back.expected)
        anything = tick.reading.address >= 0
        data_right = anything & (task.content[tick.reading.data] == task.content[wanted])
        op_right = anything & (tick.op == (time - 1) % BRANCHING)
        end_points, end_right, back = state.back.follow(self.algorithm, tick, data_right)

        searched = jnp.where(searching & state.alive, op_right + 2 * data_right, 0)
        ended = jnp.where(searching | ~state.alive | ~anything, 0, end_points)
        right = jnp.where(searching, op_right & data_right, anything & end_right)
        return StepsEpisode(
            node=jnp.where(searching, time, wanted),
            alive=state.alive & right & (time < task.goal + task.end),
            search=state.search + searched,
            end=state.end + ended,
            back=WayBack(jnp.where(searching, task.goal, back.expected)),
        )

    def most(self, tasks: Tasks) -> Points:
        return Points(3 * tasks.goal, end_points(self.algorithm, tasks))
