"""The memory interface: one linear map of signals and controller units, cut into named vectors."""

import equinox as eqx
import jax.numpy as jnp

from nhc.machine.config import MachineConfig
from nhc.machine.layout import interface_blocks
from nhc.machine.parameters import Linear
from nhc.shapes import Hidden, Scalar, Signals, Strengths, Word


class ReadInterface(eqx.Module):
    """What steers the read head. Strength and free gate have no effect under hard attention."""

    key: Word
    strength: Scalar
    modes: Strengths
    free_gate: Scalar


class WriteInterface(eqx.Module):
    """What steers the free write head."""

    key: Word
    strength: Scalar
    erase: Word
    word: Word
    gate: Scalar
    allocation: Scalar


class ConstrainedInterface(eqx.Module):
    """What steers the write head that is bound to the address read last."""

    erase: Word
    word: Word
    gate: Scalar


class Interface(eqx.Module):
    """The interface vector of one tick; every value is the raw output of the linear map."""

    read: ReadInterface
    write: WriteInterface
    constrained: ConstrainedInterface


def memory_interface(linear: Linear, signals: Signals, hidden: Hidden, config: MachineConfig) -> Interface:
    """ξ = W [c_i, c_c] + b, split by the layout's blocks."""
    vector = linear(jnp.concatenate([signals, hidden]))
    parts: dict[str, Word] = {}
    row = 0
    for block in interface_blocks(config):
        parts[block.name.removeprefix("interface.")] = vector[row : row + block.rows]
        row += block.rows
    return Interface(
        ReadInterface(
            parts["read.key"], parts["read.strength"][0], parts["read.modes"], parts["read.free_gate"][0]
        ),
        WriteInterface(
            parts["write.key"],
            parts["write.strength"][0],
            parts["write.erase"],
            parts["write.word"],
            parts["write.gate"][0],
            parts["write.allocation"][0],
        ),
        ConstrainedInterface(
            parts["constrained.erase"], parts["constrained.word"], parts["constrained.gate"][0]
        ),
    )
