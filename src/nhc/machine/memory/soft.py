"""Soft attention, for ablations: weightings over all cells instead of addresses, after Graves et al. 2016.

N cells hold control words M_i in rows of M, of which the first `count` are used; w and r are weightings, in
0..1 for each cell, r' the read weighting of the tick before (0 before the first), k a key, β its strength.

Content      c(k, β)_i = exp(β cos(k, M_i)) / Σ_j exp(β cos(k, M_j)) over used cells, where the interface's s
             gives β = 1 + log(1 + exp(s)).
Constrained  M <- M (1 - w e^T) + w v^T with w = g_c r'; data and links stay.
Free write   w = g_w (g_a a + (1 - g_a) c(k, β)), then M as above. a is 1 at the lowest cell never used:
             memory grows and nothing is freed, so that is the DNC's least used cell, and each free head takes
             one in each tick.
Temporal     L_ij <- (1 - w_i - w_j) L_ij + w_i p_j and L_ii = 0, then p <- (1 - Σ w) p + w. Free heads only.
Usage        P_ij <- (1 - w_i) P_ij + w_i r'_j: from where i was written, and
             F_ij <- (1 - r'_j Σ w) F_ij + w_i r'_j: what was written last from j.
Read         r = Σ_m π_m w_m with w_m = c(k, β), L r', L^T r', F r', P^T r' and π the softmax of the mode
             values of those that are not 0 at every cell: a mechanism without a cell has no vote, as in the
             hard machine. If none has one, nothing is read. c_m = M^T r, not normalised.

Gates g are 1 if they are `always`, else sigmoids; at the first write g_a = 1. e and v follow `words`: e = 1
and v = ±1, or e = sigmoid and v as it is. The data word cannot be mixed: it is written and read at the
largest weight, the lowest cell on ties, and written only where g_w > 1/2. With weightings of zeros and ones
this is the hard machine, with three differences: `mix` means nothing here, a free write takes a new cell also
where its gates are closed, and writing the last cell of the temporal list again cuts it from the cell before,
as in the DNC.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, PyTree

from nhc.machine.config import MachineConfig
from nhc.machine.interface import ConstrainedInterface, ReadInterface, WriteInterface
from nhc.machine.memory.cells import DataWord, empty_data, put_data
from nhc.machine.memory.heads import Reading
from nhc.machine.memory.words import SMALLEST_NORM, ScannedWords, WordStore, dot_in_order, dot_squares
from nhc.machine.memory.writing import ERASE_AND_ADD, GATES, SOFT_GATES
from nhc.shapes import NONE, Address, Count, Scalar, Strengths, Word

Weighting = Float[Array, " cells"]
Matrix = Float[Array, "cells cells"]
Words = Float[Array, "word cells"]


class SoftMemory(eqx.Module):
    """Dense matrices over all cells that fit; row i of a matrix belongs to the cell that was written."""

    words: Words
    data: PyTree[Array]
    temporal: Matrix
    """L: how far cell i was written right after cell j."""
    precedence: Weighting
    """p: how far a cell was written last."""
    parent: Matrix
    """P: how far cell i was written from cell j."""
    child: Matrix
    """F: how far cell i is what was written last from cell j."""
    read: Weighting
    """r': how far a cell was read in the tick before."""
    count: Count

    @property
    def capacity(self) -> int:
        """Cells that fit."""
        return self.words.shape[1]

    def grown(self, capacity: int) -> "SoftMemory":
        """The same memory with room for more cells; no result depends on the capacity."""
        room = (0, capacity - self.capacity)

        def pad(array: Array, axes: int) -> Array:
            """Room on the last `axes` axes of `array`."""
            return jnp.pad(array, [(0, 0)] * (array.ndim - axes) + [room] * axes)

        def pad_column(column: Array) -> Array:
            return jnp.pad(column, [room] + [(0, 0)] * (column.ndim - 1))

        return SoftMemory(
            pad(self.words, 1),
            jax.tree.map(pad_column, self.data),
            pad(self.temporal, 2),
            pad(self.precedence, 1),
            pad(self.parent, 2),
            pad(self.child, 2),
            pad(self.read, 1),
            self.count,
        )


def empty_soft_memory(words: WordStore, data_word: DataWord) -> SoftMemory:
    """A memory as large as `words`, which is empty and scanned, for data words like `data_word`."""
    assert isinstance(words, ScannedWords)
    cells = words.capacity
    none, vector = jnp.zeros((cells, cells)), jnp.zeros(cells)
    data = empty_data(data_word, cells)
    return SoftMemory(words.words, data, none, vector, none, none, vector, jnp.int32(0))


def soft_constrained_write(
    memory: SoftMemory, interface: ConstrainedInterface, config: MachineConfig
) -> SoftMemory:
    """Rewrite the control words as far as they were read in the tick before."""
    if not config.constrained_head:
        return memory
    weighting = SOFT_GATES[config.constrained_gate](interface.gate) * memory.read
    parts = ERASE_AND_ADD[config.words](interface.erase, interface.word)
    return eqx.tree_at(lambda m: m.words, memory, overwritten(memory.words, weighting, *parts))


