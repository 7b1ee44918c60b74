"""Judges: how an episode is fed, and what it earns. `Steps`, for all algorithms, compares it with its trace.

Points are whole numbers, so "perfect" is decided exactly; `nhc.evolve.shaping` turns them into fitness.
"""

from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int
from numpy.typing import NDArray

from nhc.algorithms.traces import ANY, Shared, Traces
from nhc.machine.rollout import Environment
from nhc.machine.tick import Tick
from nhc.shapes import Count, Flag, Signals


class Points(NamedTuple):
    """Points for the main part of a task, and for what follows it."""

    main: NDArray[np.int32]
    bonus: NDArray[np.int32]


class Episode(eqx.Module):
    """A running episode, as every judge knows it; some keep more in a subclass."""

    alive: Flag
    main: Count
    bonus: Count


@runtime_checkable
class Judge(Protocol):
    """Feeds and judges episodes. It holds no arrays and is hashable."""

    def begin(self, task: Traces) -> Episode:
        """The episode before its first tick."""
        ...

    def environment(self, task: Traces, time: Count) -> Environment:
        """The data side of tick `time` = 1, 2, ...; `act` counts points, and ends the episode."""
        ...

    def most(self, tasks: Traces) -> Points:
        """The points of a perfect episode of each task."""
        ...


@runtime_checkable
class SharingJudge(Judge, Protocol):
    """A judge of tasks whose common beginning is run once, on the trunk, for all of them.

    Before they fork, tasks must be one run: the machine is shown the same in each.
    """

    def trunk_ticks(self, tasks: Shared) -> Count:
        """How long the trunk is."""
        ...

    def begin_trunk(self, tasks: Shared) -> Episode:
        """The trunk's episode before its first tick; it earns what a task's would."""
        ...

    def on_trunk(self, tasks: Shared, time: Count) -> Environment:
        """Tick `time` of the trunk."""
        ...

    def forked(self, tasks: Shared, trunk: Episode) -> tuple[Int[Array, " tasks"], Episode]:
        """After which tick each task leaves the trunk, and its episode then, dead if it never does.

        `trunk` has the episode before the first tick and after each on a leading axis.
        """
        ...

    def on_branch(self, task: Traces, fork: Count, time: Count) -> Environment:
        """Tick `time` = 1, 2, ... of a task after it forked; `task` is a row of `Shared.rest`."""
        ...


class Row(eqx.Module):
    """One row of a trace as an environment: what is fed does not depend on what the machine does."""

    signals: Signals
    stored: Count
    op: Count
    word: Count
    in_main: Flag
    last: Flag

    def observe(self, side: Episode) -> tuple[Signals, Count]:
        """The row's signals and stored word."""
        del side
        return self.signals, self.stored

    def act(self, side: Episode, tick: Tick) -> Episode:
        """One point for the operation, two for the word if one is asked for; a mistake ends the episode."""
        credited = side.alive & (tick.reading.address >= 0)
        op_right, asked = tick.op == self.op, self.word != ANY
        word_right = tick.reading.data == self.word
        points = jnp.where(credited, op_right + 2 * word_right, 0)  # `ANY` is no word
        right = credited & op_right & (word_right | ~asked)
        return Episode(
            alive=right & ~self.last,
            main=side.main + jnp.where(self.in_main, points, 0),
            bonus=side.bonus + jnp.where(self.in_main, 0, points),
        )


@dataclass(frozen=True)
class Steps:
    """The paper's fitness: a label of operation and data word on every tick, up to the first mistake.

    f_e = 100 / (3 T_e) Σ_t ([op right] + 2 [data word right]) over the ticks up to and including the first
    mistake (the paper, Eq. 3), then f_b likewise for the ticks after T_e. A tick whose read is free has one
    point.
    """

    def begin(self, task: Traces) -> Episode:
        """See `Judge`."""
        zero = jnp.int32(0)
        return Episode(jnp.asarray(task.length) > 0, zero, zero)

    def environment(self, task: Traces, time: Count) -> Environment:
        """Row `time` of the trace."""
        return row_of(task, time - 1, time)

    def trunk_ticks(self, tasks: Shared) -> Count:
        """The rows of the trunk."""
        return jnp.asarray(tasks.trunk.length)

    def begin_trunk(self, tasks: Shared) -> Episode:
        """See `SharingJudge`."""
        zero = jnp.int32(0)
        return Episode(jnp.bool_(True), zero, zero)

    def on_trunk(self, tasks: Shared, time: Count) -> Row:
        """A row that ends no task; all of them count as main, and tasks take their own part."""
        row = row_of(tasks.trunk, time - 1, time)
        return Row(row.signals, row.stored, row.op, row.word, jnp.bool_(True), jnp.bool_(False))

    def forked(self, tasks: Shared, trunk: Episode) -> tuple[Int[Array, " tasks"], Episode]:
        """Tasks fork where their rows differ."""

        def one(fork: Count, main: Count, length: Count) -> Episode:
            gained, in_main = trunk.main[fork], trunk.main[jnp.minimum(fork, main)]
            return Episode(trunk.alive[fork] & (fork < length), in_main, gained - in_main)

        fork = jnp.asarray(tasks.fork)
        return fork, jax.vmap(one)(fork, jnp.asarray(tasks.rest.main), jnp.asarray(tasks.rest.length))

    def on_branch(self, task: Traces, fork: Count, time: Count) -> Row:
        """See `SharingJudge`."""
        return row_of(task, time - 1, fork + time)

    def most(self, tasks: Traces) -> Points:
        """See `Judge`."""
        points = 1 + 2 * (np.asarray(tasks.word) != ANY)
        row = np.arange(tasks.ticks)
        main = (row < np.asarray(tasks.main)[:, None]) * points
        every = (row < np.asarray(tasks.length)[:, None]) * points
        total = main.sum(axis=1, dtype=np.int32)
        return Points(total, every.sum(axis=1, dtype=np.int32) - total)


def row_of(task: Traces, index: Int[Array, ""], time: Count) -> Row:
    """The row at `index`, which is tick `time` of the task."""
    signals, stored, op, word = (jnp.asarray(column)[index] for column in task[:4])
    return Row(signals, stored, op, word, jnp.asarray(time <= task.main), jnp.asarray(time >= task.length))
