"""The finite family of the sliding puzzle: all boards, of both parities. An operation keeps the parity."""

from collections.abc import Iterator
from itertools import permutations
from math import factorial

import numpy as np

from nhc.domains.packed import pack
from nhc.domains.sliding.rules import CELLS, Tiles

FAMILY_SIZE = factorial(CELLS)
"""Number of boards by formula: 362,880."""


def family_states() -> Iterator[Tiles]:
    """Every board exactly once, in 72 batches of one choice of the first two cells."""
    orders = np.array(list(permutations(range(CELLS - 2))), np.intp)
    for first in permutations(range(CELLS), 2):
        rest = np.array([tile for tile in range(CELLS) if tile not in first], np.uint8)
        begin = np.broadcast_to(np.array(first, np.uint8), (len(orders), 2))
        yield Tiles(pack(np.concatenate([begin, rest[orders]], axis=1)))


def sample(rng: np.random.Generator, count: int) -> Tiles:
    """`count` independent boards, uniform over all."""
    return Tiles(pack(rng.permuted(np.tile(np.arange(CELLS, dtype=np.uint8), (count, 1)), axis=1)))
