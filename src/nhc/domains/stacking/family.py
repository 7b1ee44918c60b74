"""The finite family of stacking: all arrangements of k distinct boxes, one of them perhaps in the gripper.

An arrangement is a shape (heights of the places, and whether the gripper holds a box) and an order of boxes.
Every shape has k! orders, so a uniform shape with a uniform order is a uniform arrangement.
"""

from collections.abc import Iterator
from itertools import permutations, product
from math import comb, factorial

import numpy as np
from numpy.typing import NDArray

from nhc.domains.packed import pack
from nhc.domains.stacking.rules import CELLS, GRIPPER, HEIGHT, PLACES, Stacks


def family_size(boxes: int) -> int:
    """Number of arrangements by formula: 8,520 for 5 boxes."""
    return factorial(boxes) * (_heights(boxes) + _heights(boxes - 1))


def _heights(boxes: int) -> int:
    """Ways to choose the heights of all places, by inclusion and exclusion of places that are too high."""
    return sum(
        (-1) ** high * comb(PLACES, high) * comb(boxes - high * (HEIGHT + 1) + PLACES - 1, PLACES - 1)
        for high in range(PLACES + 1)
        if boxes >= high * (HEIGHT + 1)
    )


def shapes(boxes: int) -> list[tuple[int, ...]]:
    """The occupied cells of every shape, ascending: 71 shapes for 5 boxes."""
    return [
        (
            *(HEIGHT * place + height for place in range(PLACES) for height in range(heights[place])),
            *((GRIPPER,) if held else ()),
        )
        for held in (0, 1)
        for heights in product(range(HEIGHT + 1), repeat=PLACES)
        if sum(heights) + held == boxes
    ]


def family_states(boxes: int) -> Iterator[Stacks]:
    """Every arrangement exactly once, in batches of one shape."""
    orders = np.array(list(permutations(range(1, boxes + 1))), np.uint8)
    for shape in shapes(boxes):
        yield _arranged(np.array([shape] * len(orders), np.intp), orders)


def sample(boxes: int, rng: np.random.Generator, count: int) -> Stacks:
    """`count` independent arrangements, uniform over the family."""
    among = np.array(shapes(boxes), np.intp)
    orders = np.tile(np.arange(1, boxes + 1, dtype=np.uint8), (count, 1))
    return _arranged(among[rng.integers(len(among), size=count)], rng.permuted(orders, axis=1))


def _arranged(cells: NDArray[np.intp], orders: NDArray[np.uint8]) -> Stacks:
    """The boxes of each row of `orders` in the cells of the same row."""
    contents = np.zeros((len(cells), CELLS), np.uint8)
    np.put_along_axis(contents, cells, orders, axis=1)
    return Stacks(pack(contents))
