"""The search tree: node i has the children 4i+1..4i+4, one an operation, and no node is ever merged.

Works on plain integers and on arrays of either library alike.
"""

from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from nhc.domains.protocol import BRANCHING

if TYPE_CHECKING:
    from jaxtyping import Array, Int

    NodeT = TypeVar("NodeT", int, NDArray[np.int32], Int[Array, "*n"])
    SignalT = TypeVar("SignalT", int, NDArray[np.int32], Array)
else:  # Names of algorithms can be listed without JAX.
    NodeT, SignalT = TypeVar("NodeT"), TypeVar("SignalT")


def parent(node: NodeT) -> NodeT:
    """The node whose child `node` is; undefined for the root, 0."""
    return (node - 1) // BRANCHING


def child(node: NodeT, op: NodeT) -> NodeT:
    """The node that operation `op` in 0..3 makes of `node`."""
    return node * BRANCHING + 1 + op


def depth(node: int) -> int:
    """Number of operations from the root to `node`."""
    count = 0
    while node > 0:
        node, count = parent(node), count + 1
    return count


def depths(nodes: NDArray[np.int32]) -> NDArray[np.int32]:
    """`depth` of many nodes at once."""
    count = np.zeros_like(nodes)
    while (nodes > 0).any():
        count += nodes > 0
        nodes = np.where(nodes > 0, parent(nodes), 0)
    return count


def path(node: int) -> list[int]:
    """The nodes from `node` up to the root, both included."""
    nodes = [node]
    while nodes[-1] > 0:
        nodes.append(parent(nodes[-1]))
    return nodes


def path_ops(node: int) -> list[int]:
    """The operations that lead from the root to `node`."""
    return [(below - 1) % BRANCHING for below in reversed(path(node)[:-1])]


def level_of(node: int) -> int:
    """The curriculum level at which `node` is a goal: nodes 4L-3..4L belong to level L."""
    return parent(node) + 1


def phase_signals(previous_second: SignalT, equal: SignalT) -> tuple[SignalT, SignalT, SignalT]:
    """(c1, c2, c3) of c2' and I, numbers or arrays of either library."""
    return (1 - equal) - previous_second, equal + previous_second, equal * previous_second
