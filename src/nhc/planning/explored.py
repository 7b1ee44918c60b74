"""What a search with a closed list found: a graph of numbered states, its depths, and plans in it."""

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np

from nhc.domains.space import Row, Rows, Space
from nhc.jit import array_at, borrower, compiled, pointer
from nhc.planning.closed_loop import Ids, Rules, expand_once

LENT = "CPointer(int64), int64"
EXPAND = f"int64({LENT}, {LENT}, {LENT}, {LENT}, CPointer(int64))"
AT_GOAL = f"int64({LENT}, {LENT})"


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
    limit: str | None
    """Which limit ended the search, see `nhc.planning.closed.Limits`; None if none did."""

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
        rules, expand = rules_of(self.space), compiled(expand_once)
        made, labels = room_for(self.space, self.space.most_actions)
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


def rules_of(space: Space) -> Rules:
    """The compiled rules of a space."""
    expand, at_goal = pointer(space.expand, lent_rows, EXPAND), pointer(space.at_goal, lent_row, AT_GOAL)
    return Rules(expand, at_goal, space.facts, space.scratch, space.most_actions)


def lent_rows(  # noqa: PLR0913, PLR0917  Five arrays and their lengths
    facts: int, given: int, scratch: int, room: int, state: int, words: int, made: int, rows: int, labels: int
) -> int:
    """A space's `expand` as loops call it."""
    return borrower(
        *(array_at(facts, (given,)), array_at(scratch, (room,)), array_at(state, (words,))),
        *(array_at(made, (rows, words)), array_at(labels, (rows,))),
    )


def lent_row(facts: int, given: int, state: int, words: int) -> int:
    """A space's `at_goal` as loops call it."""
    return borrower(array_at(facts, (given,)), array_at(state, (words,)))


def room_for(space: Space, rows: int) -> tuple[Rows, Row]:
    """Empty rows, and labels of one state's successors."""
    return np.zeros((rows, len(space.start)), np.int64), np.zeros(space.most_actions, np.int64)
