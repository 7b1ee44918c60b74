"""Episodes that run on past mistakes on the free tree: what `outcome` and `success` share.

The search lasts T_e ticks or until the goal node is generated; then the end is followed as in `steps`.
"""

import jax.numpy as jnp
from jaxtyping import Array, Bool

from nhc.domains.protocol import BRANCHING, NOP
from nhc.evolve.fitness.judge import Episode, Task, WayBack
from nhc.machine.tick import Tick
from nhc.tasks.algorithm import Algorithm
from nhc.tasks.tree import child
from nhc.types import Address, Count

LAST_PARENT = (2**31 - 1) // BRANCHING - 2
"""Nodes above it have no children of their own: numbers saturate before they overflow."""


class FreeEpisode(Episode):
    """An episode with data in the loop; data words are node numbers."""

    back: WayBack
    met: Bool[Array, ""]
    """Was the goal generated?"""
    end_time: Count
    generated: Bool[Array, " nodes"]
    """Nodes in 1..T_e that were generated."""


def begin(task: Task) -> FreeEpisode:
    """The episode before its first tick."""
    zero = jnp.int32(0)
    none = jnp.zeros(task.content.shape, bool)
    return FreeEpisode(zero, jnp.bool_(True), zero, zero, WayBack(task.goal), jnp.bool_(False), zero, none)


def made_node(op: Address, node: Address) -> Address:
    """The free tree's ALU: the child by `op`, or the node itself for `nop` and beyond the last parent."""
    return jnp.where((op < NOP) & (node <= LAST_PARENT), child(jnp.minimum(node, LAST_PARENT), op), node)


def advance(algorithm: Algorithm, task: Task, state: FreeEpisode, time: Count, tick: Tick) -> FreeEpisode:
    """One more tick of an episode; a dead one keeps its counts. Leaves `search` to the fitness."""
    anything = state.alive & (tick.reading.address >= 0)
    searching = ~state.met
    node = jnp.where(searching, made_node(tick.op, tick.reading.data), tick.reading.data)
    useful = anything & searching & (node > 0) & (node <= task.goal)
    generated = state.generated.at[jnp.where(useful, node, state.generated.shape[0])].set(True, mode="drop")
    met = state.met | (useful & (node == task.goal))

    data_right = tick.reading.data == state.back.expected
    points, right, back = state.back.follow(algorithm, tick, data_right)
    ending = anything & ~searching
    end_time = state.end_time + ending
    goes_on = jnp.where(searching, met | (time < task.goal), right & (end_time < task.end))
    return FreeEpisode(
        node=node,
        alive=anything & goes_on,
        search=state.search,
        end=state.end + jnp.where(ending, points, 0),
        back=WayBack(jnp.where(ending, back.expected, state.back.expected)),
        met=met,
        end_time=end_time,
        generated=generated,
    )
