"""Boards and the exact rules of Sokoban on bit boards, for one state or for many at once.

The paper, section "Learning Algorithmic Solutions", task domain Sokoban. Cell (row, column) is bit row *
width + column of an integer, so row-major order is bit order; rows grow downwards and both numbers count from
0. A state is three such bit boards. Rules are written with bit operators only, which mean the same for Python
integers (one state, a board of any size) and NumPy arrays of uint64 (many states, boards of up to 64 cells).
"""

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from nhc.errors import ConfigError

STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
"""Row and column change of the four moves, in the machine's order up, right, down, left."""


@dataclass(frozen=True)
class Board:
    """A rectangle of `width` x `height` cells, at least 3 x 3 (a wall around one cell).

    Raises ConfigError (code `board.size`) for a smaller one.
    """

    width: int
    height: int

    def __post_init__(self) -> None:
        if min(self.width, self.height) < 3:
            raise ConfigError(
                "board.size", f"a board has at least 3 x 3 cells, this one {self.width} x {self.height}"
            )

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.width * self.height

    @property
    def full(self) -> int:
        """The bit board of all cells."""
        return (1 << self.cells) - 1

    @property
    def rim(self) -> int:
        """The bit board of the outermost cells."""
        return self.full ^ self.mask(self.inner_cells())

    def index(self, row: int, column: int) -> int:
        """The number of a cell, which is its bit."""
        return row * self.width + column

    def place(self, cell: int) -> tuple[int, int]:
        """Row and column of a cell number."""
        return divmod(cell, self.width)

    def holds(self, row: int, column: int) -> bool:
        """Does the board have this cell?"""
        return 0 <= row < self.height and 0 <= column < self.width

    def inner_cells(self) -> tuple[int, ...]:
        """The numbers of the cells inside the rim, ascending."""
        return tuple(
            self.index(row, column)
            for row in range(1, self.height - 1)
            for column in range(1, self.width - 1)
        )

    def mask(self, cells: tuple[int, ...]) -> int:
        """The bit board of the given cells."""
        return sum(1 << cell for cell in set(cells))

    def neighbour(self, cell: int, direction: int, distance: int = 1) -> int | None:
        """The cell `distance` steps away in a direction 0..3, or None beyond the board's edge."""
        row, column = self.place(cell)
        row += STEPS[direction][0] * distance
        column += STEPS[direction][1] * distance
        return self.index(row, column) if self.holds(row, column) else None


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


def replay(board: Board, state: State, ops: list[int]) -> list[State]:
    """The states on the way, the start first: one more than operations."""
    path = [state]
    for op in ops:
        path.append(step(board, path[-1], op))
    return path
