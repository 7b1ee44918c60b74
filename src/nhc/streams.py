"""Random numbers for one purpose: what a seed feeds in one place never repeats in another."""

from zlib import crc32

import numpy as np

from nhc.errors import ConfigError

SEEDS = 2**32


def require_seed(seed: object) -> None:
    """Raises ConfigError (`config.value`) unless `seed` is an integer of 0..2^32-1.

    NumPy would take None as well, and then no run could be repeated.
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or not 0 <= seed < SEEDS:
        raise ConfigError("config.value", f"seed: expected 0..{SEEDS - 1}, found {seed!r}")


def random_stream(seed: int, purpose: str, *counters: int) -> np.random.Generator:
    """The generator of `purpose` under `seed`, one for each tuple of non-negative `counters`.

    Purposes and counters are a path in NumPy's tree of seed sequences, so no two streams overlap. Raises what
    `require_seed` raises.
    """
    require_seed(seed)
    path = (crc32(purpose.encode()), len(counters), *counters)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=path))
