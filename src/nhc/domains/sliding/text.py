"""Boards of the sliding puzzle for people: drawings, and rows of numbers in JSON."""

import numpy as np

from nhc.domains.packed import pack, unpack
from nhc.domains.reading import items, whole_number
from nhc.domains.sliding.rules import CELLS, HOLE, SIDE, Tiles
from nhc.errors import InputError

HOLE_SIGN = "."


def draw(board: Tiles) -> str:
    """Three rows such as `1 2 .`, the hole as a point."""
    signs = [str(tile) if tile != HOLE else HOLE_SIGN for tile in unpack(board.code, CELLS).tolist()]
    return "\n".join(" ".join(signs[start : start + SIDE]) for start in range(0, CELLS, SIDE))


def to_json(board: Tiles) -> list[list[int]]:
    """Three rows of three numbers, 0 for the hole."""
    rows: list[list[int]] = unpack(board.code, CELLS).reshape(SIDE, SIDE).tolist()
    return rows


def from_json(value: object) -> Tiles:
    """The inverse of `to_json`. Raises InputError (`task.json`)."""
    rows = [items(row, "numbers", SIDE, SIDE) for row in items(value, "rows", SIDE, SIDE)]
    tiles = [whole_number(tile, 0, CELLS - 1) for row in rows for tile in row]
    missing = sorted({*range(CELLS)} - {*tiles})
    if missing:
        raise InputError("task.json", f"every number from 0 to {CELLS - 1} must occur, {missing[0]} does not")
    return Tiles(int(pack(np.array(tiles, np.uint8))))
