"""The free tree: a state is its node number, operation k makes node 4n+1+k of node n.

Every node is a new state, so it is the reference for long runs. Node numbers saturate before they overflow:
children that would need more than 32 bits are all the last number.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.domains.protocol import BRANCHING
from nhc.domains.text import whole_number
from nhc.errors import InputError

WORD_BITS = 32
LAST_NODE = 2**WORD_BITS - 1
LAST_PARENT = (LAST_NODE - BRANCHING) // BRANCHING


class TreeState(NamedTuple):
    """One node, or a batch of nodes."""

    node: NDArray[np.uint64] | int


@dataclass(frozen=True)
class FreeTree:
    """The free tree as a domain; every task starts at node 0."""

    name = "free-tree"
    family = "the infinite tree in which every node has four new children, from node 0"
    word_bits = WORD_BITS

    def sample(self, rng: np.random.Generator, count: int) -> TreeState:
        """`count` times the root; draws nothing from `rng`."""
        del rng
        return TreeState(np.zeros(count, np.uint64))

    def step(self, state: TreeState, op: int) -> TreeState:
        """The child of each node by operation `op` in 0..3."""
        node = np.asarray(state.node, np.uint64)
        grown = np.minimum(node, np.uint64(LAST_PARENT)) * np.uint64(BRANCHING) + np.uint64(1 + op)
        return TreeState(np.where(node <= LAST_PARENT, grown, np.uint64(LAST_NODE)))

    def key(self, state: TreeState) -> NDArray[np.uint64]:
        """The node numbers themselves."""
        return np.asarray(state.node, np.uint64)

    def encode(self, state: TreeState) -> NDArray[np.uint8]:
        """The node number in binary, lowest bit first."""
        node = np.asarray(state.node, np.uint64)
        return ((node[..., None] >> np.arange(WORD_BITS, dtype=np.uint64)) & np.uint64(1)).astype(np.uint8)

    def decode(self, words: NDArray[np.uint8]) -> TreeState:
        """The inverse of `encode`; raises InputError (`word.invalid`) unless words are 32 bits."""
        if words.shape[-1:] != (WORD_BITS,) or not np.isin(words, (0, 1)).all():
            raise InputError("word.invalid", f"expected words of {WORD_BITS} bits, found shape {words.shape}")
        weights = np.uint64(1) << np.arange(WORD_BITS, dtype=np.uint64)
        return TreeState((words.astype(np.uint64) * weights).sum(axis=-1, dtype=np.uint64))

    def draw(self, state: TreeState) -> str:
        """The node number."""
        return str(state.node)

    def plan_text(self, start: TreeState, ops: list[int]) -> str:
        """The numbers of the operations."""
        del start
        return " ".join(map(str, ops))

    def state_to_json(self, state: TreeState) -> object:
        """The node number."""
        return int(state.node)

    def state_from_json(self, value: object) -> TreeState:
        """The inverse of `state_to_json`; raises InputError (code `task.json`) for what is no state."""
        return TreeState(whole_number(value, 0, LAST_NODE))
