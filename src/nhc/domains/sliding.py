"""The 3x3 sliding puzzle: exact rules, local view, the family of all boards, and what cannot be reached.

The paper names the puzzle as a task domain without rules; an operation here moves a tile up, right, down or
left into the hole. Cells are numbered row by row from 0; the hole has number 0, tiles 1 to 8. A board is
packed into one integer, see `nhc.domains.states`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from math import factorial
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from nhc.domains.local import CellWorld, Numbers, WordForm, held_in, namespace, require
from nhc.domains.protocol import BRANCHING, NOP, OPS
from nhc.domains.states import CODE_BITS, CODE_MASK, Code, pack, unpack
from nhc.domains.text import items, whole_number
from nhc.errors import InputError

SIDE = 3
CELLS = SIDE * SIDE
HOLE, HOLE_SIGN = 0, "."
SYMBOLS = ("hole", *(str(tile) for tile in range(1, CELLS)))
BEYOND = len(SYMBOLS)
FORM = WordForm(SYMBOLS, CELLS, 1 + BRANCHING, BEYOND, tuple((0, 1 + op) for op in range(BRANCHING)))
"""Slot 0 is the hole, slot 1 + k the cell of the tile that operation k would slide; off the board is a symbol
of its own."""

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
    sum(1 << CODE_BITS * cell for hole in range(CELLS) if (cell := source_of(hole, op)) is not None)
    for op in range(BRANCHING)
)
"""Per operation the lowest bits of the cells from which it can slide a tile."""
LOWEST = sum(1 << CODE_BITS * cell for cell in range(CELLS))
IN_VIEW = np.array(
    [
        [hole, *(-1 if (cell := source_of(hole, op)) is None else cell for op in range(BRANCHING))]
        for hole in range(CELLS)
    ],
    np.int32,
)
"""[cell of the hole, slot] -> cell in view, -1 off the board."""


def odd(board: Tiles) -> bool:
    """Is the parity of a single board odd: the order of its tiles, read row by row without the hole?

    No operation changes it: sliding along a row keeps the order, sliding along a column takes a tile past two
    others. So a board of the other parity cannot be reached, and every one of the same parity can.
    """
    order = [tile for tile in unpack(board.code, CELLS).tolist() if tile != HOLE]
    inversions = sum(before > tile for place, tile in enumerate(order) for before in order[:place])
    return inversions % 2 == 1


def solvable(start: Tiles, goal: Tiles) -> bool:
    """Can `goal` be reached from `start`, both single boards?"""
    return odd(start) == odd(goal)


@dataclass(frozen=True)
class Sliding(CellWorld[Tiles]):
    """Eight tiles and a hole on 3x3 cells; the protocol is `nhc.domains.local.FiniteWorld`."""

    name = "sliding-3x3"
    family = "all boards of 3x3 cells with tiles 1 to 8 and a hole, of both parities"
    form = FORM
    family_size = factorial(CELLS)
    """Number of boards by formula: 362,880."""

    def sample(self, rng: np.random.Generator, count: int) -> Tiles:
        """`count` independent boards, uniform over all; consumes `rng`."""
        return Tiles(pack(rng.permuted(np.tile(np.arange(CELLS, dtype=np.uint8), (count, 1)), axis=1)))

    def step(self, state: Tiles, op: int) -> Tiles:
        """The board after a tile slid up, right, down or left into the hole (`op` 0..3).

        Where there is no such tile, an equal board returns.
        """
        code = cast("int", state.code)  # arrays obey the same operators
        hole = ~(code | code >> 1 | code >> 2 | code >> 3) & LOWEST
        there, back = CODE_BITS * max(OFFSETS[op], 0), CODE_BITS * max(-OFFSETS[op], 0)
        # Only shifts along a row can come to another row; `SOURCES` has no cell that such a shift would
        # reach.
        tile = code & ((hole << there >> back) & SOURCES[op]) * CODE_MASK
        return Tiles(code ^ tile ^ tile << back >> there)

    def key(self, state: Tiles) -> NDArray[np.uint64]:
        """The codes themselves."""
        return np.asarray(state.code, np.uint64)

    def contents(self, state: Tiles) -> NDArray[np.uint8]:
        """The symbol number of each cell: 0 for the hole, else the tile's number."""
        return unpack(state.code, CELLS)

    def from_contents(self, contents: NDArray[np.uint8]) -> Tiles:
        """The inverse of `contents`. Raises InputError (`word.invalid`) unless every symbol occurs once."""
        once = np.sort(contents, axis=-1) == np.arange(CELLS)
        require(once.all(axis=-1), "every tile once and one hole")
        codes = pack(contents)
        return Tiles(int(codes) if contents.ndim == 1 else codes)

    def cells_in_view(self, contents: Numbers) -> Numbers:
        """The hole's cell and those around it, -1 off the board."""
        xp = namespace(contents)
        cells: Numbers = xp.asarray(IN_VIEW)[xp.argmax(xp.equal(contents, HOLE), axis=-1)]
        return cells

    def act(self, view: Numbers, op: Numbers) -> tuple[Numbers, Numbers]:
        """Hole and tile change places, if there is a tile."""
        xp = namespace(view)
        before = held_in(FORM, view, op)
        hole, tile = before[..., 0], before[..., 1]
        slides = xp.not_equal(tile, BEYOND) & xp.not_equal(op, NOP)
        after = xp.stack([xp.where(slides, tile, hole), xp.where(slides, hole, tile)], axis=-1)
        return slides, after.astype(before.dtype)

    def family_states(self) -> Iterator[Tiles]:
        """Every board exactly once, in 72 batches of one choice of the first two cells."""
        orders = np.array(list(permutations(range(CELLS - 2))), np.intp)
        for first in permutations(range(CELLS), 2):
            rest = np.array([tile for tile in range(CELLS) if tile not in first], np.uint8)
            begin = np.broadcast_to(np.array(first, np.uint8), (len(orders), 2))
            yield Tiles(pack(np.concatenate([begin, rest[orders]], axis=1)))

    def views(self) -> NDArray[np.uint8]:
        """The hole in each cell, with distinct tiles around it: 3,248 views, each of a board."""
        views = []
        for shape in np.unique(IN_VIEW[:, 1:] >= 0, axis=0):
            tiles = np.array(list(permutations(range(1, CELLS), int(shape.sum()))), np.uint8)
            part = np.full((len(tiles), FORM.slots), BEYOND, np.uint8)
            part[:, 0] = HOLE
            part[:, 1 + np.flatnonzero(shape)] = tiles
            views.append(part)
        return np.concatenate(views)

    def unsolvable(self, start: Tiles, goal: Tiles) -> str | None:
        """`parity` for two boards of different parity, None for others: see `odd`."""
        return None if solvable(start, goal) else "parity"

    def draw(self, state: Tiles) -> str:
        """Three rows such as `1 2 .`, the hole as a point."""
        signs = [str(tile) if tile != HOLE else HOLE_SIGN for tile in unpack(state.code, CELLS).tolist()]
        return "\n".join(" ".join(signs[start : start + SIDE]) for start in range(0, CELLS, SIDE))

    def plan_text(self, start: Tiles, ops: list[int]) -> str:
        """The names of the operations."""
        del start
        return " ".join(OPS[op] for op in ops)

    def state_to_json(self, state: Tiles) -> object:
        """Three rows of three numbers, 0 for the hole."""
        return unpack(state.code, CELLS).reshape(SIDE, SIDE).tolist()

    def state_from_json(self, value: object) -> Tiles:
        """The inverse of `state_to_json`; raises InputError (code `task.json`) for what is no state."""
        rows = [items(row, "numbers", SIDE, SIDE) for row in items(value, "rows", SIDE, SIDE)]
        tiles = [whole_number(tile, 0, CELLS - 1) for row in rows for tile in row]
        missing = sorted({*range(CELLS)} - {*tiles})
        if missing:
            expected = f"every number from 0 to {CELLS - 1} must occur"
            raise InputError("task.json", f"{expected}, {missing[0]} does not")
        return Tiles(int(pack(np.array(tiles, np.uint8))))
