"""Evaluation: many offspring on many tasks, tick by tick, until the last of them is done.

The only two maps of the machine stand here: over tasks and over members.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int

from nhc.evolve.fitness.judge import EpisodeT, Judge, Task
from nhc.machine.config import MachineConfig
from nhc.machine.parameters import Parameters
from nhc.machine.state import MachineState, initial_state
from nhc.machine.tick import tick
from nhc.tasks.batch import Tasks
from nhc.types import Count

SMALLEST_CAPACITY = 16


class Scores(NamedTuple):
    """Points and ticks per member and task."""

    search: Int[Array, "members tasks"]
    end: Int[Array, "members tasks"]
    ticks: Int[Array, "members tasks"]


def capacity_for(ticks: int) -> int:
    """Memory cells for an episode of `ticks`: a power of two, so that few programs are compiled."""
    return max(SMALLEST_CAPACITY, 1 << (ticks - 1).bit_length())


@partial(jax.jit, static_argnames=("config", "judge"))
def evaluate(
    members: Parameters, tasks: Tasks, *, config: MachineConfig, judge: Judge[EpisodeT]
) -> Scores:
    """Run every member on every task.

    `members` has a leading axis on each leaf. The columns of `tasks.content` bound the ticks of an episode,
    one memory cell each, so they must cover goal and end of every task.
    """
    capacity = tasks.content.shape[1]

    def begin(task: Task) -> tuple[MachineState, EpisodeT, Count]:
        return initial_state(config, jnp.int32(0), capacity), judge.begin(task), jnp.int32(0)

    def step(
        member: Parameters, task: Task, time: Count, run: tuple[MachineState, EpisodeT, Count]
    ) -> tuple[MachineState, EpisodeT, Count]:
        state, episode, lived = run
        equal = judge.equal(task, episode, state.second_signal > 0)
        lived = lived + judge.episode(episode).alive
        state, output = tick(member, config, state, judge.episode(episode).node, equal)
        return state, judge.judge(task, episode, time, output), lived

    over_tasks = jax.vmap(step, in_axes=(None, 0, None, 0))
    over_members = jax.vmap(over_tasks, in_axes=(0, None, None, 0))
    rows = Task(*(jnp.asarray(column) for column in tasks))
    count = jax.tree.leaves(members)[0].shape[0]
    runs = jax.tree.map(
        lambda leaf: jnp.broadcast_to(leaf, (count, *leaf.shape)), jax.vmap(begin)(rows)
    )

    def somebody_lives(carry: tuple[Count, tuple[MachineState, EpisodeT, Count]]) -> Array:
        time, (_, episode, _) = carry
        return jax.vmap(jax.vmap(lambda e: judge.episode(e).alive))(episode).any() & (time <= capacity)

    def all_step(
        carry: tuple[Count, tuple[MachineState, EpisodeT, Count]],
    ) -> tuple[Count, tuple[MachineState, EpisodeT, Count]]:
        time, runs = carry
        return time + 1, over_members(members, rows, time, runs)

    _, (_, episode, lived) = jax.lax.while_loop(somebody_lives, all_step, (jnp.int32(1), runs))
    told = judge.episode(episode)
    return Scores(told.search, told.end, lived)


def failures(scores: Scores, tasks: Tasks, judge: Judge[EpisodeT]) -> np.ndarray:
    """Which tasks each member did not solve perfectly: bool, members x tasks."""
    most = judge.most(tasks)
    return (np.asarray(scores.search) < most.search) | (np.asarray(scores.end) < most.end)
