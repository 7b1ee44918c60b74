"""Calls of compiled loops, one after another, in memory that grows between them.

What the loops work on is data of some domain, in columns whose entry c is the data word of cell c; entry
`ticks` is the output of the tick before, which the next tick writes into memory.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from nhc.domains.free_tree import TreeState
from nhc.domains.sokoban.rules import State
from nhc.errors import ConfigError
from nhc.program.compiled import Tables
from nhc.program.control import Phase
from nhc.program.memory import Memory, empty_memory, grown_memory
from nhc.program.outcome import ProgramStatus
from nhc.program.registers import Log, Registers, first_registers, log_for

MOST_TICKS = 2**31 - 1
"""Addresses take four bytes."""


class Pace(NamedTuple):
    """How a run is cut into calls; no result depends on it."""

    chunk: int = 1 << 21
    """Ticks of one call. Progress is shown, and Ctrl-C taken, between calls: several times a second."""
    logged: int = 1 << 12
    """The same where every tick is logged."""
    capacity: int = 1 << 16
    """Cells there is room for at first; room doubles when it is used up."""


DEFAULT_PACE = Pace()


@runtime_checkable
class Columns(Protocol):
    """The data of a run."""

    def grown(self, capacity: int) -> "Columns":
        """The same with room for `capacity` ticks; uses up these."""
        ...

    def advance(self, tables: Tables, memory: Memory, run: Registers, limit: int, log: Log) -> Registers:
        """Run until the run ends, has `limit` ticks, or is about to see the goal."""
        ...

    def states(self, addresses: NDArray[np.int64]) -> State | TreeState:
        """The data words of these cells, a batch; cell `ticks` is the output of the last tick."""
        ...


class Executed(NamedTuple):
    """A run at its end."""

    run: Registers
    memory: Memory
    columns: Columns


def execute(
    tables: Tables,
    columns: Columns,
    *,
    max_ticks: int,
    on_chunk: Callable[[Registers, Log], None],
    log_from: Phase = Phase.BACK,
    pace: Pace = DEFAULT_PACE,
) -> Executed:
    """Run until the program halts or `max_ticks` have passed.

    `columns` hold the start as entry 0 and are used up. `on_chunk` gets the run after each call and the log
    of the call's ticks, which is empty before the phase `log_from`. Raises ConfigError (`program.ticks`)
    unless `max_ticks` is in 1..2^31-1.
    """
    if not 1 <= max_ticks <= MOST_TICKS:
        raise ConfigError("program.ticks", f"expected 1 to {MOST_TICKS:,} ticks, found {max_ticks:,}")
    capacity = min(pace.capacity, max_ticks)
    run, memory = first_registers(tables), empty_memory(tables, capacity)
    columns = columns.grown(capacity)
    while run.status == ProgramStatus.RUNNING and run.ticks < max_ticks:
        if run.ticks == capacity:
            capacity = min(2 * capacity, max_ticks)
            memory, columns = grown_memory(memory, capacity), columns.grown(capacity)
        logged = run.phase >= log_from
        limit = min(run.ticks + (pace.logged if logged else pace.chunk), capacity)
        log = log_for(limit - run.ticks if logged else 0)
        done = columns.advance(tables, memory, run, limit, log)
        ticks, run = done.ticks - run.ticks, done
        on_chunk(run, Log(log.address[:ticks], log.op[:ticks], log.word[:ticks]))
    return Executed(run, memory, columns)
