"""The state of a run beside its memory, and the log of what its ticks did."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.program.compiled import NO_OP, Tables
from nhc.program.control import Phase
from nhc.program.outcome import ProgramStatus
from nhc.shapes import NONE


class Registers(NamedTuple):
    """A run between two ticks, without its memory."""

    ticks: int
    address: int
    word: int
    op: int
    phase: int
    status: int
    met_at: int
    """The tick that sees the goal, `NONE` before."""
    scanned: int
    """Index entries that lookups have read."""
    checksum: int


class Log(NamedTuple):
    """What ticks did, in order; empty arrays where nobody asked."""

    address: NDArray[np.int64]
    op: NDArray[np.uint8]
    word: NDArray[np.uint8]


def first_registers(tables: Tables) -> Registers:
    """Before the first tick."""
    search, running = int(Phase.SEARCH), int(ProgramStatus.RUNNING)
    return Registers(0, NONE, len(tables.codes), NO_OP, search, running, NONE, 0, 0)


def log_for(ticks: int) -> Log:
    """A log with room for `ticks`."""
    return Log(np.empty(ticks, np.int64), np.empty(ticks, np.uint8), np.empty(ticks, np.uint8))
