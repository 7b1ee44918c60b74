"""The size of a Sokoban board, and cells as bits of one integer.

Cell (row, column) is bit row * width + column, so row-major order is bit order. Rows grow downwards and
both numbers count from 0.
"""

from dataclasses import dataclass

from nhc.errors import ConfigError

UP, RIGHT, DOWN, LEFT = range(4)
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
