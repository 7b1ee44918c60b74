"""The memory of a run in plain Python: what the interpreter of texts and the prover follow runs in.

Cells are in the order in which they were written, so cell c + 1 follows cell c in time. A lookup looks at
every cell: this is for short runs, and for reading.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from nhc.program.compiled import BACKWARD, FORWARD, USAGE_BACKWARD, USAGE_FORWARD
from nhc.shapes import NONE

WordT = TypeVar("WordT", int, str)
"""Words are codes in a table, names in a text."""


@dataclass
class PlainMemory(Generic[WordT]):
    """Cells, and the cursor on the one that was read last."""

    words: list[WordT] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    """Where the cursor was when a cell was written."""
    cursor: int = NONE
    """`NONE` before the first tick."""

    def copy(self) -> "PlainMemory[WordT]":
        """The same memory, to be changed apart."""
        return PlainMemory(self.words.copy(), self.parents.copy(), self.cursor)

    def write(self, mark: WordT, add: WordT) -> None:
        """The writes of a tick: `mark` replaces the word under the cursor, if any, `add` is a new cell's.

        There is no new cell where `add` is `NONE`.
        """
        if self.cursor != NONE:
            self.words[self.cursor] = mark
        if add != NONE:
            self.words.append(add)
            self.parents.append(self.cursor)

    def links(self) -> dict[int, int]:
        """The mechanisms by which a link leads from the cursor to a cell, and where."""
        if self.cursor == NONE:
            return {}
        cells = {
            FORWARD: self.cursor + 1,
            BACKWARD: self.cursor - 1,
            USAGE_FORWARD: self._last_child(),
            USAGE_BACKWARD: self.parents[self.cursor],
        }
        return {mechanism: cell for mechanism, cell in cells.items() if 0 <= cell < len(self.words)}

    def _last_child(self) -> int:
        """The newest cell that was written from the cursor, `NONE` if there is none."""
        cells = range(len(self.parents) - 1, self.cursor, -1)
        return next((cell for cell in cells if self.parents[cell] == self.cursor), NONE)

    def first(self, words: Collection[WordT]) -> int:
        """The lowest cell with one of these words, or `NONE`."""
        return min((self.words.index(word) for word in words if word in self.words), default=NONE)
