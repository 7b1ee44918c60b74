"""One bit a task: is what a run wrote, or its verdict, right? No tick is labelled.

Episodes run on past ticks of which the teacher would do otherwise, for as many ticks as the teacher takes.
What the machine is shown comes from the task's trace: it does not depend on what the machine did before, but
for the bit of `Verdict`.
"""

from dataclasses import dataclass

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int

from nhc.algorithms.judge import Episode, Points
from nhc.algorithms.traces import Traces, on_device
from nhc.machine.tick import Tick
from nhc.shapes import Count, Flag, Signals


class Writing(Episode):
    """An episode that writes words."""

    written: Count
    """How many so far; all of them are right."""


class WrittenTick(eqx.Module):
    """A tick of a task whose operations are `nop`, one that writes the word read, and one that stops."""

    task: Traces
    time: Count
    emit: int = eqx.field(static=True)
    stop: int = eqx.field(static=True)

    def observe(self, side: Writing) -> tuple[Signals, Count]:
        """The row's."""
        del side
        return self.task.signals[self.time - 1], self.task.stored[self.time - 1]

    def act(self, side: Writing, tick: Tick) -> Writing:
        """A wrong word is the end, and so is to stop."""
        due = jnp.cumsum(self.task.op == self.emit)
        wanted = self.task.word[jnp.argmax(due > side.written)]
        alive, emits = side.alive & (tick.reading.address >= 0), tick.op == self.emit
        right = ~emits | ((side.written < due[-1]) & (tick.reading.data == wanted))
        stops, complete = tick.op == self.stop, side.written == due[-1]
        goes_on = alive & right & ~stops & (self.time < self.task.length)
        return Writing(goes_on, side.main + (alive & stops & complete), side.bonus, side.written + emits)


class Judging(Episode):
    """An episode that ends with a verdict."""

    read: Int[Array, ""]
    """The word read last."""


class VerdictTick(eqx.Module):
    """A tick of a task that is accepted or rejected; a signal says whether a word fits the one read last."""

    task: Traces
    time: Count
    match: int = eqx.field(static=True)
    nop: int = eqx.field(static=True)

    def observe(self, side: Judging) -> tuple[Signals, Count]:
        """The row's, where a word fits only if the word read last is the one that the teacher read."""
        row = self.time - 1
        signals = self.task.signals[row]
        fits = signals[self.match] * (side.read == self.task.word[row - 1])
        return signals.at[self.match].set(fits), self.task.stored[row]

    def act(self, side: Judging, tick: Tick) -> Judging:
        """Any operation but `nop` is a verdict."""
        alive, gives = side.alive & (tick.reading.address >= 0), tick.op != self.nop
        right = tick.op == self.task.op[self.task.length - 1]
        goes_on = alive & ~gives & (self.time < self.task.length)
        return Judging(goes_on, side.main + (alive & gives & right), side.bonus, tick.reading.data)


@dataclass(frozen=True)
class Written:
    """A judge of words written. Implements `nhc.algorithms.judge.Judge`."""

    emit: int
    stop: int

    def begin(self, task: Traces) -> Writing:
        """Nothing is written."""
        return Writing(*_begun(task), jnp.int32(0))

    def environment(self, task: Traces, time: Count) -> WrittenTick:
        """See `Judge`."""
        return WrittenTick(on_device(task), time, self.emit, self.stop)

    def most(self, tasks: Traces) -> Points:
        """See `Judge`."""
        return one_each(tasks)


@dataclass(frozen=True)
class Verdict:
    """A judge of verdicts, on tasks where nothing fits a word but what the teacher has read."""

    match: int
    nop: int

    def begin(self, task: Traces) -> Judging:
        """Nothing was read."""
        return Judging(*_begun(task), jnp.int32(-1))

    def environment(self, task: Traces, time: Count) -> VerdictTick:
        """See `Judge`."""
        return VerdictTick(on_device(task), time, self.match, self.nop)

    def most(self, tasks: Traces) -> Points:
        """See `Judge`."""
        return one_each(tasks)


def one_each(tasks: Traces) -> Points:
    """One point a task."""
    return Points(np.ones(tasks.size, np.int32), np.zeros(tasks.size, np.int32))


def _begun(task: Traces) -> tuple[Flag, Count, Count]:
    zero = jnp.int32(0)
    return jnp.asarray(task.length) > 0, zero, zero
