"""Normal numbers by key and place: the bits of `jax.random`, several times sooner.

Weights are many short rows with a key each. `jax.random` draws them on a CPU by loops that XLA neither merges
nor vectorizes; written out, all rows are one kernel.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key, UInt32

from nhc.errors import ConfigError

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
PARITY = np.uint32(0x1BD11BDA)


class Pair(NamedTuple):
    """Two words of 32 bits: keys, or what is enciphered."""

    high: UInt32[Array, "..."]
    low: UInt32[Array, "..."]


def pair_of(key: Key[Array, ""]) -> Pair:
    """The words of a key; raises ConfigError (`config.value`) unless it is one of threefry2x32."""
    words = jax.random.key_data(key)
    if words.shape != (2,):
        raise ConfigError("config.value", f"key: expected one of threefry2x32, found {key.dtype}")
    return Pair(words[0], words[1])


def threefry(key: Pair, high: UInt32[Array, "..."], low: UInt32[Array, "..."]) -> Pair:
    """Threefry-2x32 with 20 rounds (Salmon et al. 2011), the generator of `jax.random`."""
    words = (key.high, key.low, key.high ^ key.low ^ PARITY)
    high, low = high + words[0], low + words[1]
    for group in range(5):
        for turn in ROTATIONS[group % 2]:
            high = high + low
            low = high ^ (low << np.uint32(turn) | low >> np.uint32(32 - turn))
        high = high + words[(group + 1) % 3]
        low = low + words[(group + 2) % 3] + np.uint32(group + 1)
    return Pair(high, low)


def fold_in(key: Pair, number: UInt32[Array, "..."]) -> Pair:
    """`jax.random.fold_in` for many keys and numbers at once, which are broadcast."""
    return threefry(key, jnp.uint32(0), number)


def normal(key: Pair, place: UInt32[Array, "..."]) -> Float[Array, "..."]:
    """The number at `place` among those that `jax.random.normal` draws from `key`: N(0, 1)."""
    high, low = threefry(key, jnp.uint32(0), place)
    # Bits below a one are a number of [1, 2); it is spread over (-1, 1).
    bits = (high ^ low) >> np.uint32(9) | np.uint32(0x3F800000)
    fraction = jax.lax.bitcast_convert_type(bits, jnp.float32) - np.float32(1)
    least = np.nextafter(np.float32(-1), np.float32(0))
    uniform = jnp.maximum(least, fraction * (np.float32(1) - least) + least)
    return np.float32(np.sqrt(2)) * jax.lax.erf_inv(uniform)
