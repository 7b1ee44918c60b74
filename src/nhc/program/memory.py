"""Memory of a run: a word of one byte and a parent for each cell, and an index of where looked-up words stand.

Cell c is written at tick c + 1, so the temporal list is the order of cells and needs no links. The index is a
tree of bit maps, 64 to one, for each word that some lookup may ask for: a bit of the lowest level stands for
a cell that holds the word, a bit above for 64 bits of which some are set. `lowest` makes most lookups a
single step: a cell that is not above any cell with the word, `NONE` where no cell has the word.
"""

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from nhc.program.compiled import Tables
from nhc.shapes import NONE

FAN = 64
"""Bits of one entry of the index."""
CELL_BYTES = 1 + 4
"""Word and parent."""


class Memory(NamedTuple):
    """The arrays of a run; loops change them in place."""

    words: NDArray[np.uint8]
    parents: NDArray[np.int32]
    """The cell read last when a cell was written, `NONE` at the first tick."""
    bits: NDArray[np.uint64]
    """The index, level after level; entry b of word w is at starts[level] + b * len(lowest) + w."""
    starts: NDArray[np.int64]
    lowest: NDArray[np.int64]
    scanned: NDArray[np.int64]
    """One number: entries of the index that lookups have read so far."""


def memory_bytes(tables: Tables) -> int:
    """Bytes of one cell without data, rounded up: what a tick takes."""
    return CELL_BYTES + -(-tables.lookups * 8 // (FAN - 1))


def empty_memory(tables: Tables, capacity: int) -> Memory:
    """Room for `capacity` cells, at least one."""
    columns = max(1, tables.lookups)
    starts, size = _levels(capacity, columns)
    return Memory(
        words=np.empty(capacity, np.uint8),
        parents=np.empty(capacity, np.int32),
        bits=np.zeros(size, np.uint64),
        starts=starts,
        lowest=np.full(columns, NONE, np.int64),
        scanned=np.zeros(1, np.int64),
    )


def grown_memory(memory: Memory, used: int, capacity: int) -> Memory:
    """The same memory with room for `capacity` cells, the first `used` of which are in use."""
    columns = len(memory.lowest)
    starts, size = _levels(capacity, columns)
    bits = np.zeros(size, np.uint64)
    lowest_level = -(-used // FAN) * columns
    bits[:lowest_level] = memory.bits[:lowest_level]
    for below, start, end in zip(starts[:-1], starts[1:], [*starts[2:], size], strict=True):
        bits[start:end] = _summary(bits[below:start].reshape(-1, columns))
    return memory._replace(
        words=grown(memory.words, used, capacity),
        parents=grown(memory.parents, used, capacity),
        bits=bits,
        starts=starts,
    )


NumberT = TypeVar("NumberT", bound=np.generic)


def grown(column: NDArray[NumberT], used: int, capacity: int) -> NDArray[NumberT]:
    """A longer column with the same first `used` entries; the rest costs nothing until it is written."""
    longer = np.empty(capacity, column.dtype)
    longer[:used] = column[:used]
    return longer


def _levels(capacity: int, columns: int) -> tuple[NDArray[np.int64], int]:
    """Where each level of the index starts, and how long all are; the last has one entry a word."""
    starts, size, entries = [0], 0, capacity
    while True:
        entries = -(-entries // FAN)
        size += entries * columns
        if entries == 1:
            return np.array(starts, np.int64), size
        starts.append(size)


def _summary(level: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The level above, flat."""
    packed = np.packbits(level != 0, axis=0, bitorder="little")
    entries = np.zeros((-(-len(level) // FAN) * 8, level.shape[1]), np.uint8)
    entries[: len(packed)] = packed
    return np.ascontiguousarray(entries.T).view("<u8").T.astype(np.uint64).reshape(-1)
