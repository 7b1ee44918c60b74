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
    """What steers a free write head. Strength has no effect under hard attention."""

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
    second: WriteInterface | None = None
    """The second free head, where there is one."""

    @property
    def writes(self) -> tuple[WriteInterface, ...]:
        """The free heads in the order in which they write."""
        return (self.write,) if self.second is None else (self.write, self.second)


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
        _write_interface(parts, "write"),
        ConstrainedInterface(
            parts["constrained.erase"], parts["constrained.word"], parts["constrained.gate"][0]
        ),
        _write_interface(parts, "second") if config.free_heads == 2 else None,
    )


def _write_interface(parts: dict[str, Word], head: str) -> WriteInterface:
    return WriteInterface(
        parts[f"{head}.key"],
        parts[f"{head}.strength"][0],
        parts[f"{head}.erase"],
        parts[f"{head}.word"],
        parts[f"{head}.gate"][0],
        parts[f"{head}.allocation"][0],
    )
