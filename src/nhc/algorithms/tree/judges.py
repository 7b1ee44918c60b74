"""Weaker teachers of Search and Plan, on the free tree: no labels during the search.

Episodes run on past mistakes: the search lasts T_e ticks or until the goal node is made; then the end is
followed as in `steps`.

`outcome`  f_e = 100 · |made nodes with a breadth-first number in 1..T_e| / T_e, and f_b as in `steps`.
`success`  two bits: f_e = 100 · [goal made within T_e ticks], f_b = 50 · [whole plan right], for Search
           20 · [nop].
`answer`   one bit: f_e and f_b are full if the goal was made in time and all that follows is right, else 0.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int
from numpy.typing import NDArray

from nhc.algorithms.judge import Episode, Points
from nhc.algorithms.traces import Shared, Traces
from nhc.algorithms.tree.environment import control_signals, made_node
from nhc.algorithms.tree.nodes import parent
from nhc.domains.protocol import NOP
from nhc.machine.tick import Tick
from nhc.shapes import Address, Count, Flag, Scalar, Signals

if TYPE_CHECKING:
    from nhc.algorithms.tree.algorithm import TreeAlgorithm


NEVER = 2**31 - 1
"""The number of a node that cannot be made."""


class FreeEpisode(Episode):
    """An episode on the free tree that follows what the machine does."""

    node: Address
    """The node fed next: d_o of the tick before."""
    second: Scalar
    """c2'."""
    met: Flag
    """Was the goal made?"""
    expected: Address
    """The node that the way back should read next: the goal first, then parent by parent."""
    end_time: Count
    """Ticks since the goal was made."""
    made: Bool[Array, " nodes"]
    """Nodes in 1..T_e that were made."""


class Told(NamedTuple):
    """What a judge may give points for after a tick."""

    nodes: Count
    """Nodes in 1..T_e made so far."""
    met: Flag
    """Was the goal made in time?"""
    end_points: Count
    """Points of this tick if it belongs to the end, else 0."""
    complete: Flag
    """Did this tick complete a faultless end?"""


Scoring = Callable[[Episode, Told], tuple[Count, Count]]
"""(points so far, what happened) -> main and bonus points after the tick."""


class FreeTick(eqx.Module):
    """A tick of a task on the free tree as an environment."""

    algorithm: "TreeAlgorithm" = eqx.field(static=True)
    scoring: Scoring = eqx.field(static=True)
    goal: Count
    end: Count
    time: Count

    def observe(self, side: FreeEpisode) -> tuple[Signals, Address]:
        """Node numbers are configurations, and the start is 0."""
        equal = side.node == jnp.where(side.second > 0, 0, self.goal)
        return control_signals(side.second, equal, len(self.algorithm.signals)), side.node

    def act(self, side: FreeEpisode, tick: Tick) -> FreeEpisode:
        """One more tick; a dead episode stays as it is in all that counts."""
        credited = side.alive & (tick.reading.address >= 0)
        searching, ending = credited & ~side.met, credited & side.met
        read = tick.reading.data
        node = jnp.where(side.met, read, made_node(tick.op, read))
        useful = searching & (node > 0) & (node <= self.goal)
        met = side.met | (useful & (node == self.goal))
        made = side.made.at[jnp.where(useful, node, side.made.shape[0])].set(True, mode="drop")

        op_right, data_right = tick.op == NOP, read == side.expected
        right = op_right & (data_right | (not self.algorithm.backtracks))
        points = op_right + (2 * data_right if self.algorithm.backtracks else 0)
        end_time = side.end_time + ending
        goes_on = jnp.where(searching, met | (self.time < self.goal), right & (end_time < self.end))
        complete = ending & right & (end_time == self.end)
        told = Told(made.sum(dtype=jnp.int32), met, jnp.where(ending, points, 0), complete)
        main, bonus = self.scoring(side, told)
        above = jnp.where(side.expected > 0, parent(side.expected), 0)
        return FreeEpisode(
            alive=credited & goes_on,
            main=main.astype(jnp.int32),
            bonus=bonus.astype(jnp.int32),
            node=node,
            second=tick.signals[1],
            met=met,
            expected=jnp.where(ending, above, side.expected),
            end_time=end_time,
            made=made,
        )


