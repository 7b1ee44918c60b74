"""Sokoban as a graph of packed states: by moves of the agent, or by pushes of boxes. All states, none pruned.

A state is a row of 64-bit integers, on boards of any size; walls are no part of it. Cells that are no wall
are numbered in row-major order. The lowest bits of the first word are the number of the agent's cell, then
comes one bit a cell that says whether a box is there; a word has 62 bits.

By moves, a state has always four successors, in the machine's order of operations, and one without effect
makes an equal state. By pushes, the agent's cell stands for all cells that it can walk to: it is the one of
them with the smallest number, so states are equal exactly if the same pushes are possible now and later.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from nhc.domains.sokoban.pushes import reachable
from nhc.domains.sokoban.rules import Board, State
from nhc.domains.space import Row, Rows, Space

WORD_BITS = 62
"""Bits that are used of each word: rows have no negative numbers."""
CELLS, AGENT_MASK, AHEAD = 0, 1, 2
"""Where the first of the facts are, see `Packing.facts`."""
AHEAD_EACH, BITS_FROM, PLACES_FROM, GOAL_FROM = 4, 5, 6, 7
"""After `AHEAD` and so many numbers a cell: words, box bits, numbers on the board, the goal."""
BOX, WALL = -1, -2
"""What cells are marked with that cannot be walked on."""


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


def move_space(board: Board, start: State, goal: State | int) -> Space:
    """By moves; the labels are the operations 0..3.

    `goal` is a bit board of cells, all boxes must stand on them, or a state. A state with other walls than
    the start's is never reached.
    """
    packing = Packing(board, cast("int", start.walls))
    mask, value = np.full(packing.words, -1), np.zeros(packing.words, np.int64)
    if isinstance(goal, int):
        mask = packing.boxes_elsewhere(goal)
    elif goal.walls == start.walls:
        value = packing.state_row(goal)
    else:
        value -= 1
    facts = packing.facts(mask, value)
    return Space(packing.state_row(start), facts, np.zeros(0, np.int64), 4, expand_moves, at_goal)


def push_space(board: Board, start: State, goals: int) -> Space:
    """By pushes; labels are those of `Push`. The goal: all boxes stand on the cells of this bit board."""
    packing = Packing(board, cast("int", start.walls))
    facts = packing.facts(packing.boxes_elsewhere(goals), np.zeros(packing.words, np.int64))
    most = max(1, 4 * cast("int", start.boxes).bit_count())
    scratch = np.zeros(2 * (len(packing.cells) + 1) + 2 * most, np.int64)
    return Space(packing.region_row(start), facts, scratch, most, expand_pushes, at_goal)


def expand_moves(facts: Row, scratch: Row, state: Row, made: Rows, labels: Row) -> int:
    """The four moves; see `nhc.domains.space.Expand`, and `Packing.facts`."""
    cells = facts[CELLS]
    words, bits = AHEAD + AHEAD_EACH * cells, AHEAD + BITS_FROM * cells
    agent = state[0] & facts[AGENT_MASK]
    for op in range(4):
        labels[op] = op
        for word in range(len(state)):
            made[op, word] = state[word]
        ahead = facts[AHEAD + 4 * agent + op]
        if ahead == cells:
            continue
        if state[facts[words + ahead]] & facts[bits + ahead] != 0:
            behind = facts[AHEAD + 4 * ahead + op]
            if behind == cells or state[facts[words + behind]] & facts[bits + behind] != 0:
                continue
            made[op, facts[words + ahead]] ^= facts[bits + ahead]
            made[op, facts[words + behind]] ^= facts[bits + behind]
        made[op, 0] += ahead - agent
    return 4


def expand_pushes(facts: Row, scratch: Row, state: Row, made: Rows, labels: Row) -> int:
    """All pushes that the agent can walk to, in the order in which a walk in all directions meets them.

    Flood 0 starts at the agent and collects the pushes, flood n stands in for the walk after push n. Marks
    tell floods apart, so that they are cleared once.
    """
    cells = facts[CELLS]
    words, bits = AHEAD + AHEAD_EACH * cells, AHEAD + BITS_FROM * cells
    queue, pushes = cells + 1, 2 * (cells + 1)  # where they begin in scratch; marks stand in front
    for cell in range(cells):
        scratch[cell] = BOX if state[facts[words + cell]] & facts[bits + cell] != 0 else 0
    scratch[cells] = WALL
    begin, box, behind, flood, count = state[0] & facts[AGENT_MASK], cells, cells, 0, 0
    agent = begin
    while flood <= count:
        if flood > 0:
            box = begin = scratch[pushes + 2 * (flood - 1)]
            behind = facts[AHEAD + 4 * box + scratch[pushes + 2 * flood - 1]]
            scratch[behind] = BOX
        scratch[queue] = smallest = begin
        scratch[begin] = flood + 1
        head, tail = queue, queue + 1
        while head < tail:
            cell = scratch[head]
            smallest = min(smallest, cell)
            head += 1
            for op in range(4):
                ahead = facts[AHEAD + 4 * cell + op]
                mark = scratch[ahead]
                if mark >= 0 and mark != flood + 1:
                    scratch[ahead] = flood + 1
                    scratch[tail] = ahead
                    tail += 1
                elif mark == BOX and flood == 0 and scratch[facts[AHEAD + 4 * ahead + op]] >= 0:
                    scratch[pushes + 2 * count], scratch[pushes + 2 * count + 1] = ahead, op
                    count += 1
        if flood > 0:
            row = flood - 1
            for word in range(len(state)):
                made[row, word] = state[word]
            made[row, facts[words + box]] ^= facts[bits + box]
            made[row, facts[words + behind]] ^= facts[bits + behind]
            made[row, 0] += smallest - agent
            labels[row] = 4 * facts[AHEAD + PLACES_FROM * cells + box] + scratch[pushes + 2 * row + 1]
            scratch[behind], scratch[box] = 0, BOX
        flood += 1
    return int(count)


def at_goal(facts: Row, state: Row) -> int:
    """Does each word agree with the goal's value in the bits of the goal's mask?"""
    masks = AHEAD + GOAL_FROM * facts[CELLS]
    values = masks + len(state)
    for word in range(len(state)):
        if state[word] & facts[masks + word] != facts[values + word]:
            return 0
    return 1
