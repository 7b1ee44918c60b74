"""Runs on node numbers: the data modules grow all trees first, then control runs on their nodes.

The modules are pure functions and control sees nothing of a word but Input's equality bit. So as long as a
run follows the tree, which is as long as it is right, this is the run with data in the loop; and each word is
computed once, many at a time.
"""

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, UInt8
from numpy.typing import NDArray

from nhc.algorithms.tree.environment import KnownNodes, TreeEnvironment
from nhc.computer.world import Computer
from nhc.data.protocol import DataModules
from nhc.domains.protocol import BRANCHING, NOP
from nhc.machine.rollout import Run, recorded, step
from nhc.machine.state import initial_state
from nhc.machine.tick import Tick
from nhc.shapes import Count

ROWS = 2048
"""Words of one call of the modules."""


class Trees(NamedTuple):
    """The first nodes of many trees as the data modules make them, and what Input says of them."""

    words: NDArray[np.uint8]
    """Packed, tasks x nodes x bytes."""
    at_goal: Bool[Array, "tasks nodes"]
    at_start: Bool[Array, "tasks nodes"]


class NodeRuns(NamedTuple):
    """What runs did, tasks x ticks."""

    op: Int[Array | np.ndarray, "tasks ticks"]
    read: Int[Array | np.ndarray, "tasks ticks"]
    """Nodes read, within the tree."""
    status: Int[Array | np.ndarray, "tasks ticks"]


def grow_trees(
    modules: DataModules, starts: NDArray[np.uint8], goals: NDArray[np.uint8], nodes: int
) -> Trees:
    """The first `nodes` nodes of each task; `starts` and `goals` are words, tasks x bits."""
    tasks, bits = starts.shape
    packed = np.zeros((tasks, nodes, -(-bits // 8)), np.uint8)
    packed[:, 0] = np.packbits(starts, axis=1)
    begin, end = 0, 1
    while end < nodes:
        children = applied(modules, packed[:, begin:end], tuple(range(BRANCHING)))
        begin, grown = end, end + BRANCHING * (end - begin)
        kept = min(nodes, grown)
        packed[:, end:kept] = children.reshape(tasks, -1, packed.shape[2])[:, : kept - end]
        end = kept
    words = np.unpackbits(packed, axis=2, count=bits)
    at_goal, at_start = (
        modules.equal(jnp.asarray(words), jnp.asarray(np.broadcast_to(one[:, None], words.shape)))
        for one in (goals, starts)
    )
    return Trees(packed, at_goal, at_start)


def left_alone(modules: DataModules, packed: NDArray[np.uint8], rows: int = ROWS) -> NDArray[np.bool_]:
    """Which packed words `nop` leaves as they are: shape (..., bytes) -> (...)."""
    return np.asarray((applied(modules, packed, (NOP,), rows)[..., 0, :] == packed).all(axis=-1))


def applied(
    modules: DataModules, packed: NDArray[np.uint8], ops: tuple[int, ...], rows: int = ROWS
) -> NDArray[np.uint8]:
    """What operations make of words, (..., bytes) -> (..., ops, bytes).

    Each distinct word is run once, `rows` in a call, which is the one shape that is compiled.
    """
    flat = packed.reshape(-1, packed.shape[-1])
    distinct, place = np.unique(flat, axis=0, return_inverse=True)
    parts = []
    for first in range(0, len(distinct), rows):
        part = distinct[first : first + rows]
        words = np.zeros((rows, modules.word_bits), np.uint8)
        words[: len(part)] = np.unpackbits(part, axis=1, count=modules.word_bits)
        parts.append(np.asarray(_all_applied(modules, jnp.asarray(words), ops))[: len(part)])
    results = np.concatenate(parts)[place.reshape(-1)]
    return results.reshape(*packed.shape[:-1], len(ops), packed.shape[-1])


@eqx.filter_jit
def _all_applied(
    modules: DataModules, words: UInt8[Array, "rows word"], ops: tuple[int, ...]
) -> UInt8[Array, "rows ops bytes"]:
    """What each operation makes of each word, packed."""
    view = modules.view(words)
    results = []
    for op in ops:
        changed, change = modules.alu(jnp.full(len(words), op), view)
        results.append(jnp.packbits(modules.insert(changed, change, words), axis=1))
    return jnp.stack(results, axis=1)


@eqx.filter_jit
def run_nodes(
    computer: Computer, at_goal: Bool[Array, "tasks nodes"], at_start: Bool[Array, "tasks nodes"], ticks: int
) -> NodeRuns:
    """Control for `ticks` ticks on each task, given which nodes are taken for the goal and for the start."""
    algorithm = computer.algorithm

    def environment(known: KnownNodes) -> TreeEnvironment:
        return TreeEnvironment(known, len(algorithm.signals), algorithm.backtracks)

    def begin(known: KnownNodes) -> Run:
        return Run(initial_state(computer.config, jnp.int32(0), ticks), environment(known).begin())

    def one(known: KnownNodes, run: Run) -> tuple[Run, Tick]:
        return step(computer.parameters, computer.config, environment(known), run)

    def advance(time: Count, runs: Run) -> tuple[Run, NodeRuns]:
        del time
        runs, made = jax.vmap(one)(trees, runs)
        return runs, NodeRuns(made.op, made.reading.data, runs.side.status)

    trees = jax.vmap(KnownNodes)(at_goal, at_start)
    _, columns = recorded(advance, jax.vmap(begin)(trees), ticks)
    return jax.tree.map(lambda column: jnp.swapaxes(column, 0, 1), columns)