@dataclass(frozen=True)
class FreeRun:
    """A judge of free runs. Implements `nhc.algorithms.judge.Judge`."""

    algorithm: "TreeAlgorithm"
    scoring: Scoring
    perfect: Callable[[NDArray[np.int32], NDArray[np.int32]], Points]
    """(T_e, T_b of each task) -> the points of perfect episodes."""

    def begin(self, task: Traces) -> FreeEpisode:
        """The start, node 0, is fed first."""
        zero, no = jnp.int32(0), jnp.bool_(False)
        alive, made = jnp.asarray(task.length) > 0, jnp.zeros(task.op.shape, bool)
        return FreeEpisode(alive, zero, zero, zero, jnp.float32(0), no, jnp.asarray(task.main), zero, made)

    def environment(self, task: Traces, time: Count) -> FreeTick:
        """One tick on the free tree; of the trace only the numbers of ticks matter."""
        goal, length = jnp.asarray(task.main), jnp.asarray(task.length)
        return FreeTick(self.algorithm, self.scoring, goal, length - goal, time)

    def trunk_ticks(self, tasks: Shared) -> Count:
        """T_e of the deepest goal."""
        return jnp.asarray(tasks.rest.main).max()

    def begin_trunk(self, tasks: Shared) -> FreeEpisode:
        """A search that meets no goal: until its goal is made, the machine sees the same in every task."""
        return self.begin(tasks.trunk._replace(main=jnp.int32(NEVER), length=jnp.int32(NEVER)))

    def on_trunk(self, tasks: Shared, time: Count) -> FreeTick:
        """See `SharingJudge`."""
        del tasks
        return FreeTick(self.algorithm, self.scoring, jnp.int32(NEVER), jnp.int32(1), time)

    def forked(self, tasks: Shared, trunk: FreeEpisode) -> tuple[Int[Array, " tasks"], FreeEpisode]:
        """A task forks where its goal is made, if that is within T_e ticks."""
        nodes, ticks = jnp.arange(trunk.made.shape[-1]), jnp.arange(trunk.node.shape[0])
        never, count = len(ticks), len(nodes)
        lived = jnp.concatenate([jnp.zeros(1, bool), trunk.alive[:-1]])
        made_then = jnp.where(lived, trunk.node, count)
        first = jnp.full(count, never).at[made_then].min(ticks, mode="drop")  # When each node was made.

        def one(goal: Count) -> tuple[Count, FreeEpisode]:
            made_at = jnp.where(goal < count, first[jnp.minimum(goal, count - 1)], never)
            met = (made_at <= goal) & (goal > 0)
            made = (first <= jnp.where(met, made_at, goal)) & (nodes <= goal) & (nodes > 0)
            zero = jnp.int32(0)
            told = Told(made.sum(dtype=jnp.int32), met, zero, jnp.bool_(False))
            main, bonus = self.scoring(Episode(met, zero, zero), told)
            episode = FreeEpisode(
                alive=met,
                main=main.astype(jnp.int32),
                bonus=bonus.astype(jnp.int32),
                node=goal,
                second=jnp.float32(0),
                met=met,
                expected=goal,
                end_time=zero,
                made=made,
            )
            return jnp.where(met, made_at, 0), episode

        return jax.vmap(one)(jnp.asarray(tasks.rest.main))

    def on_branch(self, task: Traces, fork: Count, time: Count) -> FreeTick:
        """See `SharingJudge`."""
        return self.environment(task, fork + time)

    def most(self, tasks: Traces) -> Points:
        """See `Judge`."""
        goal = np.asarray(tasks.main, np.int32)
        return self.perfect(goal, np.asarray(tasks.length, np.int32) - goal)


def outcome(algorithm: "TreeAlgorithm") -> FreeRun:
    """Judges which nodes were made, in whatever order, and the way back."""
    per_tick = 3 if algorithm.backtracks else 1

    def scoring(before: Episode, told: Told) -> tuple[Count, Count]:
        return told.nodes, before.bonus + told.end_points

    return FreeRun(algorithm, scoring, lambda goal, end: Points(goal, per_tick * end))


def success(algorithm: "TreeAlgorithm") -> FreeRun:
    """Judges whether the goal was made and whether the end is right as a whole: two bits a task."""

    def scoring(before: Episode, told: Told) -> tuple[Count, Count]:
        return told.met.astype(jnp.int32), before.bonus + told.complete

    return FreeRun(algorithm, scoring, _one_each)


def answer(algorithm: "TreeAlgorithm") -> FreeRun:
    """Judges the whole answer: one bit a task, which counts for both parts."""

    def scoring(before: Episode, told: Told) -> tuple[Count, Count]:
        return before.main + told.complete, before.bonus + told.complete

    return FreeRun(algorithm, scoring, _one_each)


@lru_cache(maxsize=16)
def free_run(algorithm: "TreeAlgorithm", fitness: str) -> FreeRun:
    """The judge of that fitness."""
    return {"outcome": outcome, "success": success, "answer": answer}[fitness](algorithm)


def _one_each(goal: NDArray[np.int32], end: NDArray[np.int32]) -> Points:
    return Points(np.ones_like(goal), np.ones_like(end))
