"""The type of a fitness: it feeds the machine data words and an equality bit, and counts points.

Points are whole numbers, so "perfect" is decided exactly; `shaping.py` turns them into the paper's scale.
A data word is the number of a node here: control never sees data, so its numbers serve as well.
"""

from typing import NamedTuple, Protocol, TypeVar

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int
from numpy.typing import NDArray

from nhc.domains.protocol import NOP
from nhc.machine.tick import Tick
from nhc.tasks.algorithm import Algorithm
from nhc.tasks.batch import Tasks
from nhc.tasks.tree import parent
from nhc.types import Address, Count, Flag


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
    """What every fitness keeps of a running episode."""

    node: Address
    """The node whose configuration is fed next: d_o of the tick before."""
    alive: Flag
    search: Count
    end: Count


EpisodeT = TypeVar("EpisodeT")


class Judge(Protocol[EpisodeT]):
    """Feeds and judges one episode."""

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm that is to be learned."""
        ...

    def begin(self, task: Task) -> EpisodeT:
        """The episode before its first tick."""
        ...

    def episode(self, state: EpisodeT) -> Episode:
        """The common part of the state."""
        ...

    def equal(self, task: Task, state: EpisodeT, second_signal: Flag) -> Flag:
        """I_e: is the fed configuration the goal's, or the start's once `second_signal` is set?"""
        ...

    def judge(self, task: Task, state: EpisodeT, time: Count, tick: Tick) -> EpisodeT:
        """The episode after tick `time` = 1, 2, ... of which `alive` says whether it goes on."""
        ...

    def most(self, tasks: Tasks) -> Points:
        """The points of a perfect episode of each task."""
        ...


class WayBack(eqx.Module):
    """The nodes from the goal up to the start, one a tick."""

    expected: Address

    def follow(self, algorithm: Algorithm, tick: Tick, data_right: Flag) -> tuple[Count, Flag, "WayBack"]:
        """Points of this tick, whether it was right, and what is expected on the next."""
        op_right = tick.op == NOP
        points = op_right + algorithm.data_points * data_right
        right = op_right & data_right if algorithm.backtracks else op_right
        return points, right, WayBack(jnp.where(self.expected > 0, parent(self.expected), 0))


def end_points(algorithm: Algorithm, tasks: Tasks) -> NDArray[np.int32]:
    """Points of a perfect end: three a tick on the way back for Plan, one for Search's `nop`."""
    return (1 + algorithm.data_points) * tasks.end


def number_equal(node: Address, goal: Address, met: Bool[Array, ""]) -> Flag:
    """I_e on the free tree: node numbers are configurations, and the start is 0."""
    return node == jnp.where(met, 0, goal)
