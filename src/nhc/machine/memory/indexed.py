"""Lookup by content over the distinct sign words present instead of over all cells.

There are at most 2^8 sign words. Per word we keep how many cells hold it and the lowest such address, so
a lookup costs the same however many cells are used. The lowest address is mended lazily: when the lowest
cell of a word is overwritten, its pointer walks up to the next cell with that word; a pointer only falls
when a lower cell receives the word, and a word that vanished drops its pointer, so walks stay short.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from nhc.machine.memory.words import dot_in_order
from nhc.shapes import NONE, Address, Count, Flag, Word

NOWHERE = np.iinfo(np.int32).max
"""The lowest address of a word that no cell holds."""


def sign_table(word_size: int) -> Float[Array, "word codes"]:
    """Column i is the sign word with code i: row j is +1 where bit j of i is set."""
    codes = np.arange(2**word_size)
    return jnp.asarray(np.where((codes >> np.arange(word_size)[:, None]) & 1, 1.0, -1.0), jnp.float32)


class IndexedWords(eqx.Module):
    """Sign words as codes, with an index from code to cells."""

    codes: Int[Array, " cells"]
    holders: Int[Array, " codes"]
    lowest: Int[Array, " codes"]
    stale: Int[Array, ""]
    """The code whose pointer may lag behind, or NONE."""
    word_size: int = eqx.field(static=True)

    @property
    def capacity(self) -> int:
        return self.codes.shape[0]

    def at(self, address: Address) -> Word:
        return sign_table(self.word_size)[:, self.codes[address]]

    def replace(self, address: Address, old: Word, new: Word, enabled: Flag) -> "IndexedWords":
        # The old code is computed from `old`, not fetched: XLA would fetch it again after the write and
        # keep a second copy of all cells for that.
        before, after = self._code(old), self._code(new)
        holders = self.holders.at[self._masked(before, enabled)].add(-1, mode="drop")
        vanished = enabled & (holders[before] == 0)
        lowest = self.lowest.at[self._masked(before, vanished)].set(NOWHERE, mode="drop")
        lagging = IndexedWords(
            self.codes, holders, lowest, jnp.where(enabled & ~vanished, before, NONE), self.word_size
        )
        return lagging._with(address, after, enabled)

    def append(self, address: Address, new: Word, enabled: Flag) -> "IndexedWords":
        return self._with(address, self._code(new), enabled)

    def settled(self) -> "IndexedWords":
        stale = jnp.maximum(self.stale, 0)
        pointer = jax.lax.while_loop(
            lambda p: (self.stale != NONE) & (self.codes[jnp.minimum(p, self.capacity - 1)] != stale),
            lambda p: p + 1,
            self.lowest[stale],
        )
        lowest = self.lowest.at[stale].set(jnp.where(self.stale != NONE, pointer, self.lowest[stale]))
        return IndexedWords(self.codes, self.holders, lowest, jnp.full_like(self.stale, NONE), self.word_size)

    def lookup(self, key: Word, count: Count) -> Address:
        similarity = dot_in_order(key, sign_table(self.word_size))
        similarity = jnp.where(self.holders > 0, similarity, -jnp.inf)
        lowest = jnp.where(similarity == similarity.max(), self.lowest, NOWHERE).min()
        return jnp.where(count > 0, lowest, NONE)

    def grown(self, capacity: int) -> "IndexedWords":
        codes = jnp.pad(self.codes, (0, capacity - self.capacity), constant_values=NONE)
        return IndexedWords(codes, self.holders, self.lowest, self.stale, self.word_size)

    def _code(self, word: Word) -> Int[Array, ""]:
        return jnp.sum((word > 0) << jnp.arange(self.word_size)).astype(jnp.int32)

    def _masked(self, code: Int[Array, ""], enabled: Flag) -> Int[Array, ""]:
        return jnp.where(enabled, code, self.holders.shape[0])

    def _with(self, address: Address, code: Int[Array, ""], enabled: Flag) -> "IndexedWords":
        target = self._masked(code, enabled)
        return IndexedWords(
            self.codes.at[jnp.where(enabled, address, self.capacity)].set(code, mode="drop"),
            self.holders.at[target].add(1, mode="drop"),
            self.lowest.at[target].min(address, mode="drop"),
            self.stale,
            self.word_size,
        )


def indexed_words(word_size: int, capacity: int) -> IndexedWords:
    """An empty store for sign words."""
    return IndexedWords(
        jnp.full(capacity, NONE, jnp.int32),
        jnp.zeros(2**word_size, jnp.int32),
        jnp.full(2**word_size, NOWHERE, jnp.int32),
        jnp.int32(NONE),
        word_size,
    )
