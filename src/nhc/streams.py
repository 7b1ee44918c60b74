"""Random numbers for one purpose: what a seed feeds in one place never repeats in another."""

from zlib import crc32

import numpy as np


def random_stream(seed: int, purpose: str, *counters: int) -> np.random.Generator:
    """The generator of `purpose` under `seed`, one for each tuple of non-negative `counters`.

    Purposes and counters are a path in NumPy's tree of seed sequences, so no two streams overlap.
    """
    path = (crc32(purpose.encode()), len(counters), *counters)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=path))
