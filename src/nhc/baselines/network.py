"""What training needs of a recurrent network, and what both networks are made of: affine maps and an LSTM.

The long short-term memory of Hochreiter and Schmidhuber 1997, in the form of Graves et al. 2016, "Methods",
with one layer.
"""

from typing import Protocol, TypeVar, runtime_checkable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from nhc.machine.parameters import Linear

ParametersT = TypeVar("ParametersT")
StateT = TypeVar("StateT")


@runtime_checkable
class Network(Protocol[ParametersT, StateT]):
    """A network of fixed sizes: a hashable value that holds no weights."""

    def initial_parameters(self, rng: np.random.Generator) -> ParametersT:
        """Random weights; consumes `rng`."""
        ...

    def begin(self) -> StateT:
        """The state before the first tick."""
        ...

    def step(
        self, parameters: ParametersT, state: StateT, x: Float[Array, " inputs"]
    ) -> tuple[StateT, Float[Array, " outputs"]]:
        """One tick: the state after it, and the output before any squashing."""
        ...


class LstmState(eqx.Module):
    """State between two ticks."""

    output: Float[Array, " hidden"]
    """h in the equations."""
    cell: Float[Array, " hidden"]
    """s in the equations."""


def initial_linear(inputs: int, outputs: int, rng: np.random.Generator) -> Linear:
    """Weights uniform in ±1/sqrt(inputs), no bias; consumes `rng`, so that every device gives the same."""
    bound = inputs**-0.5
    w = rng.uniform(-bound, bound, (outputs, inputs))
    return Linear(jnp.asarray(w, jnp.float32), jnp.zeros(outputs))


def initial_lstm(inputs: int, hidden: int, rng: np.random.Generator) -> Linear:
    """The map of `lstm_step` for inputs of that size; the forget gates begin half open. Consumes `rng`."""
    return initial_linear(inputs + hidden, 4 * hidden, rng)


def no_lstm_state(hidden: int) -> LstmState:
    """The state before the first tick: zeros."""
    return LstmState(jnp.zeros(hidden), jnp.zeros(hidden))


def lstm_step(gates: Linear, state: LstmState, x: Float[Array, " inputs"]) -> LstmState:
    """One tick of an LSTM.

    i, f, o = σ(W [x; h'] + b), s = f s' + i tanh(W_s [x; h'] + b_s), h = o tanh(s). The rows of `gates` are
    those of i, f, s and o, in this order.
    """
    i, f, s, o = jnp.split(gates(jnp.concatenate([x, state.output])), 4)
    cell = jax.nn.sigmoid(f) * state.cell + jax.nn.sigmoid(i) * jnp.tanh(s)
    return LstmState(jax.nn.sigmoid(o) * jnp.tanh(cell), cell)
