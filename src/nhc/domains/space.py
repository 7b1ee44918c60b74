"""A planning task as a graph of numbered words, for search with a closed list: any number of actions a state.

States are rows of 64-bit integers, packed so that equal states have equal rows. Rules are plain functions
over integers and arrays that call no others and allocate nothing, so that they can be compiled as they are.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Row: TypeAlias = NDArray[np.int64]
"""A state, or constants that rules read."""
Rows: TypeAlias = NDArray[np.int64]
"""States, one a row."""

Expand: TypeAlias = Callable[[Row, Row, Row, Rows, Row], int]
"""(facts, scratch, state, made, labels) to the number of successors.

It puts the successors of `state` into the first rows of `made` and the labels of the actions that make them
into the first entries of `labels`, always in the same order. A successor may equal the state.
"""
AtGoal: TypeAlias = Callable[[Row, Row], int]
"""(facts, state) to 1 if the state fulfils the goal, else 0."""


class Space(NamedTuple):
    """A task: where it starts, which states follow a state, which are goals."""

    start: Row
    facts: Row
    """What the rules read: walls, preconditions, the goal."""
    scratch: Row
    """Room that `expand` may use; nothing is kept there between calls."""
    most_actions: int
    """No state has more successors."""
    expand: Expand
    at_goal: AtGoal


@runtime_checkable
class GraphTask(Protocol):
    """A task with what people want to know of it."""

    @property
    def space(self) -> Space:
        """The task as a graph."""
        ...

    @property
    def name(self) -> str:
        """Title or identity, for people."""
        ...

    @property
    def unit(self) -> str:
        """What the length of a plan counts: `move`, `push`, `action`."""
        ...

    def plan_text(self, labels: list[int]) -> str:
        """The plan of these actions as its users write it."""
        ...

    def plan_fault(self, labels: list[int]) -> str | None:
        """The objection of a referee who replays the plan without `expand`; None if it is right."""
        ...
