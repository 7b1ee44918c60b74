"""Batches of states, whatever their fields, and states packed into one integer.

Every state type is a NamedTuple of integers or arrays. Worlds of up to 16 cells and 16 symbols pack a state
into one code, four bits a cell, written with operators that mean the same for Python integers and NumPy
arrays.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nhc.domains.protocol import StateT

Index = NDArray[np.intp] | NDArray[np.int32] | slice | int

Code: TypeAlias = int | np.uint64 | NDArray[np.uint64]
"""Cell c holds the number in bits 4c to 4c + 3; or an array of such codes."""
CODE_BITS = 4
CODE_MASK = 15
"""The bits of cell 0."""


def picked(states: StateT, *index: Index) -> StateT:
    """The states at `index`, one entry an axis of the batch."""
    return type(states)(*(np.asarray(field)[index] for field in states))


def joined(parts: Sequence[StateT]) -> StateT:
    """All states of `parts`, in order."""
    return type(parts[0])(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def regrouped(parts: Iterable[StateT], size: int) -> Iterator[StateT]:
    """The states of all parts, in order, in batches of `size`; the last may be smaller."""
    waiting: list[StateT] = []
    count = 0
    for part in parts:
        waiting.append(part)
        count += len(np.asarray(part[0]))
        while count >= size:
            whole = joined(waiting)
            yield picked(whole, slice(0, size))
            waiting = [picked(whole, slice(size, None))]
            count -= size
    if count:
        yield joined(waiting)


def plain(state: StateT) -> StateT:
    """A single state with Python integers for fields."""
    return type(state)(*(np.asarray(field).item() for field in state))


def pack(contents: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Codes of symbol numbers, shape (..., cells) -> (...)."""
    places = np.arange(contents.shape[-1], dtype=np.uint64) * np.uint64(CODE_BITS)
    return np.asarray(np.bitwise_or.reduce(contents.astype(np.uint64) << places, axis=-1))


def unpack(code: Code, cells: int) -> NDArray[np.uint8]:
    """The symbol number of each cell, shape (...) -> (..., cells)."""
    places = np.arange(cells, dtype=np.uint64) * np.uint64(CODE_BITS)
    numbers: NDArray[np.uint64] = np.asarray(code, np.uint64)[..., None] >> places & np.uint64(CODE_MASK)
    return numbers.astype(np.uint8)
