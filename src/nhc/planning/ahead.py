"""Data modules evaluated ahead of control, many nodes in one call.

A proved machine builds the breadth-first tree whatever the data are, so the tree's words can be computed
before control reads them: the modules are pure functions, and the results are those of data in the loop.
Networks run many times faster on batches than word by word. The first node that Input takes for the goal is
where control then goes; until there it sees nothing but node numbers.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, UInt8
from numpy.typing import NDArray

from nhc.computer.world import DataBits, Problem
from nhc.data.protocol import DataModules
from nhc.domains.protocol import BRANCHING
from nhc.planning.nodes import applied

PARENTS_AT_ONCE = 512


class Tree(NamedTuple):
    """The nodes 0, 1, ... of a task's tree as the data modules make them."""

    words: NDArray[np.uint8]
    """Packed data words, nodes x bytes."""
    goal: int | None
    """The last node if Input takes it for the goal, else None: no node was."""


def grow(
    modules: DataModules, problem: Problem, *, most_nodes: int, on_progress: Callable[[int], None]
) -> Tree:
    """The tree up to the first goal, or of `most_nodes` nodes; `on_progress` gets the nodes made so far.

    The start itself is not the goal.
    """
    parts = [np.packbits(np.asarray(problem.start))[None]]
    nodes = 1
    for parents in _batches(parts):
        children, met = _children(modules, problem, parents)
        found = np.flatnonzero(met[: most_nodes - nodes])
        parts.append(children[: found[0] + 1 if len(found) else most_nodes - nodes])
        nodes += len(parts[-1])
        on_progress(nodes)
        if len(found) or nodes >= most_nodes:
            return Tree(np.concatenate(parts), nodes - 1 if len(found) else None)
    raise AssertionError("every parent has children, so there is always a next one")


def _batches(parts: list[NDArray[np.uint8]]) -> Iterator[NDArray[np.uint8]]:
    """The nodes in order, `PARENTS_AT_ONCE` at most; `parts` grows meanwhile."""
    for part in parts:
        for begin in range(0, len(part), PARENTS_AT_ONCE):
            yield part[begin : begin + PARENTS_AT_ONCE]


def _children(
    modules: DataModules, problem: Problem, parents: NDArray[np.uint8]
) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """The packed children of all parents in order, and which of them Input takes for the goal."""
    made = applied(modules, parents, tuple(range(BRANCHING)), PARENTS_AT_ONCE)
    children = made.reshape(-1, parents.shape[1])
    words = np.zeros((BRANCHING * PARENTS_AT_ONCE, modules.word_bits), np.uint8)  # One shape is compiled.
    words[: len(children)] = np.unpackbits(children, axis=1, count=modules.word_bits)
    return children, np.asarray(_met(modules, problem, jnp.asarray(words)))[: len(children)]


@eqx.filter_jit
def _met(modules: DataModules, problem: Problem, words: UInt8[Array, "n word"]) -> Bool[Array, " n"]:
    """Which words meet the goal."""
    return jax.vmap(lambda word: problem.goal.met(modules, word))(words)


def taken_for(modules: DataModules, words: UInt8[Array, "n word"], start: DataBits) -> NDArray[np.bool_]:
    """Which words Input takes for the start."""
    return np.asarray(modules.equal(words, jnp.broadcast_to(start, words.shape)))
