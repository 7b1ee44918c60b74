"""Batches of states, whatever their fields: every state type is a NamedTuple of integers or arrays."""

from collections.abc import Sequence

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


def plain(state: StateT) -> StateT:
    """A single state with Python integers for fields."""
    return type(state)(*(np.asarray(field, object).item() for field in state))
