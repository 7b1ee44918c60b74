"""Exact data modules of the free tree: the node number in binary, the ALU multiplies by four."""

from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, UInt8, UInt32

from nhc.domains.free_tree import LAST_NODE, LAST_PARENT, WORD_BITS
from nhc.domains.protocol import BRANCHING, NOP

PLACES = np.arange(WORD_BITS, dtype=np.uint32)


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
