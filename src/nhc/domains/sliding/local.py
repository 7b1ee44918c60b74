"""The sliding puzzle's local view: the hole and its neighbours; off the board is a symbol of its own.

Slot 0 is the hole, slot 1 + k the cell of the tile that operation k would slide; operation k exchanges the
two.
"""

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from nhc.domains.local import Numbers, WordForm, namespace, slots_of
from nhc.domains.protocol import BRANCHING, NOP
from nhc.domains.sliding.rules import CELLS, HOLE, source_of

SYMBOLS = ("hole", *(str(tile) for tile in range(1, CELLS)))
BEYOND = len(SYMBOLS)
FORM = WordForm(SYMBOLS, CELLS, 1 + BRANCHING, BEYOND, tuple((0, 1 + op) for op in range(BRANCHING)))


def slot_table() -> NDArray[np.int32]:
    """[cell of the hole, slot] -> cell in view, -1 off the board."""
    table = np.full((CELLS, FORM.slots), -1, np.int32)
    for hole in range(CELLS):
        sources = [source_of(hole, op) for op in range(BRANCHING)]
        table[hole] = [hole, *(-1 if cell is None else cell for cell in sources)]
    return table


def cells_in_view(contents: Numbers) -> Numbers:
    """The hole's cell and those around it."""
    xp = namespace(contents)
    cells: Numbers = xp.asarray(slot_table())[xp.argmax(xp.equal(contents, HOLE), axis=-1)]
    return cells


def act(view: Numbers, op: Numbers) -> tuple[Numbers, Numbers]:
    """Hole and tile change places, if there is a tile."""
    xp = namespace(view)
    before = xp.take_along_axis(view, slots_of(FORM, op), axis=-1)
    hole, tile = before[..., 0], before[..., 1]
    slides = xp.not_equal(tile, BEYOND) & xp.not_equal(op, NOP)
    after = xp.stack([xp.where(slides, tile, hole), xp.where(slides, hole, tile)], axis=-1)
    return slides, after.astype(before.dtype)


def all_views() -> NDArray[np.uint8]:
    """The hole in each cell, with distinct tiles around it: 3,248 views, each of which some board shows."""
    shapes = sorted({tuple(row) for row in (slot_table()[:, 1:] >= 0).tolist()})
    views = []
    for shape in shapes:
        tiles = np.array(list(permutations(range(1, CELLS), sum(shape))), np.uint8)
        part = np.full((len(tiles), FORM.slots), BEYOND, np.uint8)
        part[:, 0] = HOLE
        part[:, 1 + np.flatnonzero(shape)] = tiles
        views.append(part)
    return np.concatenate(views)
