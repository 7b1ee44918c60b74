"""Sokoban as a graph of packed states: by moves of the agent, or by pushes of boxes. All states, none pruned.

By moves, a state has always four successors, in the machine's order of operations, and one without effect
makes an equal state. By pushes, the agent's cell stands for all cells that it can walk to: it is the one of
them with the smallest number, so states are equal exactly if the same pushes are possible now and later.
"""

from typing import cast

import numpy as np

from nhc.domains.sokoban.packing import Packing
from nhc.domains.sokoban.rules import Board, State
from nhc.domains.space import Row, Rows, Space

CELLS, AGENT_MASK, AHEAD = 0, 1, 2
"""Where the first of the facts are, see `Packing.facts`."""
AHEAD_EACH, BITS_FROM, PLACES_FROM, GOAL_FROM = 4, 5, 6, 7
"""After `AHEAD` and so many numbers a cell: words, box bits, numbers on the board, the goal."""
BOX, WALL = -1, -2
"""What cells are marked with that cannot be walked on."""


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
