"""Evaluation: many members on many tasks, tick by tick, until the last episode is done.

The only two maps of the machine stand here: over tasks and over members.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int
from numpy.typing import NDArray

from nhc.evolve.fitness.judge import Episode, Judge, Points, Task, begin
from nhc.machine.config import MachineConfig
from nhc.machine.parameters import Parameters
from nhc.machine.state import MachineState, initial_state, with_room
from nhc.machine.tick import tick
from nhc.shapes import Count, Flag
from nhc.tasks.batch import Tasks

CAPACITIES = (16, 128, 1024, 8192)
"""Few sizes, since each is compiled anew: the first serves the levels where learning happens."""
SOFT_CAPACITIES = (16, 32, 64, 96, 128, 256, 512, 1024, 2048, 4096, 8192)
"""More of them where a tick costs the square of the cells: there the memory grows while episodes run."""


class Run(NamedTuple):
    """One episode in flight, and the ticks that it lived."""

    state: MachineState
    episode: Episode
    lived: Count


class Scores(NamedTuple):
    """Points and ticks per member and task."""

    search: NDArray[np.int32]
    end: NDArray[np.int32]
    ticks: NDArray[np.int32]

    @property
    def points(self) -> Points:
        """The points without the ticks."""
        return Points(self.search, self.end)


def capacity_for(ticks: int, attention: str = "hard") -> int:
    """The size, in ticks, made for an episode of `ticks`. Each free head has one cell for each of them."""
    sizes = SOFT_CAPACITIES if attention == "soft" else CAPACITIES
    return next(capacity for capacity in sizes if capacity >= ticks)


def evaluate(members: Parameters, tasks: Tasks, *, config: MachineConfig, judge: Judge) -> Scores:
    """Run every member on every task; `members` has a leading axis on each leaf.

    The columns of `tasks.content` bound the ticks of an episode, and each free head has one memory cell for
    each, so they must cover goal and end of every task.
    """
    columns = _evaluate(members, Task(*(jnp.asarray(column) for column in tasks)), config, judge)
    return Scores(*(np.asarray(column) for column in columns))


@partial(jax.jit, static_argnums=(2, 3))
def _evaluate(
    members: Parameters, tasks: Task, config: MachineConfig, judge: Judge
) -> tuple[Int[Array, "members tasks"], ...]:
    sizes = growth(tasks.content.shape[1], config.attention)

    def begin_run(task: Task) -> Run:
        return Run(initial_state(config, jnp.int32(0), sizes[0]), begin(task), jnp.int32(0))

    def step(member: Parameters, task: Task, time: Count, run: Run) -> Run:
        equal = judge.equal(task, run.episode, run.state.second_signal > 0)
        state, output = tick(member, config, run.state, run.episode.node, equal)
        return Run(state, judge.judge(task, run.episode, time, output), run.lived + run.episode.alive)

    over_tasks = jax.vmap(step, in_axes=(None, 0, None, 0))
    over_members = jax.vmap(over_tasks, in_axes=(0, None, None, 0))

    def somebody_lives(size: int, carry: tuple[Count, Run]) -> Flag:
        time, runs = carry
        return runs.episode.alive.any() & (time <= size)

    def all_step(carry: tuple[Count, Run]) -> tuple[Count, Run]:
        time, runs = carry
        return time + 1, over_members(members, tasks, time, runs)

    count = jax.tree.leaves(members)[0].shape[0]
    first = jax.vmap(begin_run)(tasks)
    runs = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (count, *leaf.shape)), first)
    time, runs = jax.lax.while_loop(partial(somebody_lives, sizes[0]), all_step, (jnp.int32(1), runs))
    for size in sizes[1:]:
        larger = partial(with_room, cells=size * config.free_heads)
        runs = Run(jax.vmap(jax.vmap(larger))(runs.state), runs.episode, runs.lived)
        time, runs = jax.lax.while_loop(partial(somebody_lives, size), all_step, (time, runs))
    return runs.episode.search, runs.episode.end, runs.lived


def growth(capacity: int, attention: str) -> tuple[int, ...]:
    """The sizes, in ticks, that a memory has in turn; no result depends on them."""
    if attention == "hard":
        return (capacity,)
    return (*(size for size in SOFT_CAPACITIES if size < capacity), capacity)


def failures(points: Points, most: Points) -> NDArray[np.bool_]:
    """Which tasks each member did not solve perfectly, members x tasks."""
    return (points.search < most.search) | (points.end < most.end)
