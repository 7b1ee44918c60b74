"""Exact data modules of any world with a local view, from its own `cells_in_view` and `act`.

The paper, section "Data-dependent Modules": what the learned modules must become.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, UInt8

from nhc.domains.local import LocalWorld, WordForm, slots_of, view_of
from nhc.domains.protocol import BRANCHING, NOP
from nhc.domains.registry import AnyState


class ExactLocal(eqx.Module):
    """Input, Transform_D, ALU and Output by rule; words must encode states of the world.

    Implements `nhc.data.protocol.DataModules`. It has no arrays and is hashable if the world is, so it may
    be a static argument.
    """

    world: LocalWorld[AnyState] = eqx.field(static=True)

    @property
    def name(self) -> str:
        """For example `exact sliding-3x3`."""
        return f"exact {self.world.name}"

    @property
    def word_bits(self) -> int:
        """Length of a data word."""
        return self.world.word_bits

    @property
    def _form(self) -> WordForm:
        return self.world.form

    def equal(self, left: UInt8[Array, "*b word"], right: UInt8[Array, "*b word"]) -> Bool[Array, "*b"]:
        """Input: are the two configurations the same?"""
        return (left == right).all(axis=-1)

    def view(self, word: UInt8[Array, "*b word"]) -> UInt8[Array, "*b view"]:
        """Transform_D: the symbols of the slots in view, one-hot."""
        contents = numbers_of(word, len(self._form.symbols))
        cells = jnp.asarray(self.world.cells_in_view(contents))
        return bits_of(jnp.asarray(view_of(self._form, contents, cells)), self._form.view_symbols)

    def alu(
        self, op: Int[Array, "*b"], view: UInt8[Array, "*b view"]
    ) -> tuple[Bool[Array, "*b"], UInt8[Array, "*b change"]]:
        """ALU: does the operation change anything, and the direction (four bits) and slots after it."""
        symbols = self._form.view_symbols
        changed, after = self.world.act(numbers_of(view, symbols), op)
        direction = jax.nn.one_hot(jnp.where(op == NOP, 0, op), BRANCHING, dtype=jnp.uint8)
        change = jnp.concatenate([direction, bits_of(jnp.asarray(after), symbols)], axis=-1)
        return jnp.asarray(changed), change

    def insert(
        self, changed: Bool[Array, "*b"], change: UInt8[Array, "*b change"], word: UInt8[Array, "*b word"]
    ) -> UInt8[Array, "*b word"]:
        """Output: the word with the slots of the direction replaced.

        Slots without a cell, and symbols that no cell can hold, are dropped.
        """
        form = self._form
        contents = numbers_of(word, len(form.symbols))
        after = numbers_of(change[..., BRANCHING:], form.view_symbols)
        cells = jnp.asarray(self.world.cells_in_view(contents))
        places = jnp.take_along_axis(cells, jnp.asarray(slots_of(form, direction_of(change))), axis=-1)
        numbers = jnp.broadcast_to(jnp.arange(form.cells), contents.shape)
        for number in range(form.changes):
            place, symbol = places[..., number, None], after[..., number, None]
            here = changed[..., None] & (numbers == place) & (symbol < len(form.symbols))
            contents = jnp.where(here, symbol, contents)
        return bits_of(contents, len(form.symbols))


def direction_of(change: UInt8[Array, "*b change"]) -> Int[Array, "*b"]:
    """The operation that a local change belongs to."""
    return change[..., :BRANCHING].argmax(axis=-1)


def numbers_of(bits: UInt8[Array, "*b bits"], symbols: int) -> UInt8[Array, "*b groups"]:
    """The set bit of each one-hot group."""
    return bits.reshape(*bits.shape[:-1], -1, symbols).argmax(axis=-1).astype(jnp.uint8)


def bits_of(numbers: UInt8[Array, "*b groups"], symbols: int) -> UInt8[Array, "*b bits"]:
    """One-hot groups of numbers."""
    groups = jax.nn.one_hot(numbers, symbols, dtype=jnp.uint8)
    return groups.reshape(*numbers.shape[:-1], numbers.shape[-1] * symbols)
