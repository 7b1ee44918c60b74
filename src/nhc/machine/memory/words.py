"""The control words of all cells, and lookup by content.

Cosine similarity divides by the norms of key and word. The key's norm is common to all cells and dropped;
sign words have one norm, so there the dot product orders cells as the cosine does, and its terms are exact.
Sums are added up in one fixed order, so that every path gives the same bits.

`WordStore` is what the heads need. `ScannedWords` compares the key with every cell: any word, short
episodes, whole batches. `IndexedWords` (its own file) looks only at the words present: long runs.
"""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Float

from nhc.shapes import NONE, Address, Count, Flag, Word

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


Similarity = Callable[[Word, Float[Array, "word cells"]], Float[Array, " cells"]]

SIMILARITIES: dict[str, Similarity] = {"bits": dot_in_order, "real": cosine_in_order}


@runtime_checkable
class WordStore(Protocol):
    """Cells 0..count-1 hold words; an address out of range writes nothing."""

    @property
    def capacity(self) -> int:
        """Cells that fit."""
        ...

    def at(self, address: Address) -> Word:
        """The word in a cell."""
        ...

    def replace(self, address: Address, old: Word, new: Word, enabled: Flag) -> "WordStore":
        """Overwrite the word of a used cell, whose present word is `old`, where `enabled`."""
        ...

    def append(self, address: Address, new: Word, enabled: Flag) -> "WordStore":
        """Write the word of cell `address` = count, the first unused one, where `enabled`."""
        ...

    def settled(self) -> "WordStore":
        """The same words, ready for `lookup`."""
        ...

    def lookup(self, key: Word, count: Count) -> Address:
        """The used cell most similar to the key, the lowest on ties; NONE if no cell is used."""
        ...

    def grown(self, capacity: int) -> "WordStore":
        """The same words with room for more."""
        ...


class ScannedWords(eqx.Module):
    """Words as they are, one column a cell."""

    words: Float[Array, "word cells"]
    similarity: Similarity = eqx.field(static=True)

    @property
    def capacity(self) -> int:
        return self.words.shape[1]

    def at(self, address: Address) -> Word:
        return self.words[:, address]

    def _written(self, address: Address, new: Word, enabled: Flag) -> "ScannedWords":
        where = jnp.where(enabled, address, self.capacity)
        return ScannedWords(self.words.at[:, where].set(new, mode="drop"), self.similarity)

    def replace(self, address: Address, old: Word, new: Word, enabled: Flag) -> "ScannedWords":
        del old
        return self._written(address, new, enabled)

    def append(self, address: Address, new: Word, enabled: Flag) -> "ScannedWords":
        return self._written(address, new, enabled)

    def settled(self) -> "ScannedWords":
        return self

    def lookup(self, key: Word, count: Count) -> Address:
        cells = jnp.arange(self.capacity)
        similarity = jnp.where(cells < count, self.similarity(key, self.words), -jnp.inf)
        # Two plain reductions run several times faster than argmax, and state the tie rule.
        lowest = jnp.where(similarity == similarity.max(), cells, self.capacity).min()
        return jnp.where(count > 0, lowest, NONE)

    def grown(self, capacity: int) -> "ScannedWords":
        room = capacity - self.capacity
        return ScannedWords(jnp.pad(self.words, ((0, 0), (0, room))), self.similarity)


def scanned_words(word_size: int, capacity: int, words: str) -> ScannedWords:
    """An empty store for `words` = bits or real."""
    return ScannedWords(jnp.zeros((word_size, capacity)), SIMILARITIES[words])
