"""Exact data modules of every world, from its own rules: what the learned modules must become.

The paper, section "Data-dependent Modules".
"""

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, Integer, UInt8, UInt32

from nhc.data.protocol import DataModules
from nhc.domains.free_tree import LAST_NODE, LAST_PARENT, WORD_BITS, FreeTree
from nhc.domains.local import LocalWorld, WordForm, direction_of, inserted, view_of
from nhc.domains.protocol import BRANCHING, NOP
from nhc.domains.registry import AnyDomain, AnyState
from nhc.errors import ConfigError

PLACES = np.arange(WORD_BITS, dtype=np.uint32)


def exact_modules(domain: AnyDomain) -> DataModules:
    """The modules that follow the domain's rules by design.

    Raises ConfigError (`domain.modules`) for a domain without a local view.
    """
    world: object = domain
    if isinstance(world, FreeTree):
        return ExactFreeTree()
    if isinstance(domain, LocalWorld):
        return ExactLocal(domain)
    raise ConfigError("domain.modules", f"{domain.name} has no local view to make data modules of")


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
        return bits_of(seen, form.view_symbols)

    def alu(
        self, op: Int[Array, "*b"], view: UInt8[Array, "*b view"]
    ) -> tuple[Bool[Array, "*b"], UInt8[Array, "*b change"]]:
        """ALU: does the operation change anything, and the direction (four bits) and slots after it.

        `nop` (4) changes nothing and names the slots of operation 0. Without a change the slots are those of
        the view.
        """
        form = self.world.form
        changed, after = self.world.act(numbers_of(view, form.view_symbols), op)
        return jnp.asarray(changed), change_of(form, direction_of(op), jnp.asarray(after))

    def insert(
        self, changed: Bool[Array, "*b"], change: UInt8[Array, "*b change"], word: UInt8[Array, "*b word"]
    ) -> UInt8[Array, "*b word"]:
        """Output: the word with the slots of the direction replaced, see `nhc.domains.local.inserted`."""
        form = self.world.form
        contents = numbers_of(word, len(form.symbols))
        op = change[..., :BRANCHING].argmax(axis=-1)
        after = numbers_of(change[..., BRANCHING:], form.view_symbols)
        cells = self.world.cells_in_view(contents)
        return bits_of(inserted(form, contents, cells, op, changed, after), len(form.symbols))


def numbers_of(bits: UInt8[Array, "*b bits"], symbols: int) -> UInt8[Array, "*b groups"]:
    """The set bit of each one-hot group."""
    return bits.reshape(*bits.shape[:-1], -1, symbols).argmax(axis=-1).astype(jnp.uint8)


def bits_of(numbers: Integer[Array, "*b groups"], symbols: int) -> UInt8[Array, "*b bits"]:
    """One-hot groups of numbers."""
    groups = jax.nn.one_hot(numbers, symbols, dtype=jnp.uint8)
    return groups.reshape(*numbers.shape[:-1], numbers.shape[-1] * symbols)


def change_of(
    form: WordForm, direction: Int[Array, "*b"], after: Integer[Array, "*b changes"]
) -> UInt8[Array, "*b change"]:
    """The local change: the direction, then what its slots hold after it, one-hot."""
    way = jax.nn.one_hot(direction, BRANCHING, dtype=jnp.uint8)
    return jnp.concatenate([way, bits_of(after, form.view_symbols)], axis=-1)


@dataclass(frozen=True)
class ExactFreeTree:
    """Implements `DataModules`; view and change are whole words."""

    name: str = "exact free-tree"
    word_bits: int = WORD_BITS

    def equal(self, left: UInt8[Array, "*b word"], right: UInt8[Array, "*b word"]) -> Bool[Array, "*b"]:
        """Input: the same number."""
        return (left == right).all(axis=-1)

    def view(self, word: UInt8[Array, "*b word"]) -> UInt8[Array, "*b view"]:
        """Transform_D: the number itself."""
        return word

    def alu(
        self, op: Int[Array, "*b"], view: UInt8[Array, "*b view"]
    ) -> tuple[Bool[Array, "*b"], UInt8[Array, "*b change"]]:
        """ALU: 4n + 1 + k for operation k, unchanged for `nop`."""
        node = number(view)
        grown = jnp.minimum(node, np.uint32(LAST_PARENT)) * np.uint32(BRANCHING) + (op + 1).astype(jnp.uint32)
        child = jnp.where(node <= np.uint32(LAST_PARENT), grown, np.uint32(LAST_NODE))
        changed = op != NOP
        return changed, bits(jnp.where(changed, child, node))

    def insert(
        self, changed: Bool[Array, "*b"], change: UInt8[Array, "*b change"], word: UInt8[Array, "*b word"]
    ) -> UInt8[Array, "*b word"]:
        """Output: the change is the whole word."""
        return jnp.where(changed[..., None], change, word)


def number(word: UInt8[Array, "*b word"]) -> UInt32[Array, "*b"]:
    """The node number of a word, lowest bit first."""
    places = jnp.broadcast_to(PLACES, word.shape)
    return (word.astype(jnp.uint32) << places).sum(axis=-1, dtype=jnp.uint32)


def bits(node: UInt32[Array, "*b"]) -> UInt8[Array, "*b word"]:
    """The word of a node number."""
    places = jnp.broadcast_to(PLACES, (*node.shape, WORD_BITS))
    return ((node[..., None] >> places) & np.uint32(1)).astype(jnp.uint8)
