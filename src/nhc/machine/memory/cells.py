"""The memory: control words, data words and links over one row of cells, and its growth."""

from typing import TypeAlias

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, PyTree

from nhc.machine.memory.links import Links, no_links
from nhc.machine.memory.words import WordStore
from nhc.shapes import Address, Count, Flag

DataWord: TypeAlias = PyTree[Array]
"""A data word is whatever the data modules pass: control never looks inside."""


class Memory(eqx.Module):
    """Cells 0..count-1 are in use. `data` has the structure of a data word with a leading cell axis."""

    words: WordStore
    data: PyTree[Array]
    links: Links
    count: Count

    @property
    def capacity(self) -> int:
        """Cells that fit before the memory must grow."""
        return self.links.capacity

    def data_at(self, address: Address) -> DataWord:
        """The data word in a cell."""
        return jax.tree.map(lambda column: column[address], self.data)

    def grown(self, capacity: int) -> "Memory":
        """The same memory with room for more cells; no result depends on the capacity."""
        room = capacity - self.capacity

        def pad(column: Array) -> Array:
            return jnp.pad(column, [(0, room)] + [(0, 0)] * (column.ndim - 1))

        data = jax.tree.map(pad, self.data)
        return Memory(self.words.grown(capacity), data, self.links.grown(capacity), self.count)


def empty_memory(words: WordStore, data_word: DataWord) -> Memory:
    """A memory as large as `words`, for data words like `data_word`."""
    return Memory(words, empty_data(data_word, words.capacity), no_links(words.capacity), jnp.int32(0))


def empty_data(data_word: DataWord, cells: int) -> PyTree[Array]:
    """A column of `cells` data words like `data_word`."""
    return jax.tree.map(lambda leaf: jnp.zeros((cells, *leaf.shape), leaf.dtype), data_word)


def put_data(data: PyTree[Array], address: Address, word: DataWord, enabled: Flag) -> PyTree[Array]:
    """The data column with `word` at `address` where `enabled`."""

    def put(column: Array, leaf: Array) -> Array:
        return column.at[jnp.where(enabled, address, column.shape[0])].set(leaf, mode="drop")

    return jax.tree.map(put, data, word)
