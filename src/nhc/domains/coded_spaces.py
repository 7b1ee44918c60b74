"""Worlds whose states are one packed code as graphs: the sliding puzzle and stacking.

A row is the code. Four successors, in the order of operations; one without effect makes an equal state.
"""

import numpy as np

from nhc.domains.sliding import LOWEST as TILE_BITS
from nhc.domains.sliding import OFFSETS, SOURCES, Tiles
from nhc.domains.space import Row, Rows, Space
from nhc.domains.stacking import GRIPPER, HEIGHT, LOWEST, Stacks
from nhc.domains.states import CODE_BITS, CODE_MASK

FORMAT = 1
"""Raised when an imported constant changes: kept rules are known by the text of this file."""
SOURCES_FROM, THERE_FROM, BACK_FROM = 1, 5, 9
"""Facts are the goal's code; in the sliding puzzle then, one an operation each, the lowest bits of the cells
that a tile can come from, and how far the hole is shifted there and the tile back."""


def sliding_space(start: Tiles, goal: Tiles) -> Space:
    """The 3x3 sliding puzzle from one single board to another; labels are the operations 0..3."""
    there = [CODE_BITS * max(offset, 0) for offset in OFFSETS]
    back = [CODE_BITS * max(-offset, 0) for offset in OFFSETS]
    facts = np.array([int(goal.code), *SOURCES, *there, *back], np.int64)
    return Space(np.array([int(start.code)]), facts, np.zeros(0, np.int64), 4, expand_sliding, at_code)


def stacking_space(start: Stacks, goal: Stacks) -> Space:
    """Stacking from one single arrangement to another; labels are the operations 0..3."""
    facts = np.array([int(goal.code)], np.int64)
    return Space(np.array([int(start.code)]), facts, np.zeros(0, np.int64), 4, expand_stacking, at_code)


def expand_sliding(facts: Row, scratch: Row, state: Row, made: Rows, labels: Row) -> int:
    """The rule of `nhc.domains.sliding.Sliding.step`."""
    code = state[0]
    hole = ~(code | code >> 1 | code >> 2 | code >> 3) & TILE_BITS
    for op in range(4):
        there, back = facts[THERE_FROM + op], facts[BACK_FROM + op]
        tile = code & (hole << there >> back & facts[SOURCES_FROM + op]) * CODE_MASK
        made[op, 0] = code ^ tile ^ tile << back >> there
        labels[op] = op
    return 4


def expand_stacking(facts: Row, scratch: Row, state: Row, made: Rows, labels: Row) -> int:
    """The rule of `nhc.domains.stacking.Stacking.step`, with the box found by its height."""
    code = state[0]
    held = code >> CODE_BITS * GRIPPER
    for op in range(4):
        labels[op] = op
        made[op, 0] = code
        place = CODE_BITS * HEIGHT * op
        column = code >> place & LOWEST * CODE_MASK
        height = 0
        while column >> CODE_BITS * height != 0:
            height += 1
        if held != 0 and height < HEIGHT:
            made[op, 0] += (held << place + CODE_BITS * height) - (held << CODE_BITS * GRIPPER)
        elif held == 0 and height > 0:
            box = column >> CODE_BITS * (height - 1)
            made[op, 0] += (box << CODE_BITS * GRIPPER) - (box << place + CODE_BITS * (height - 1))
    return 4


def at_code(facts: Row, state: Row) -> int:
    """Is the state the goal?"""
    return int(state[0] == facts[0])
