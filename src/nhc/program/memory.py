"""A run in arrays, for compiled loops: cells, an index of where looked-up words stand, registers, a log.

A cell has a word, a parent and a data word. Cells are written one after the other, so the temporal list is
the order of cells and needs no links. Where each tick writes one, nor does the usage list forward.

The index is a tree of bits, 64 to one, for each word that some lookup may ask for: a bit of the lowest level
stands for a cell that holds the word, a bit above for an entry below that may have a bit. So the next cell
with a word is found in a few steps, wherever it is. Entry e of level 0 is in row e; entry e of level k in row
64^k e + k - 1 of the second half of the columns, where no two entries meet: a longer index starts with the
shorter one. Beside it stand, for each word, the number of cells that hold it and the lowest one, so that most
lookups are a single step.
"""

from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from nhc.algorithms.tape import Int64
from nhc.algorithms.tape import Words as DataWords
from nhc.errors import ConfigError
from nhc.program.compiled import Tables

MOST_TICKS = 2**31 - 1
"""Addresses take four bytes."""
LEVELS = 6
"""64^6 cells are more than addresses can name."""
LOWEST, COUNT = 0, 1
CELL_BYTES, CHILD_BYTES = 1 + 4, 4
"""Word and parent; the data word comes on top, and the child of a gated machine."""


Words: TypeAlias = NDArray[np.uint8]
Parents: TypeAlias = NDArray[np.int32]
Data: TypeAlias = NDArray[np.uint32 | np.int64]
"""Nodes of the tree, or whatever an algorithm stores."""
DataWord: TypeAlias = type[np.uint32] | type[np.int64]
Output: TypeAlias = NDArray[np.int64]
Bits: TypeAlias = NDArray[np.uint64]
Held: TypeAlias = NDArray[np.int64]


class ProgramStatus(IntEnum):
    """State of a run. The numbers 0..3 mean what they mean in `nhc.algorithms.tree.environment.Status`."""

    RUNNING = 0
    """The ticks allowed were not enough."""
    FINISHED = 1
    STOPPED_WITHOUT_GOAL = 2
    NOTHING_IN_MEMORY = 3
    """The first tick stores nothing. Never the end of a proved machine's program."""
    UNKNOWN_STATE = 4
    """The table has no entry for what the next tick meets: another program than a proved machine's."""


class Pace(NamedTuple):
    """How a run is cut into calls of a loop; no result depends on it."""

    capacity: int
    """Cells there is room for at first; room doubles when it is used up, or nearly so."""
    chunk: int = 1 << 21
    """Most ticks of one call. Progress is shown, and Ctrl-C taken, between calls: several times a second."""


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


class DataRegisters(NamedTuple):
    """The same for a run on an algorithm's own data, whose next tick has been observed already."""

    ticks: int
    address: int
    word: int
    op: int
    signals: int
    """What the next tick is shown; signal k is bit k."""
    status: int
    cells: int
    """Cells written; the number of the next one."""
    written: int
    """Words of output."""
    checksum: int


class Side(NamedTuple):
    """A data side: its functions as loops call them, see `nhc.jit.pointer`, and what they read and change."""

    observe: Callable[..., tuple[Int64, Int64]]
    act: Callable[..., Int64]
    tape: DataWords
    registers: DataWords


class Log(NamedTuple):
    """What ticks did, in order; empty arrays where nobody asked."""

    address: NDArray[np.int64]
    op: NDArray[np.uint8]
    word: NDArray[np.uint8]


class Memory(NamedTuple):
    """The arrays of a run; loops change them in place."""

    words: Words
    parents: Parents
    """The cell read last when a cell was written, `NONE` at the first tick."""
    children: Parents
    """The cell that was written last while a cell was the one read last; empty unless control is gated."""
    data: Data
    """The data word in each cell, and one entry more: the one that the next tick writes."""
    bits: Bits
    """The index: word w has the columns w, for level 0, and len(held) + w."""
    held: Held
    """Word -> columns `LOWEST` and `COUNT`: no lower cell holds the word, if any does; how many hold it."""


def require_ticks(max_ticks: int) -> None:
    """Raises ConfigError (`program.ticks`) for a budget that addresses could not count, or that is none."""
    if not 1 <= max_ticks <= MOST_TICKS:
        raise ConfigError("program.ticks", f"expected 1 to {MOST_TICKS:,} ticks, found {max_ticks:,}")


def log_for(ticks: int) -> Log:
    """A log with room for `ticks`."""
    return Log(np.empty(ticks, np.int64), np.empty(ticks, np.uint8), np.empty(ticks, np.uint8))


def memory_bytes(tables: Tables, data: DataWord) -> int:
    """Bytes of one cell, rounded up: what a tick takes."""
    child = CHILD_BYTES if tables.gated else 0
    return CELL_BYTES + child + np.dtype(data).itemsize + -(-2 * tables.lookups // 8)


def empty_memory(tables: Tables, capacity: int, data: DataWord) -> Memory:
    """Room for `capacity` cells."""
    return Memory(
        words=np.empty(capacity, np.uint8),
        parents=np.empty(capacity, np.int32),
        children=np.empty(capacity if tables.gated else 0, np.int32),
        data=np.zeros(capacity + 1, data),
        bits=np.zeros((_index_rows(capacity), 2 * tables.lookups), np.uint64),
        held=np.zeros((tables.lookups, 2), np.int64),
    )


def grown_memory(memory: Memory, capacity: int) -> Memory:
    """The same memory with room for `capacity` cells; uses up `memory`."""
    return memory._replace(
        words=grown(memory.words, capacity),
        parents=grown(memory.parents, capacity),
        children=grown(memory.children, capacity) if len(memory.children) else memory.children,
        data=grown(memory.data, capacity + 1),
        bits=grown(memory.bits, _index_rows(capacity)),
    )


NumberT = TypeVar("NumberT", bound=np.generic)


def grown(column: NDArray[NumberT], length: int) -> NDArray[NumberT]:
    """The column with `length` rows, the new ones zero; uses up `column`.

    Where the system can, its pages are mapped anew and not copied: that halves what a long run pays for
    memory.
    """
    column.resize((length, *column.shape[1:]), refcheck=False)
    return column


def indexed_anew(memory: Memory, lookups: int) -> Memory:
    """The same memory with an empty index for `lookups` words."""
    bits = np.zeros((len(memory.bits), 2 * lookups), np.uint64)
    return memory._replace(bits=bits, held=np.zeros((lookups, 2), np.int64))


def _index_rows(capacity: int) -> int:
    """An entry of 64 cells a row, and the rows that follow the first for the upper levels."""
    return -(-capacity // 64) + LEVELS
