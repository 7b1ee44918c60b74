"""Sokoban states as rows of 64-bit integers, on boards of any size; walls are no part of them.

Cells that are no wall are numbered in row-major order. The lowest bits of the first word are the number of
the agent's cell, then comes one bit a cell that says whether a box is there; a word has 62 bits.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from nhc.domains.sokoban.pushes import reachable
from nhc.domains.sokoban.rules import Board, State
from nhc.domains.space import Row

WORD_BITS = 62
"""Bits that are used of each word: rows have no negative numbers."""


@dataclass(frozen=True)
class Packing:
    """How the states with these walls are packed. What lies beyond the board counts as wall."""

    board: Board
    walls: int
    """A bit board."""

    @cached_property
    def cells(self) -> tuple[int, ...]:
        """The numbers on the board of the cells that are no wall, ascending."""
        return tuple(cell for cell in range(self.board.cells) if not self.walls >> cell & 1)

    @cached_property
    def number(self) -> dict[int, int]:
        """The inverse of `cells`."""
        return {cell: number for number, cell in enumerate(self.cells)}

    @property
    def agent_bits(self) -> int:
        """Bits that the number of the agent's cell takes."""
        return (len(self.cells) - 1).bit_length()

    @property
    def words(self) -> int:
        """Length of a row."""
        return max(1, -(-(self.agent_bits + len(self.cells)) // WORD_BITS))

    def row(self, boxes: int, agent: int = 0) -> Row:
        """The row with boxes on a bit board, and the agent on the cell of that number."""
        row = [0] * self.words
        row[0] = agent
        for number, cell in enumerate(self.cells):
            word, bit = self._place(number)
            row[word] |= (boxes >> cell & 1) << bit
        return np.array(row, np.int64)

    def state_row(self, state: State) -> Row:
        """The row of a state with these walls."""
        _, boxes, agent = cast("tuple[int, int, int]", state)
        return self.row(boxes, self.number[agent.bit_length() - 1])

    def region_row(self, state: State) -> Row:
        """The same with the smallest cell that the agent can walk to without a push in place of its own."""
        walls, boxes, agent = cast("tuple[int, int, int]", state)
        reached = reachable(self.board, walls | boxes, agent)
        return self.row(boxes, self.number[(reached & -reached).bit_length() - 1])

    def state(self, row: Row) -> State:
        """The inverse of `state_row`; of a row of `region_row` it has the agent on that smallest cell."""
        words = row.tolist()
        boxes = 0
        for number, cell in enumerate(self.cells):
            word, bit = self._place(number)
            boxes |= (words[word] >> bit & 1) << cell
        agent = self.cells[words[0] & (1 << self.agent_bits) - 1]
        return State(self.walls, boxes, 1 << agent)

    def facts(self, mask: Row, value: Row) -> Row:
        """What the rules read; a state is a goal if each word agrees with `value` in the bits of `mask`.

        The number of cells; a mask for the agent's cell; for each cell the next ones in the four directions,
        or the number of cells where there is a wall; one a cell, the word of its box bit, the box bit, and
        its number on the board; one a word, masks of the goal and values of the goal.
        """
        numbers = range(len(self.cells))
        places = [self._place(number) for number in numbers]
        head = [len(self.cells), (1 << self.agent_bits) - 1]
        ahead = [self._next(cell, op) for cell in self.cells for op in range(4)]
        words, bits = [word for word, _ in places], [1 << bit for _, bit in places]
        return np.array([*head, *ahead, *words, *bits, *self.cells, *mask, *value], np.int64)

    def boxes_elsewhere(self, goals: int) -> Row:
        """The box bits of all cells off this bit board: the mask of the goal `all boxes on it`."""
        return self.row(self.board.full & ~goals)

    def _place(self, number: int) -> tuple[int, int]:
        return divmod(self.agent_bits + number, WORD_BITS)

    def _next(self, cell: int, op: int) -> int:
        other = self.board.neighbour(cell, op)
        return len(self.cells) if other is None else self.number.get(other, len(self.cells))
