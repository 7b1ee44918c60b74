"""Exact data modules of any world with a local view, from its own `cells_in_view` and `act`.

The paper, section "Data-dependent Modules": what the learned modules must become.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Int, UInt8

from nhc.domains.local import LocalWorld, inserted, view_of
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

    def equal(self, left: UInt8[Array, "*b word"], right: UInt8[Array, "*b word"]) -> Bool[Array, "*b"]:
        """Input: are the two configurations the same?"""
        return (left == right).all(axis=-1)

    def view(self, word: UInt8[Array, "*b word"]) -> UInt8[Array, "*b view"]:
        """Transform_D: the symbols of the slots in view, one-hot."""
        form = self.world.form
        contents = numbers_of(word, len(form.symbols))
        seen = view_of(form, contents, self.world.cells_in_view(contents))
        return bits_of(jnp.asarray(seen), form.view_symbols)

    def alu(
        self, op: Int[Array, "*b"], view: UInt8[Array, "*b view"]
    ) -> tuple[Bool[Array, "*b"], UInt8[Array, "*b change"]]:
        """ALU: does the operation change anything, and the direction (four bits) and slots after it.

        `nop` (4) changes nothing and names the slots of operation 0. Without a change the slots are those of
        the view.
        """
        symbols = self.world.form.view_symbols
        changed, after = self.world.act(numbers_of(view, symbols), op)
        direction = jax.nn.one_hot(jnp.where(op == NOP, 0, op), BRANCHING, dtype=jnp.uint8)
        change = jnp.concatenate([direction, bits_of(jnp.asarray(after), symbols)], axis=-1)
        return jnp.asarray(changed), change

    def insert(
        self, changed: Bool[Array, "*b"], change: UInt8[Array, "*b change"], word: UInt8[Array, "*b word"]
    ) -> UInt8[Array, "*b word"]:
        """Output: the word with the slots of the direction replaced, see `nhc.domains.local.inserted`."""
        form = self.world.form
        contents = numbers_of(word, len(form.symbols))
        op = change[..., :BRANCHING].argmax(axis=-1)
        after = numbers_of(change[..., BRANCHING:], form.view_symbols)
        cells = self.world.cells_in_view(contents)
        return bits_of(jnp.asarray(inserted(form, contents, cells, op, changed, after)), len(form.symbols))


def numbers_of(bits: UInt8[Array, "*b bits"], symbols: int) -> UInt8[Array, "*b groups"]:
    """The set bit of each one-hot group."""
    return bits.reshape(*bits.shape[:-1], -1, symbols).argmax(axis=-1).astype(jnp.uint8)


def bits_of(numbers: UInt8[Array, "*b groups"], symbols: int) -> UInt8[Array, "*b bits"]:
    """One-hot groups of numbers."""
    groups = jax.nn.one_hot(numbers, symbols, dtype=jnp.uint8)
    return groups.reshape(*numbers.shape[:-1], numbers.shape[-1] * symbols)
