"""A network that does as it is told, and the search task once more as a loop over its ticks."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int
from numpy.typing import NDArray

from nhc.baselines.search import Form

FORM = Form(cells=5, symbols=3)
NODES = 9


class Script(eqx.Module):
    """y at tick t = table[t] + w x: what is emitted depends on what is fed."""

    table: Float[Array, "ticks outputs"]
    w: Float[Array, "outputs inputs"]


@dataclass(frozen=True)
class Scripted:
    """The state is the number of the tick."""

    inputs: int = FORM.inputs
    outputs: int = FORM.outputs
    ticks: int = NODES

    def initial_parameters(self, rng: np.random.Generator) -> Script:
        return Script(jnp.zeros((self.ticks, self.outputs)), jnp.zeros((self.outputs, self.inputs)))

    def begin(self) -> Int[Array, ""]:
        return jnp.int32(0)

    def step(
        self, parameters: Script, state: Int[Array, ""], x: Float[Array, " inputs"]
    ) -> tuple[Int[Array, ""], Float[Array, " outputs"]]:
        return state + 1, parameters.table[state] + parameters.w @ x


class Expected(NamedTuple):
    """What an episode comes to."""

    loss: float
    search: int
    data: int
    end: int


def tree_words(rng: np.random.Generator) -> NDArray[np.int64]:
    """A configuration for each node: the symbol of each cell."""
    return rng.integers(FORM.symbols, size=(NODES, FORM.cells))


def one_hot(symbols: NDArray[np.int64]) -> NDArray[np.uint8]:
    return (symbols[..., None] == np.arange(FORM.symbols)).astype(np.uint8).reshape(len(symbols), FORM.bits)


def right_outputs(symbols: NDArray[np.int64], goal: int) -> NDArray[np.float64]:
    """Outputs of a network that makes no mistake."""
    table = np.zeros((NODES, FORM.outputs))
    for tick in range(NODES):
        if tick + 1 < NODES:
            table[tick, :-1] = 4.0 * one_hot(symbols[tick + 1 : tick + 2])[0] - 2.0
        table[tick, -1] = 3.0 if tick == goal else -3.0
    return table


def run(script: Script, symbols: NDArray[np.int64], goal: int, *, teacher: bool) -> Expected:
    """Tick by tick, as the paper says it."""
    table, w = np.asarray(script.table, np.float64), np.asarray(script.w, np.float64)
    words = one_hot(symbols).astype(np.float64)
    word, signal, alive = words[0], 0.0, True
    loss, search, data, end = 0.0, 0, 0, 0
    for tick in range(1, goal + 2):
        y = table[tick - 1] + w @ np.array([*word, signal, *words[goal]])
        found = [int(y[3 * cell : 3 * cell + 3].argmax()) for cell in range(FORM.cells)]
        said, wanted = y[-1] > 0, tick == goal + 1
        loss += math.log1p(math.exp(-y[-1] if wanted else y[-1]))
        if tick <= goal:
            right = found == symbols[tick].tolist()
            for cell in range(FORM.cells):
                logits = y[3 * cell : 3 * cell + 3]
                loss += math.log(sum(math.exp(v) for v in logits)) - logits[symbols[tick, cell]]
            if alive:
                search += int(not said) + 2 * int(right)
                data += int(right)
            alive = alive and right and not said
            word = words[tick] if teacher else one_hot(np.array([found]))[0].astype(np.float64)
            signal = 0.0 if teacher else float(said)
        elif alive:
            end = int(said)
    return Expected(loss / (goal + 1), search, data, end)
