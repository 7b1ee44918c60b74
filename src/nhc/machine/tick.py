"""One tick of the machine: the stages of design order, a line each. Training, evaluation and traces share it.

The paper, section "The Algorithmic Modules": C(c_i, c_m', c_f') -> c_c, M(c_i, c_c) -> c_m, d_m and
T_C(c_c, c_m, c_i) -> c_f, where primes are the tick before. Our reading of the order: docs/decisions.md.
What the signals mean, and what an operation does, is the business of an algorithm's data side.
"""

import equinox as eqx
import jax
import jax.numpy as jnp

from nhc.machine.config import MachineConfig
from nhc.machine.interface import Interface, memory_interface
from nhc.machine.memory.access import ACCESSES, Past
from nhc.machine.memory.cells import DataWord
from nhc.machine.memory.heads import Reading
from nhc.machine.parameters import Linear, Parameters
from nhc.machine.state import MachineState
from nhc.shapes import Address, Hidden, Signals, Word


class Tick(eqx.Module):
    """What one tick did."""

    op: Address
    """c_f: the operation chosen, 0..ops-1."""
    signals: Signals
    interface: Interface
    written: tuple[Address, ...]
    """The cell that each free head wrote, NONE where its gate was closed."""
    reading: Reading


def tick(
    parameters: Parameters, config: MachineConfig, state: MachineState, data: DataWord, signals: Signals
) -> tuple[MachineState, Tick]:
    """Advance one run by one tick: `data` is d_i, the word to store, and `signals` is c_i.

    The memory must have room for one more cell, with two free heads for two.
    """
    hidden = controller(parameters.controller, signals, state.word, state.op, config)
    interface = memory_interface(parameters.interface, signals, hidden, config)
    past = Past(state.address, state.word)
    memory, written, reading = ACCESSES[config.attention](state.memory, interface, past, data, config)
    op = transform_c(parameters.transform_c, hidden, reading.word, signals)
    after = MachineState(memory, reading.word, op, reading.address)
    return after, Tick(op, signals, interface, written, reading)


def controller(linear: Linear, signals: Signals, word: Word, op: Address, config: MachineConfig) -> Hidden:
    """c_c = tanh(W [c_i, c_m', c_f'] + b), with c_f' one-hot and zero before the first tick."""
    last_op = (jnp.arange(config.ops) == op).astype(jnp.float32)
    return jnp.tanh(linear(jnp.concatenate([signals, word, last_op])))


def transform_c(linear: Linear, hidden: Hidden, word: Word, signals: Signals) -> Address:
    """c_f = argmax(W [c_c, c_m, c_i] + b), the lowest operation on ties."""
    return jnp.argmax(linear(jnp.concatenate([hidden, word, signals]))).astype(jnp.int32)


jitted_tick = jax.jit(tick, static_argnums=1)
"""`tick`, compiled: for stepping through an episode by hand."""
