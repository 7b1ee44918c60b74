"""The exact rules of the 3x3 sliding puzzle, for one board or for many at once.

The paper names the puzzle as a task domain without rules; an operation here moves a tile up, right, down or
left into the hole. Cells are numbered row by row from 0; the hole has number 0, tiles 1 to 8. See
`nhc.domains.packed` for boards as integers.
"""

from typing import NamedTuple, cast

from nhc.domains.packed import BITS, CELL, Code

SIDE = 3
CELLS = SIDE * SIDE
HOLE = 0

OFFSETS = (SIDE, -1, -SIDE, 1)
"""Per operation where the tile that it slides lies, seen from the hole: `up` slides the tile below it."""


class Tiles(NamedTuple):
    """One board, or a batch of boards."""

    code: Code


def source_of(hole: int, op: int) -> int | None:
    """The cell of the tile that `op` slides into the hole in cell `hole`, None if there is none."""
    row, column = divmod(hole, SIDE)
    row, column = (row + (1, 0, -1, 0)[op], column + (0, -1, 0, 1)[op])
    return SIDE * row + column if 0 <= row < SIDE and 0 <= column < SIDE else None


SOURCES = tuple(
    sum(1 << BITS * cell for hole in range(CELLS) if (cell := source_of(hole, op)) is not None)
    for op in range(len(OFFSETS))
)
"""Per operation the lowest bits of the cells from which it can slide a tile."""
LOWEST = sum(1 << BITS * cell for cell in range(CELLS))


def step(board: Tiles, op: int) -> Tiles:
    """The board after `op` (0..3) slid a tile up, right, down or left into the hole.

    Where there is no such tile, an equal board returns.
    """
    code = cast("int", board.code)  # arrays obey the same operators
    hole = ~(code | code >> 1 | code >> 2 | code >> 3) & LOWEST
    there, back = BITS * max(OFFSETS[op], 0), BITS * max(-OFFSETS[op], 0)
    # Only shifts along a row can come to another row; `SOURCES` has no cell that such a shift would reach.
    tile = code & ((hole << there >> back) & SOURCES[op]) * CELL
    return Tiles(code ^ tile ^ tile << back >> there)
