"""Breadth-first search with a closed list: the graph of a task up to its first goal, each state once.

States are numbered in the order in which they are found, the start is 0. They are expanded in this order, and
a new state is tested for the goal when it is made, so a goal that is found has a shortest plan. Whether the
start itself is a goal is not asked: that is for callers to see before.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.domains.space import Space
from nhc.jit import compiled
from nhc.planning.closed_loop import FREE, Block, Held, Ids, Progress, fill_table, search_loop
from nhc.planning.explored import Explored, room_for, rules_of
from nhc.program.memory import NumberT, grown

ENTRY_BYTES = 4
"""Of a slot of the table."""
SMALL_PART = 16
"""States at first take no more than this part of the memory."""
SMALLEST_GAIN = 64
"""Where memory is short, arrays grow by no less than this part of their length."""
MOST_STATES = 2**31 - 1
"""Numbers of states take four bytes."""
LEAST_CALL, LONGEST_CALL = 0.05, 0.2
"""Seconds that a call of the loop should take, so that Ctrl-C and budgets of time are heard."""


class Limits(NamedTuple):
    """What a search may use; the first limit that is reached ends it."""

    memory: int = 4 * 2**30
    """Bytes of all arrays together, at each moment."""
    generated: int = 2**62
    """No further state is expanded when so many successors have been made."""
    seconds: float = float("inf")
    """Looked at between two calls of the loop."""


DEFAULT_LIMITS = Limits()


class Pace(NamedTuple):
    """How a search is cut and grows; no result depends on it."""

    chunk: int = 1 << 14
    """Successors made in the first call of the loop; later ones take some tenth of a second."""
    states: int = 1 << 15
    """Room at first, which doubles; the table begins with the next power of two of twice as many slots."""
    block: int = 1 << 8
    """Successors whose membership is tested together."""


DEFAULT_PACE = Pace()


def explore(
    space: Space,
    limits: Limits = DEFAULT_LIMITS,
    *,
    on_progress: Callable[[int, int], None] = lambda states, generated: None,
    pace: Pace = DEFAULT_PACE,
) -> Explored:
    """Search until a new state is a goal, no state is left, or a limit is reached.

    `on_progress` is told the numbers of states and of successors made, some times a second.
    """
    search, began, chunk = _Search(space, limits, pace), time.perf_counter(), pace.chunk
    while search.goes_on and search.limit is None:
        if search.now.generated >= limits.generated:
            search.limit = "generated"
        elif time.perf_counter() - began >= limits.seconds:
            search.limit = "seconds"
        else:
            called = time.perf_counter()
            search.advance(chunk)
            on_progress(search.now.states, search.now.generated)
            took = time.perf_counter() - called
            chunk = 2 * chunk if took < LEAST_CALL else max(1, chunk // 2) if took > LONGEST_CALL else chunk
    return search.result()


class _Search:
    """A search between two calls of the loop."""

    def __init__(self, space: Space, limits: Limits, pace: Pace) -> None:
        self._space, self._limits = space, limits
        self._rules, self._loop = rules_of(space), compiled(search_loop)
        small = limits.memory // (SMALL_PART * space.start.nbytes)
        room = max(min(pace.states, small), space.most_actions + 1)
        self._states = np.zeros((room, len(space.start)), np.int64)
        self._states[0] = space.start
        self._offsets = np.zeros(room + 1, np.int64)
        self._successors = np.zeros(room, np.int32)
        self._table = self._filled_table(1, 1 << (2 * room - 1).bit_length())
        rows = pace.block + space.most_actions
        made, labels = room_for(space, rows)
        ends, slots, looked_at = (np.zeros(rows, np.int64) for _ in range(3))
        self._block = Block(made, labels, ends, slots, np.zeros(rows, np.int32), looked_at)
        self.now = Progress(1, 0, 0, -1)
        self.limit: str | None = None

    @property
    def goes_on(self) -> bool:
        """Is there no goal yet, and a state to expand?"""
        return self.now.goal < 0 and self.now.expanded < self.now.states

    def advance(self, chunk: int) -> None:
        """About `chunk` further successors, or until the room is used up, which is then made larger."""
        limit = min(self.now.generated + chunk, self._limits.generated)
        held = Held(self._states, self._offsets, self._successors, self._table)
        self.now = self._loop(self._rules, held, self._block, self.now, limit)
        if self.goes_on and self.now.generated < limit and not self._grow():
            self.limit = "memory"

    def _grow(self) -> bool:
        """Make room for the successors of one more state and, where memory allows, for as much again."""
        states, generated, most = self.now.states, self.now.generated, self._space.most_actions
        if states + most > MOST_STATES:
            return False
        try:
            if len(self._table) // 2 - states < most:
                self._table = self._larger_table(states)
            if len(self._states) - states < most:
                self._states = self._larger(self._states, states + most)
            if len(self._offsets) <= len(self._states):
                self._offsets = self._larger(self._offsets, len(self._states) + 1)
            if len(self._successors) - generated < most:
                self._successors = self._larger(self._successors, generated + most)
        except MemoryError:
            return False
        return True

    def _larger(self, array: NDArray[NumberT], needed: int) -> NDArray[NumberT]:
        """The array with twice the rows, or some more where memory is short; MemoryError if that is few.

        What is copied to a new place has not been touched yet beyond the copy, and large pages serve it.
        """
        room, each = max(2 * len(array), needed), array.nbytes // len(array)
        if room * each <= self._spare:
            new = np.empty((room, *array.shape[1:]), array.dtype)
            new[: len(array)] = array
            return new
        room = len(array) + max(0, self._spare) // 2 // each  # the other half is for the other arrays
        if room < needed + len(array) // SMALLEST_GAIN:
            raise MemoryError
        return grown(array, room)

    def _larger_table(self, states: int) -> Ids:
        """A new table, where memory abounds of four times the slots: states are entered anew half as often.

        Raises MemoryError if none of twice the slots has room beside the old one.
        """
        for size, part in ((4 * len(self._table), 4), (2 * len(self._table), 1)):
            if ENTRY_BYTES * size <= self._spare // part:
                return self._filled_table(states, size)
        raise MemoryError

    @property
    def _spare(self) -> int:
        """Bytes that are left of the budget."""
        return self._limits.memory - sum(
            (self._states.nbytes, self._offsets.nbytes, self._successors.nbytes, self._table.nbytes)
        )

    def _filled_table(self, states: int, size: int) -> Ids:
        table = np.full(size, FREE, np.int32)
        compiled(fill_table)(self._states, states, table)
        return table

    def result(self) -> Explored:
        """What came of it."""
        states, expanded, generated, goal = self.now
        return Explored(
            space=self._space,
            states=self._states[:states],
            offsets=self._offsets[: expanded + 1],
            successors=self._successors[:generated],
            goal=goal if goal >= 0 else None,
            ended=goal < 0 and expanded == states,
            limit=self.limit,
        )
