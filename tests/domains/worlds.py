"""Slow twins of the finite worlds: states as lists, operations on them one by one, and small helpers."""

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from nhc.domains.local import FiniteWorld, view_of
from nhc.domains.sliding import Tiles
from nhc.domains.stacking import Stacks


def slide(rows: list[list[int]], op: int) -> list[list[int]]:
    """Look for a tile whose neighbour in the operation's direction is the hole."""
    down, right = ((-1, 0), (0, 1), (1, 0), (0, -1))[op]
    after = [list(row) for row in rows]
    for row in range(3):
        for column in range(3):
            r, c = row + down, column + right
            if 0 <= r < 3 and 0 <= c < 3 and rows[r][c] == 0:
                after[r][c], after[row][column] = rows[row][column], 0
    return after


def grip(places: list[list[int]], held: int | None, op: int) -> tuple[list[list[int]], int | None]:
    """Put down or pick up."""
    after = [list(place) for place in places]
    if held is None and after[op]:
        held = after[op].pop()
    elif held is not None and len(after[op]) < 3:
        after[op].append(held)
        held = None
    return after, held


def tiles(rows: list[list[int]]) -> Tiles:
    """Four bits a cell, by hand."""
    return Tiles(sum(tile * 16**cell for cell, tile in enumerate(tile for row in rows for tile in row)))


def rows_of(code: int) -> list[list[int]]:
    return [[code // 16 ** (3 * row + column) % 16 for column in range(3)] for row in range(3)]


def stacks(places: list[list[int]], held: int | None) -> Stacks:
    code = (held or 0) * 16**12
    for place, boxes in enumerate(places):
        code += sum(box * 16 ** (3 * place + height) for height, box in enumerate(boxes))
    return Stacks(code)


def arrangements(boxes: int) -> Iterator[tuple[list[list[int]], int | None]]:
    """Every arrangement: cut each order of the boxes, and of all but one, into four places."""
    for held in (None, *range(1, boxes + 1)):
        left = [box for box in range(1, boxes + 1) if box != held]
        for order in permutations(left):
            n = len(order)
            for a in range(n + 1):
                for b in range(a, n + 1):
                    for c in range(b, n + 1):
                        places = [list(order[i:j]) for i, j in ((0, a), (a, b), (b, c), (c, n))]
                        if max(map(len, places)) <= 3:
                            yield places, held


def bits(numbers: list[int], symbols: int) -> list[int]:
    """One-hot groups in a row."""
    return [int(symbol == number) for number in numbers for symbol in range(symbols)]


def views_of(world: FiniteWorld, states: tuple) -> set[tuple[int, ...]]:
    """The views that these states show."""
    contents = world.contents(states)
    views = view_of(world.form, contents, world.cells_in_view(contents))
    _, first = np.unique(views.astype(np.int64) @ 16 ** np.arange(world.form.slots), return_index=True)
    return set(map(tuple, views[first].tolist()))
