"""What comes of running a program: the twin of `nhc.computer.run.Outcome`, one status richer."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from nhc.domains.registry import AnyState
from nhc.domains.states import picked, plain

UNKNOWN_STATE_CODE = "program.unknown_state"
"""The error code of a run that the program says nothing about."""

MIX = 6364136223846793005
"""Each tick a checksum becomes MIX * checksum + 8 * address + op (mod 2^64); MIX is odd: nothing is lost."""


class ProgramStatus(IntEnum):
    """State of a run. The numbers 0..3 mean what they mean in `nhc.computer.halting.Status`."""

    RUNNING = 0
    """The ticks allowed were not enough."""
    FINISHED = 1
    STOPPED_WITHOUT_GOAL = 2
    NOTHING_IN_MEMORY = 3
    """Never the end of a program: its first write fills a cell."""
    UNKNOWN_STATE = 4
    """The table has no entry for what the next tick meets: another program than a proved machine's."""


@dataclass(frozen=True)
class ProgramOutcome:
    """How a run ended."""

    status: ProgramStatus
    ticks: int
    """Whole ticks; one that met an unknown state does not count."""
    met_at: int | None
    """The tick that saw the goal, None if none did."""
    emitted: AnyState
    """States read since the goal was met, a batch in the order of ticks: from goal to start for Plan."""
    checksum: int
    """Of all addresses and operations, 64 bits: equal runs have equal ones."""

    @property
    def states(self) -> list[AnyState]:
        """The emitted states one by one, in plain integers."""
        return [plain(picked(self.emitted, row)) for row in range(np.asarray(self.emitted[0]).size)]


@dataclass(frozen=True)
class ProgramTrace:
    """A run with every tick; row t is tick t+1."""

    address: NDArray[np.int64]
    """Cell read."""
    op: NDArray[np.int64]
    word: NDArray[np.int64]
    """Code of the control word read."""
    outcome: ProgramOutcome


@dataclass(frozen=True)
class FreeRun:
    """A run on the free tree without a goal."""

    ticks: int
    last_node: int
    """The node made by the last tick; saturated, see `nhc.domains.free_tree`."""
    checksum: int
    breadth_first: bool | None
    """Did tick t read cell (t-1) // 4 and choose operation (t-1) % 4, every one? None if not checked."""
