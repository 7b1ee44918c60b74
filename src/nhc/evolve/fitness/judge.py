"""The type of a fitness: it feeds the machine data words and an equality bit, and counts points.

Points are whole numbers, so "perfect" is decided exactly; `shaping.py` turns them into the paper's scale.
A data word is the number of a node here: control never sees data, so its numbers serve as well.
"""

from typing import NamedTuple, Protocol, runtime_checkable

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int
from numpy.typing import NDArray

from nhc.domains.protocol import NOP
from nhc.machine.tick import Tick
from nhc.shapes import Address, Count, Flag
from nhc.tasks.algorithm import Algorithm
from nhc.tasks.batch import Tasks
from nhc.tasks.tree import parent


class Task(NamedTuple):
    """One row of `Tasks`."""

    content: Int[Array, " nodes"]
    goal: Count
    end: Count


class Points(NamedTuple):
    """Points for the search and for what follows the goal."""

    search: NDArray[np.int32]
    end: NDArray[np.int32]


class Episode(eqx.Module):
    """A running episode, as its judge knows it."""

    node: Address
    """The node whose configuration is fed next: d_o of the tick before."""
    alive: Flag
    search: Count
    end: Count
    met: Flag
    """Was the goal generated?"""
    expected: Address
    """The node that the way back should read next: the goal first, then parent by parent."""
    end_time: Count
    """Ticks since the goal was generated."""
    generated: Bool[Array, " nodes"]
    """Nodes in 1..T_e that were generated; kept by fitnesses that run on past mistakes."""


@runtime_checkable
class Judge(Protocol):
    """Feeds and judges one episode."""

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm that is to be learned."""
        ...

    def equal(self, task: Task, episode: Episode, met: Flag) -> Flag:
        """I_e: is the fed configuration the goal's or, once c2 says that it was met, the start's?"""
        ...

    def judge(self, task: Task, episode: Episode, time: Count, tick: Tick) -> Episode:
        """The episode after tick `time` = 1, 2, ...; `alive` says whether it goes on."""
        ...

    def most(self, tasks: Tasks) -> Points:
        """The points of a perfect episode of each task."""
        ...


def begin(task: Task) -> Episode:
    """The episode before its first tick: the start, node 0, is fed first."""
    zero, no = jnp.int32(0), jnp.bool_(False)
    return Episode(
        zero, jnp.bool_(True), zero, zero, no, task.goal, zero, jnp.zeros(task.content.shape, bool)
    )


def next_on_way_back(node: Address) -> Address:
    """The parent; the start is its own."""
    return jnp.where(node > 0, parent(node), 0)


def judged_end(algorithm: Algorithm, tick: Tick, data_right: Flag) -> tuple[Count, Flag]:
    """Points of a tick after the goal, and whether it was right: `nop`, and for Plan the right data word."""
    op_right = tick.op == NOP
    points = op_right + algorithm.data_points * data_right
    return points, op_right & data_right if algorithm.backtracks else op_right


def end_points(algorithm: Algorithm, tasks: Tasks) -> NDArray[np.int32]:
    """Points of a perfect end: three a tick on the way back for Plan, one for Search's `nop`."""
    return (1 + algorithm.data_points) * tasks.end
