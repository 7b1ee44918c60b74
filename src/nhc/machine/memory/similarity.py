"""Content similarity, added up in one fixed order so that every path gives the same bits.

Cosine similarity divides by the norms of key and word. The key's norm is common to all cells and dropped;
sign words have one norm, so there the dot product orders cells as the cosine does, and its terms are exact.
"""

import jax.numpy as jnp
from jaxtyping import Array, Float

from nhc.shapes import Word

SMALLEST_NORM = 1e-6


def dot_in_order(key: Word, words: Float[Array, "word cells"]) -> Float[Array, " cells"]:
    """Σ_j key_j M_j per cell, added in the order of j: sums of ±key_j round alike everywhere."""
    total = key[0] * words[0]
    for j in range(1, words.shape[0]):
        total = total + key[j] * words[j]
    return total


def cosine_in_order(key: Word, words: Float[Array, "word cells"]) -> Float[Array, " cells"]:
    """Σ_j key_j M_j / |M| per cell, for words of any norm; a zero word has similarity 0."""
    norm = jnp.sqrt(dot_squares(words))
    return dot_in_order(key, words) / jnp.maximum(norm, SMALLEST_NORM)


def dot_squares(words: Float[Array, "word cells"]) -> Float[Array, " cells"]:
    """|M|² per cell."""
    total = words[0] * words[0]
    for j in range(1, words.shape[0]):
        total = total + words[j] * words[j]
    return total
