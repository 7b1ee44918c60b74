"""The paper's Search task for networks that emit configurations: one episode, its loss and its points.

The paper, section "Details on the implementations of the comparison methods": per tick the network gets its
own last output and the goal configuration, and is to emit the next configuration of the search tree and a
signal that the goal has been reached. Our readings: docs/baselines.md.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Bool, Float, Int, UInt8

from nhc.baselines.network import Network, ParametersT, StateT
from nhc.shapes import Count, Flag, Scalar

Bits = Float[Array, " bits"]


class Form(NamedTuple):
    """How a data word is cut: bit `symbols * cell + symbol` is set if the cell holds that symbol."""

    cells: int
    symbols: int

    @property
    def bits(self) -> int:
        """Length of a data word."""
        return self.cells * self.symbols

    @property
    def inputs(self) -> int:
        """Size of an input: the last output, configuration and signal, and the goal configuration."""
        return 2 * self.bits + 1

    @property
    def outputs(self) -> int:
        """Size of an output: a configuration and the signal."""
        return self.bits + 1


class Trial(NamedTuple):
    """One task: the configurations of nodes 0, 1, ... of its search tree, packed, and the goal's node."""

    words: UInt8[Array, "nodes bytes"]
    goal: Count
    """T_e, at most nodes - 1."""


class Result(NamedTuple):
    """What an episode came to."""

    loss: Scalar
    search: Count
    """Points of the ticks 1..T_e up to and including the first mistake; 3 T_e at most."""
    data: Count
    """Ticks of these with the right configuration."""
    end: Count
    """1 if the signal came at tick T_e + 1, after a faultless search."""


class _Carry(NamedTuple):
    """What one tick hands to the next."""

    word: Bits
    signal: Scalar
    alive: Flag


def episode(
    network: Network[ParametersT, StateT], parameters: ParametersT, trial: Trial, form: Form, *, teacher: bool
) -> Result:
    """Run a task for as many ticks as it has nodes: enough for T_e + 1.

    Up to and including its first mistake a network gets the same inputs with `teacher` and without, so
    points do not depend on it.
    """
    words = jnp.unpackbits(trial.words, axis=1, count=form.bits).astype(jnp.float32)
    goal = words[trial.goal]
    # Tick t = 1, 2, ... is to emit node t; what is beyond the last tick of the search is not looked at.
    wanted = jnp.concatenate([words[1:], words[:1]])

    def tick(carry: tuple[StateT, _Carry], now: tuple[Count, Bits]) -> tuple[tuple[StateT, _Carry], Result]:
        state, (word, signal, alive) = carry
        time, right_word = now
        state, output = network.step(parameters, state, jnp.concatenate([word, signal[None], goal]))
        searching, ending = time <= trial.goal, time == trial.goal + 1
        emitted, said = hardened(form, output)
        data_right = (emitted == right_word).all()
        signal_right = said == ending
        loss = tick_loss(form, output, right_word, searching, ending)
        result = Result(
            loss=loss / (trial.goal + 1),
            search=alive * searching * (signal_right + 2 * data_right),
            data=alive * searching * data_right,
            end=alive * ending * signal_right,
        )
        if teacher:
            fed, fed_signal = right_word, ending.astype(jnp.float32)
        else:
            fed, fed_signal = emitted, said.astype(jnp.float32)
        return (state, _Carry(fed, fed_signal, alive & data_right & signal_right)), result

    first = _Carry(words[0], jnp.float32(0), jnp.bool_(True))
    times = jnp.arange(1, len(words) + 1)
    _, results = jax.lax.scan(tick, (network.begin(), first), (times, wanted))
    return jax.tree.map(lambda column: column.sum(axis=0), results)


def hardened(form: Form, output: Float[Array, " outputs"]) -> tuple[Bits, Flag]:
    """The configuration whose cells hold their likeliest symbols (the first on ties), and the signal."""
    cells = output[:-1].reshape(form.cells, form.symbols)
    return jax.nn.one_hot(cells.argmax(axis=1), form.symbols).reshape(-1), output[-1] > 0


def tick_loss(
    form: Form, output: Float[Array, " outputs"], word: Bits, searching: Flag, ending: Flag
) -> Scalar:
    """-log p(right output): cross-entropy of every cell while searching, and of the signal until the end."""
    cells = (form.cells, form.symbols)
    of_cells = optax.softmax_cross_entropy(output[:-1].reshape(cells), word.reshape(cells)).sum()
    of_signal = optax.sigmoid_binary_cross_entropy(output[-1], ending.astype(jnp.float32))
    return jnp.where(searching, of_cells, 0.0) + jnp.where(searching | ending, of_signal, 0.0)


class Batch(NamedTuple):
    """What a batch came to, or each of several ones."""

    loss: Float[Array, "*b"]
    fitness: Float[Array, "*b"]
    """The paper's fitness, 0..120."""
    correct: Float[Array, "*b"]
    """Percentage of right configurations: 100 / T_e Σ [data right] up to the first mistake."""
    failed: Bool[Array, "*b batch"]


def judged(results: Result, goals: Int[Array, " batch"]) -> Batch:
    """f = mean of f_e = 100 / (3 T_e) points, plus the mean of f_b = 20 [end right] if all f_e are 100."""
    searched = results.search == 3 * goals
    explored = 100 * (results.search / (3 * goals)).mean()
    whole = 100 + 20 * results.end.mean()
    return Batch(
        loss=results.loss.mean(),
        fitness=jnp.where(searched.all(), whole, explored),
        correct=100 * (results.data / goals).mean(),
        failed=~searched | (results.end == 0),
    )
