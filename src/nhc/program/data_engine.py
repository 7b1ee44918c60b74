"""Running a machine on an algorithm's data in a compiled loop, with control as a table that fills itself.

The twin of `nhc.computer.hosted.execute`: the same operations, addresses and words at every tick. A state
that was not met before stops the loop; the network says what it does there, and the loop goes on.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.algorithms.tape import DONE, Functions, Int64, Loaded
from nhc.jit import array_at, borrower, compiled, pointer
from nhc.program.control import Control, Shown
from nhc.program.loop import CHECKSUM_MASK, data_loop, index_words
from nhc.program.memory import (
    DataRegisters,
    Pace,
    ProgramStatus,
    Side,
    empty_memory,
    grown,
    grown_memory,
    indexed_anew,
    memory_bytes,
    require_ticks,
)
from nhc.shapes import NONE

OBSERVE = "UniTuple(int64, 2)(CPointer(int64), int64, CPointer(int64), int64)"
ACT = "int64(int64, int64, CPointer(int64), int64, CPointer(int64), int64)"
OUTPUT_BYTES = 8
LITTLE = 8
"""Room that is less than this part of all is not used up: a call that has room for few ticks is too short."""
DEFAULT_TICKS = 100_000_000
DEFAULT_MEMORY = 2 * 2**30
DEFAULT_PACE = Pace(1 << 12)


class DataRun(NamedTuple):
    """How a run ended."""

    ended: bool
    """False: the budget was used up."""
    ticks: int
    output: NDArray[np.int64]
    """The words written, in order."""
    registers: NDArray[np.int64]
    """Of the data side, at the end."""
    checksum: int
    """Of all addresses and operations, 64 bits: equal runs have equal ones."""


def run_data(
    control: Control,
    functions: Functions,
    instance: Loaded,
    *,
    max_ticks: int = DEFAULT_TICKS,
    max_memory: int = DEFAULT_MEMORY,
    on_progress: Callable[[int], None] = lambda ticks: None,
    pace: Pace = DEFAULT_PACE,
) -> DataRun:
    """Run until the data side ends, or `max_ticks` or `max_memory` bytes are used up.

    `instance` stays as it is. Raises ConfigError: `program.ticks` unless `max_ticks` is in 1..2^31-1, and
    what `Control` raises.
    """
    require_ticks(max_ticks)
    run = _Running(control, functions, instance, pace.capacity)
    while run.goes_on and run.now.ticks < (allowed := run.allowed(max_ticks, max_memory)):
        run.advance(min(run.now.ticks + pace.chunk, allowed))
        on_progress(run.now.ticks)
    return run.result()


class _Running:
    """A run between two calls of the loop."""

    def __init__(self, control: Control, functions: Functions, instance: Loaded, capacity: int) -> None:
        self._control = control
        self._tape, self._registers = np.ascontiguousarray(instance.tape), instance.registers.copy()
        observe = pointer(functions.observe, observe_lent, OBSERVE)
        self._side = Side(observe, pointer(functions.act, act_lent, ACT), self._tape, self._registers)
        self._loop = compiled(data_loop)
        signals, data = functions.observe(self._tape, self._registers)
        stores = control.decided(Shown(int(signals), NONE, NONE)).fresh != NONE
        status = ProgramStatus.RUNNING if stores else ProgramStatus.NOTHING_IN_MEMORY
        self.now = DataRegisters(0, NONE, NONE, NONE, int(signals), int(status), 0, 0, 0)
        self._tables = control.tables
        self._memory = empty_memory(self._tables, capacity, np.int64)
        self._output = np.empty(capacity, np.int64)
        self._memory.data[0] = data

    @property
    def goes_on(self) -> bool:
        """Has the data side not ended, and was there something to read?"""
        return not self._registers[DONE] and self.now.status != ProgramStatus.NOTHING_IN_MEMORY

    def allowed(self, ticks: int, memory: int) -> int:
        """The ticks that the budget allows, by what a cell and a word of output take now."""
        cells = memory // (memory_bytes(self._tables, np.int64) + OUTPUT_BYTES)
        return min(ticks, self.now.ticks + max(0, cells - max(self.now.cells, self.now.written)))

    def advance(self, limit: int) -> None:
        """Up to `limit` ticks in all, or until a state is met that is not known, which is then found out."""
        room = len(self._memory.words)
        if room - self.now.cells <= room // LITTLE:
            self._memory = grown_memory(self._memory, 2 * room)
        if self.now.written == len(self._output):
            self._output = grown(self._output, 2 * self.now.written)
        limit = min(limit, self.now.ticks + len(self._memory.words) - self.now.cells)
        self.now = self._loop(self._tables, self._memory, self._side, self._output, self.now, limit)
        if self.now.status == ProgramStatus.UNKNOWN_STATE:
            self._learn()

    def _learn(self) -> None:
        known = self._tables
        self._tables = self._control.learn(self.now.signals, self.now.word, self.now.op)
        if self._tables.lookups != known.lookups:
            self._memory = indexed_anew(self._memory, self._tables.lookups)
            compiled(index_words)(self._memory, self.now.cells)
        self.now = self.now._replace(status=int(ProgramStatus.RUNNING))

    def result(self) -> DataRun:
        """What came of it."""
        return DataRun(
            ended=bool(self._registers[DONE]),
            ticks=self.now.ticks,
            output=self._output[: self.now.written].copy(),
            registers=self._registers,
            checksum=self.now.checksum & CHECKSUM_MASK,
        )


def observe_lent(tape: int, cells: int, registers: int, count: int) -> tuple[Int64, Int64]:
    """An algorithm's `observe` as loops call it."""
    return borrower(array_at(tape, (cells,)), array_at(registers, (count,)))


def act_lent(op: int, word: int, tape: int, cells: int, registers: int, count: int) -> Int64:
    """An algorithm's `act` as loops call it."""
    return borrower(op, word, array_at(tape, (cells,)), array_at(registers, (count,)))
