"""Batches of states, whatever their fields: every state type is a NamedTuple of integers or arrays."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from nhc.domains.protocol import StateT

Index = NDArray[np.intp] | NDArray[np.int32] | slice | int


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
        count += _length(part)
        while count >= size:
            whole = joined(waiting)
            yield picked(whole, slice(0, size))
            waiting = [picked(whole, slice(size, None))]
            count -= size
    if count:
        yield joined(waiting)


def _length(states: StateT) -> int:
    return len(np.asarray(states[0]))


def plain(state: StateT) -> StateT:
    """A single state with Python integers for fields."""
    return type(state)(*(np.asarray(field).item() for field in state))
