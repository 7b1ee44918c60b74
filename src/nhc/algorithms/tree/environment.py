"""Planning tasks as environments of the machine: Input's signals, what an operation makes, when a run ends.

The paper, section "Data-dependent Modules": c1 = (1 - I) - c2', c2 = I + c2', c3 = I c2', where I is the
equality bit and c2' is c2 of the tick before (0 at the first). They name the phases: searching (1, 0, 0),
goal just met and way back (0, 1, 0), start met again (-1, 2, 1). Our reading of halting: docs/decisions.md.
"""

from enum import IntEnum
from typing import NamedTuple, Protocol, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, PyTree

from nhc.algorithms.tree.nodes import child, phase_signals
from nhc.domains.protocol import BRANCHING, NOP
from nhc.machine.memory.cells import DataWord
from nhc.machine.tick import Tick
from nhc.shapes import Address, Count, Flag, Scalar, Signals

LAST_PARENT = (2**31 - 1) // BRANCHING - 2
"""Nodes above it have no children of their own: numbers saturate before they overflow."""


class Status(IntEnum):
    """State of a run. Running out of ticks is the caller's business and never means that there is no plan."""

    RUNNING = 0
    FINISHED = 1
    STOPPED_WITHOUT_GOAL = 2
    NOTHING_IN_MEMORY = 3


def control_signals(previous_second: Scalar, equal: Flag, count: int) -> Signals:
    """c_i: the first `count` (2 to search, 3 to plan) of the three control signals."""
    return jnp.stack(phase_signals(previous_second, equal.astype(jnp.float32)))[:count]


def made_node(op: Address, node: Address) -> Address:
    """The free tree's ALU: the child by `op`, or the node itself for `nop` and beyond the last parent."""
    return jnp.where((op < NOP) & (node <= LAST_PARENT), child(jnp.minimum(node, LAST_PARENT), op), node)


@runtime_checkable
class TaskWords(Protocol):
    """The data side of one planning task on words of some kind: node numbers, or bits of configurations."""

    def start(self) -> PyTree[Array]:
        """The word of the start."""
        ...

    def packed(self, word: PyTree[Array]) -> DataWord:
        """The word as memory stores it."""
        ...

    def at_goal(self, word: PyTree[Array]) -> Flag:
        """I_e until the goal was met."""
        ...

    def at_start(self, word: PyTree[Array]) -> Flag:
        """I_e from then on."""
        ...

    def applied(self, op: Address, stored: DataWord) -> PyTree[Array]:
        """d_o: what an operation makes of a stored word; `nop` leaves it as it is."""
        ...


class TreeSide(NamedTuple):
    """The state of a task's environment."""

    word: PyTree[Array]
    """d_o of the tick before; the start before the first."""
    second: Scalar
    """c2': 0 until the goal was met."""
    status: Count

    @property
    def met(self) -> Flag:
        """Was the goal met by now?"""
        return self.second > 0


class TreeEnvironment(eqx.Module):
    """One planning task. Implements `nhc.machine.rollout.Environment`."""

    words: TaskWords
    signals: int = eqx.field(static=True)
    backtracks: bool = eqx.field(static=True)

    def begin(self) -> TreeSide:
        """Before the first tick."""
        return TreeSide(self.words.start(), jnp.float32(0.0), jnp.int32(Status.RUNNING))

    def observe(self, side: TreeSide) -> tuple[Signals, DataWord]:
        """The word fed is compared with the goal until that was met, then with the start."""
        equal = jnp.where(side.met, self.words.at_start(side.word), self.words.at_goal(side.word))
        return control_signals(side.second, equal, self.signals), self.words.packed(side.word)

    def act(self, side: TreeSide, tick: Tick) -> TreeSide:
        """The operation makes a new word of the one read."""
        word = self.words.applied(tick.op, tick.reading.data)
        second = tick.signals[1]
        status = self._status(tick, second > 0, self.words.at_start(word))
        return TreeSide(word, second, status)

    def _status(self, tick: Tick, met: Flag, at_start: Flag) -> Count:
        """Search ends at its first `nop`, Plan when after the goal its output is the start.

        A `nop` before the goal was met is a stop without goal.
        """
        stopped = tick.op == NOP
        finished = met & (at_start if self.backtracks else stopped)
        status = jnp.where(finished, Status.FINISHED, Status.RUNNING)
        status = jnp.where(stopped & ~met, Status.STOPPED_WITHOUT_GOAL, status)
        return jnp.where(tick.reading.address < 0, Status.NOTHING_IN_MEMORY, status).astype(jnp.int32)


class FreeNodes(eqx.Module):
    """The free tree: words are node numbers, the goal is one of them."""

    goal: Count

    def start(self) -> Count:
        """Node 0."""
        return jnp.int32(0)

    def packed(self, word: Count) -> Count:
        """The number itself."""
        return word

    def at_goal(self, word: Count) -> Flag:
        """Is it the goal's number?"""
        return word == self.goal

    def at_start(self, word: Count) -> Flag:
        """Is it node 0?"""
        return word == 0

    def applied(self, op: Address, stored: Count) -> Count:
        """A child, or for `nop` the node."""
        return made_node(op, stored)


def free_tree(goals: tuple[int, ...], signals: int, *, backtracks: bool) -> TreeEnvironment:
    """Tasks of the free tree, stacked on a leading axis."""

    def one(goal: Count) -> TreeEnvironment:
        return TreeEnvironment(FreeNodes(goal), signals, backtracks)

    stacked: TreeEnvironment = jax.vmap(one)(jnp.asarray(goals, jnp.int32))
    return stacked


class KnownNodes(eqx.Module):
    """A tree that was grown before: words are numbers of its nodes, and Input's bits of each are known."""

    goal: Bool[Array, " nodes"]
    """Which nodes Input takes for the goal."""
    origin: Bool[Array, " nodes"]
    """Which nodes Input takes for the start."""

    def start(self) -> Count:
        """Node 0."""
        return jnp.int32(0)

    def packed(self, word: Count) -> Count:
        """The number itself."""
        return word

    def at_goal(self, word: Count) -> Flag:
        """As known."""
        return self.goal[word]

    def at_start(self, word: Count) -> Flag:
        """As known."""
        return self.origin[word]

    def applied(self, op: Address, stored: Count) -> Count:
        """A child, or for `nop` the node. Beyond the tree there is only its last node."""
        last = self.goal.shape[0] - 1
        return jnp.where(op == NOP, stored, jnp.minimum(child(stored, op), last))
