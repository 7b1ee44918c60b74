"""Episodes that run on past mistakes on the free tree: what `outcome` and `success` share.

The search lasts T_e ticks or until the goal node is generated; then the end is followed as in `steps`.
"""

from typing import NamedTuple

import jax.numpy as jnp

from nhc.domains.protocol import BRANCHING, NOP
from nhc.evolve.fitness.judge import Episode, Task, judged_end, next_on_way_back
from nhc.machine.tick import Tick
from nhc.shapes import Address, Count, Flag
from nhc.tasks.algorithm import Algorithm
from nhc.tasks.tree import child

LAST_PARENT = (2**31 - 1) // BRANCHING - 2
"""Nodes above it have no children of their own: numbers saturate before they overflow."""


class Advance(NamedTuple):
    """One tick of a free run: the episode without new points, and what a fitness can credit."""

    episode: Episode
    end_points: Count
    """Points of the tick if it belongs to the end, else 0."""
    complete: Flag
    """Did this tick complete a faultless end?"""


def made_node(op: Address, node: Address) -> Address:
    """The free tree's ALU: the child by `op`, or the node itself for `nop` and beyond the last parent."""
    return jnp.where((op < NOP) & (node <= LAST_PARENT), child(jnp.minimum(node, LAST_PARENT), op), node)


def number_equal(task: Task, episode: Episode, met: Flag) -> Flag:
    """I_e on the free tree: node numbers are configurations, and the start is 0."""
    return episode.node == jnp.where(met, 0, task.goal)


def advance(algorithm: Algorithm, task: Task, episode: Episode, time: Count, tick: Tick) -> Advance:
    """One more tick of an episode; a dead one stays as it is in all that counts."""
    credited = episode.alive & (tick.reading.address >= 0)
    searching, ending = credited & ~episode.met, credited & episode.met
    read = tick.reading.data
    node = jnp.where(episode.met, read, made_node(tick.op, read))
    useful = searching & (node > 0) & (node <= task.goal)
    where = jnp.where(useful, node, episode.generated.shape[0])
    met = episode.met | (useful & (node == task.goal))

    points, right = judged_end(algorithm, tick, read == episode.expected)
    end_time = episode.end_time + ending
    goes_on = jnp.where(searching, met | (time < task.goal), right & (end_time < task.end))
    after = Episode(
        node=node,
        alive=credited & goes_on,
        search=episode.search,
        end=episode.end,
        met=met,
        expected=jnp.where(ending, next_on_way_back(episode.expected), episode.expected),
        end_time=end_time,
        generated=episode.generated.at[where].set(True, mode="drop"),
    )
    return Advance(after, jnp.where(ending, points, 0), ending & right & (end_time == task.end))