def soft_free_write(
    memory: SoftMemory, interface: WriteInterface, data: DataWord, config: MachineConfig
) -> tuple[SoftMemory, Address]:
    """Write a control word by weights, and the data word where they are largest; takes one new cell.

    Returns the cell of the data word, or NONE where the write gate is not more than half open.
    """
    weighting = write_weighting(memory, interface, config)
    parts = ERASE_AND_ADD[config.words](interface.erase, interface.word)
    total, before = weighting.sum(), memory.read
    parent, child = memory.parent, memory.child
    if config.usage_link:
        parent = (1 - weighting)[:, None] * parent + weighting[:, None] * before[None, :]
        child = (1 - total * before)[None, :] * child + weighting[:, None] * before[None, :]
    cell, enabled = largest(weighting), GATES[config.write_gate](interface.gate)
    after = SoftMemory(
        overwritten(memory.words, weighting, *parts),
        put_data(memory.data, cell, data, enabled),
        linked(memory.temporal, memory.precedence, weighting),
        (1 - total) * memory.precedence + weighting,
        parent,
        child,
        before,
        memory.count + 1,
    )
    return after, jnp.where(enabled, cell, NONE)


def soft_read(
    memory: SoftMemory, interface: ReadInterface, config: MachineConfig
) -> tuple[SoftMemory, Reading]:
    """Mix the five weightings into one and read by it. `addresses` are where each of them is largest."""
    weightings = mechanism_weightings(memory, interface, config)
    voting = weightings.max(axis=1) > 0
    weighting = (mode_shares(interface.modes, voting)[:, None] * weightings).sum(axis=0)
    word = forward(memory.words, weighting)
    address = jnp.where(voting.any(), largest(weighting), NONE)
    addresses = jnp.where(voting, jax.vmap(largest)(weightings), NONE)
    data = jax.tree.map(lambda column: column[address], memory.data)
    return eqx.tree_at(lambda m: m.read, memory, weighting), Reading(address, addresses, word, data)


def mode_shares(modes: Strengths, voting: Bool[Array, " mechanisms"]) -> Strengths:
    """π: the softmax of the mode values of the mechanisms that vote; 0 for the others."""
    best = jnp.where(voting, modes, -jnp.inf).max()
    power = jnp.where(voting, jnp.exp(modes - best), 0.0)
    return power / jnp.maximum(power.sum(), SMALLEST_NORM)


def write_weighting(memory: SoftMemory, interface: WriteInterface, config: MachineConfig) -> Weighting:
    """w = g_w (g_a a + (1 - g_a) c(k, β))."""
    fresh = (jnp.arange(memory.capacity) == memory.count).astype(jnp.float32)
    gate = SOFT_GATES[config.write_gate](interface.gate)
    if config.allocation == "always":
        return gate * fresh
    share = jnp.where(memory.count == 0, 1.0, SOFT_GATES[config.allocation](interface.allocation))
    found = content_weighting(memory.words, interface.key, interface.strength, memory.count)
    return gate * (share * fresh + (1 - share) * found)


def mechanism_weightings(
    memory: SoftMemory, interface: ReadInterface, config: MachineConfig
) -> Float[Array, "mechanisms cells"]:
    """w_m for each mechanism, in the order of `MECHANISMS`."""
    before = memory.read
    content = content_weighting(memory.words, interface.key, interface.strength, memory.count)
    usage = (jnp.zeros_like(before),) * 2
    if config.usage_link:
        usage = (forward(memory.child, before), backward(memory.parent, before))
    temporal = (forward(memory.temporal, before), backward(memory.temporal, before))
    return jnp.stack([content, *temporal, *usage])


def content_weighting(words: Words, key: Word, strength: Scalar, count: Count) -> Weighting:
    """c(k, β): the softmax of β times the cosine over the used cells; 0 everywhere if there are none."""
    norm = jnp.sqrt(dot_squares(words) * (key * key).sum())
    match = (1 + jax.nn.softplus(strength)) * dot_in_order(key, words) / jnp.maximum(norm, SMALLEST_NORM)
    used = jnp.arange(words.shape[1]) < count
    best = jnp.where(used, match, -jnp.inf).max()
    power = jnp.where(used, jnp.exp(match - best), 0.0)
    return power / jnp.maximum(power.sum(), SMALLEST_NORM)


def overwritten(words: Words, weighting: Weighting, erase: Word, add: Word) -> Words:
    """M (1 - w e^T) + w v^T."""
    weights = weighting[None, :]
    return words * (1 - weights * erase[:, None]) + weights * add[:, None]


def linked(temporal: Matrix, precedence: Weighting, weighting: Weighting) -> Matrix:
    """L_ij <- (1 - w_i - w_j) L_ij + w_i p_j, and 0 on the diagonal."""
    row, column = weighting[:, None], weighting[None, :]
    after = (1 - row - column) * temporal + row * precedence[None, :]
    cells = jnp.arange(len(weighting))
    return jnp.where(cells[:, None] == cells[None, :], 0.0, after)


# Products, not sums: XLA would compute each matrix anew for every sum over it.
def forward(matrix: Float[Array, "rows cells"], weighting: Weighting) -> Float[Array, " rows"]:
    """A r."""
    return jnp.matmul(matrix, weighting, precision=jax.lax.Precision.HIGHEST)


def backward(matrix: Matrix, weighting: Weighting) -> Weighting:
    """A^T r."""
    return jnp.matmul(weighting, matrix, precision=jax.lax.Precision.HIGHEST)


def largest(weighting: Weighting) -> Address:
    """The cell with the largest weight, the lowest on ties."""
    cells = jnp.arange(len(weighting))
    return jnp.where(weighting == weighting.max(), cells, len(weighting) - 1).min()
