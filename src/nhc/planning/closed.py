"""Breadth-first search with a closed list: the graph of a task up to its first goal, each state once.

States are numbered in the order in which they are found, the start is 0. They are expanded in this order, and
a new state is tested for the goal when it is made, so a goal that is found has a shortest plan. Whether the
start itself is a goal is not asked: that is for callers to see before.
"""

import time
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.domains.space import Row, Rows, Space
from nhc.jit import compiled, pointer
from nhc.planning.closed_loop import (
    FREE,
    Block,
    Held,
    Ids,
    Progress,
    Rules,
    expand_once,
    fill_table,
    search_loop,
)
from nhc.program.memory import NumberT, grown

EXPAND = "int64(int64[::1], int64[::1], int64[::1], int64[:, ::1], int64[::1])"
AT_GOAL = "int64(int64[::1], int64[::1])"
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


@dataclass(frozen=True, eq=False)
class Explored:
    """What was found of the graph of a task."""

    space: Space
    states: Rows
    """All states by number."""
    offsets: Row
    """State s was expanded if s + 1 < len(offsets); its successors are those from offsets[s] to
    offsets[s + 1]."""
    successors: Ids
    """Numbers of states, in the order in which `expand` makes them. Those of the last state that was expanded
    end with the goal, where there is one."""
    goal: int | None
    """The first goal that was found, the last of all states."""
    ended: bool
    """No state was left to expand and no goal found: none can be reached."""
    changed: int
    """How many of the successors differ from the state they were made of."""
    limit: str | None
    """Which of the `Limits` ended the search: `memory`, `generated`, `seconds`; None if none did."""

    @property
    def generated(self) -> int:
        """How many successors were made."""
        return len(self.successors)

    @property
    def expanded(self) -> int:
        """How many states were expanded, the one that made the goal among them."""
        return len(self.offsets) - 1

    @cached_property
    def layers(self) -> tuple[int, ...]:
        """How many states there are at each depth; unless `ended`, at the last ones only those found."""
        sizes, begin, end = [1], 0, 1
        while begin < self.expanded:
            made = self._made_by(begin, end)
            begin, end = end, max(end, 1 + int(made.max(initial=0)))
            if end > begin:
                sizes.append(end - begin)
        return tuple(sizes)

    @cached_property
    def ends(self) -> list[int]:
        """The number of states up to each depth."""
        return list(accumulate(self.layers))

    def depth(self, state: int) -> int:
        """The least number of actions from the start to a state."""
        return bisect_right(self.ends, state)

    def labels_to(self, state: int) -> list[int]:
        """The labels of the actions of a shortest plan to a state: of its first one in the search's order."""
        return self.labels_along(self.path_to(state))

    def path_to(self, state: int) -> list[int]:
        """The states from the start to this one, each made first by the one before it."""
        path = [state]
        while path[-1] > 0:
            above = self.depth(path[-1]) - 1
            begin = self.ends[above - 1] if above else 0
            place = int((self._made_by(begin, self.ends[above]) == path[-1]).argmax())
            made_by = np.searchsorted(self.offsets, self.offsets[begin] + place, side="right")
            path.append(int(made_by) - 1)
        return path[::-1]

    def labels_along(self, states: list[int]) -> list[int]:
        """The labels of the actions from each of these states to the next, by the first action that does it.

        Raises ValueError if no action does.
        """
        rules, expand = rules_of(self.space), compiled(expand_once, _nrt=False)
        made, labels = _room_for(self.space, self.space.most_actions)
        found = list[int]()
        for before, after in pairwise(states):
            action = self._made_by(before, before + 1).tolist().index(after)
            expand(rules, self.states[before], made, labels)
            found.append(int(labels[action]))
        return found

    def _made_by(self, begin: int, end: int) -> Ids:
        """The successors of the states of these numbers that were expanded."""
        first, last = (self.offsets[min(state, self.expanded)] for state in (begin, end))
        return self.successors[first:last]


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


def rules_of(space: Space) -> Rules:
    """The compiled rules of a space."""
    expand, at_goal = pointer(space.expand, EXPAND), pointer(space.at_goal, AT_GOAL)
    return Rules(expand, at_goal, space.facts, space.scratch, space.most_actions)


class _Search:
    """A search between two calls of the loop."""

    def __init__(self, space: Space, limits: Limits, pace: Pace) -> None:
        self._space, self._limits = space, limits
        self._rules, self._loop = rules_of(space), compiled(search_loop, _nrt=False)
        small = limits.memory // (SMALL_PART * space.start.nbytes)
        room = max(min(pace.states, small), space.most_actions + 1)
        self._states = np.zeros((room, len(space.start)), np.int64)
        self._states[0] = space.start
        self._offsets = np.zeros(room + 1, np.int64)
        self._successors = np.zeros(room, np.int32)
        self._table = self._filled_table(1, 1 << (2 * room - 1).bit_length())
        rows = pace.block + space.most_actions
        made, labels = _room_for(space, rows)
        ends, slots, looked_at = (np.zeros(rows, np.int64) for _ in range(3))
        self._block = Block(made, labels, ends, slots, np.zeros(rows, np.int32), looked_at)
        self.now = Progress(1, 0, 0, 0, -1)
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
        if len(self._table) // 2 - states < most:
            sizes = [grow * len(self._table) for grow in (4, 2)]  # four times: states are entered less often
            fitting = [size for size in sizes if ENTRY_BYTES * size <= self._spare]  # beside the old table
            if not fitting:
                return False
            self._table = self._filled_table(states, fitting[0])
        try:
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

    @property
    def _spare(self) -> int:
        """Bytes that are left of the budget."""
        return self._limits.memory - sum(
            (self._states.nbytes, self._offsets.nbytes, self._successors.nbytes, self._table.nbytes)
        )

    def _filled_table(self, states: int, size: int) -> Ids:
        table = np.full(size, FREE, np.int32)
        compiled(fill_table, _nrt=False)(self._states, states, table)
        return table

    def result(self) -> Explored:
        """What came of it."""
        states, expanded, generated, changed, goal = self.now
        return Explored(
            space=self._space,
            states=self._states[:states],
            offsets=self._offsets[: expanded + 1],
            successors=self._successors[:generated],
            goal=goal if goal >= 0 else None,
            ended=goal < 0 and expanded == states,
            changed=changed,
            limit=self.limit,
        )


def _room_for(space: Space, rows: int) -> tuple[Rows, Row]:
    """Empty rows, and labels of one state's successors."""
    return np.zeros((rows, len(space.start)), np.int64), np.zeros(space.most_actions, np.int64)
