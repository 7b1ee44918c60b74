"""The exact rules of Sokoban on bit boards, for one state or for many at once.

The paper, section "Learning Algorithmic Solutions", task domain Sokoban. A state is three bit boards (see
`board.py`). Everything is written with bit operators only, which mean the same for Python integers (one
state, a board of any size) and NumPy arrays of uint64 (many states, boards of up to 64 cells).
"""

from typing import NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from nhc.domains.sokoban.board import Board

Bits: TypeAlias = int | np.uint64 | NDArray[np.uint64]
"""One bit board, or an array of them."""

ARRAY_CELLS = 64
"""Boards with more cells do not fit an array element; their states are Python integers."""


class State(NamedTuple):
    """Walls, boxes and the agent's one cell as bit boards; no two of them share a cell."""

    walls: Bits
    boxes: Bits
    agent: Bits


def step(board: Board, state: State, op: int) -> State:
    """The state after the agent tried to move up, right, down or left (`op` 0..3).

    The agent moves unless the cell ahead is a wall, or a box whose next cell in that direction is a wall
    or another box; a box ahead of a moving agent moves with it. A move without effect returns an equal
    state. Arrays are broadcast against each other. The walls must enclose the agent: then neither the
    agent nor a box next to it ever stands on the board's edge, so no shift leaves the board or wraps
    into another row.
    """
    walls, boxes, agent = cast("tuple[int, int, int]", state)  # arrays obey the same operators
    left = (0, 1, board.width, 0)[op]
    right = (board.width, 0, 0, 1)[op]
    ahead = agent << left >> right
    pushed_to = (boxes & ahead) << left >> right
    stuck = (pushed_to & (walls | boxes)) << right >> left
    moved = ahead & ~walls & ~stuck
    pushed = moved & boxes
    return State(
        walls,
        boxes ^ pushed ^ (pushed << left >> right),
        moved | (agent & ~(moved << right >> left)),
    )


def solved(state: State, goals: Bits) -> bool | np.bool_ | NDArray[np.bool_]:
    """Does every box stand on one of the goal cells?  (Free goals do not matter.)"""
    boxes, cells = cast("tuple[int, int]", (state.boxes, goals))
    return boxes & cells == boxes
