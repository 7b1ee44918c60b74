"""The finite family behind a sampled Sokoban world: every state that the sampler's counts allow.

States differ in inner walls (0 to 2), boxes (1 to 5) and the agent, on distinct inner cells. An operation
keeps walls and the number of boxes, so the family is closed under the rules.
"""

from collections.abc import Iterator
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from nhc.domains.sokoban.board import Board
from nhc.domains.sokoban.rules import State

MAX_WALLS = 2
MAX_BOXES = 5


def family_size(board: Board) -> int:
    """Number of states by formula: 4,909,088 for 6x6."""
    cells = len(board.inner_cells())
    return sum(
        comb(cells, walls) * comb(cells - walls, boxes) * (cells - walls - boxes)
        for walls in range(MAX_WALLS + 1)
        for boxes in range(1, MAX_BOXES + 1)
        if walls + boxes < cells
    )


def family_states(board: Board) -> Iterator[State]:
    """Every state exactly once, in batches of one choice of walls and one number of boxes."""
    inner = board.inner_cells()
    for walls in range(MAX_WALLS + 1):
        for wall_cells in combinations(inner, walls):
            free = [cell for cell in inner if cell not in wall_cells]
            for boxes in range(1, min(MAX_BOXES, len(free) - 1) + 1):
                yield _placed(board, wall_cells, free, boxes)


def _placed(board: Board, walls: tuple[int, ...], free: list[int], boxes: int) -> State:
    """All places of `boxes` boxes and the agent on the free cells."""
    chosen = np.array(list(combinations(range(len(free)), boxes)), np.intp)
    bits = np.uint64(1) << np.array(free, np.uint64)
    occupied = np.zeros((len(chosen), len(free)), bool)
    np.put_along_axis(occupied, chosen, True, axis=1)
    rows, agents = np.nonzero(~occupied)
    board_bits: NDArray[np.uint64] = np.bitwise_or.reduce(bits[chosen], axis=1)
    wall_bits = np.uint64(board.rim | sum(1 << cell for cell in walls))
    return State(np.full(len(rows), wall_bits), board_bits[rows], bits[agents])


def in_family(board: Board, state: State) -> bool:
    """Does a single state have walls and boxes that the family allows?"""
    walls, boxes = int(state.walls), int(state.boxes)
    inner_walls = (walls & ~board.rim).bit_count()
    return walls & board.rim == board.rim and inner_walls <= MAX_WALLS and 1 <= boxes.bit_count() <= MAX_BOXES
