"""Sequence tasks: an input is shown symbol by symbol, then its answer is asked for, without seeing it again.

Copy is the task of Graves et al. 2014 (neural Turing machines) and 2016; reverse is what stacks return. The
algorithms of the same names say what is right. A symbol is a word of bits, so there is a finite alphabet;
brackets have a bit that says whether they close, and a verdict is one bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple, cast

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float

from nhc.algorithms.registry import algorithm_named
from nhc.algorithms.sequence.algorithm import SequenceAlgorithm
from nhc.algorithms.sequence.brackets import Brackets, random_brackets
from nhc.baselines.learner import Descent, Learner, updated
from nhc.baselines.network import Network, ParametersT, StateT
from nhc.shapes import Scalar

SequenceName = Literal["copy", "reverse", "brackets"]
Symbols = tuple[int, ...]


def algorithm_of(name: SequenceName) -> SequenceAlgorithm[Symbols]:
    """The algorithm that says what is right, and which lengths are trained."""
    return cast(SequenceAlgorithm[Symbols], algorithm_named(name))


@dataclass(frozen=True)
class SequenceTask:
    """One algorithm on inputs of up to a length."""

    name: SequenceName
    bits: int
    """Of a symbol."""
    length: int
    """Of the longest input."""

    @property
    def judges(self) -> bool:
        """Is the answer a verdict?"""
        return isinstance(algorithm_of(self.name), Brackets)

    @property
    def least(self) -> int:
        """Length of the shortest input: only brackets may be none at all."""
        return 0 if self.judges else 1

    @property
    def inputs(self) -> int:
        """Size of an input: a symbol, and the sign that the answer is asked for."""
        return self.bits + 1

    @property
    def outputs(self) -> int:
        """Size of an output: a symbol or a verdict."""
        return 1 if self.judges else self.bits

    @property
    def ticks(self) -> int:
        """Of the longest input and its answer."""
        return self.length + (1 if self.judges else self.length)

    def draw(self, size: int, rng: np.random.Generator) -> Symbols:
        """A random input of that size; consumes `rng`. Brackets are drawn as for the algorithm itself."""
        if self.judges:
            return random_brackets(size, rng, 2 ** (self.bits - 1))
        return tuple(rng.integers(1, 2**self.bits + 1, size).tolist())

    def draws(self, count: int, rng: np.random.Generator) -> list[Symbols]:
        """Random inputs, all lengths equally often; consumes `rng`."""
        return [self.draw(size, rng) for size in rng.integers(self.least, self.length + 1, count).tolist()]

    def answer(self, given: Symbols) -> Symbols:
        """The right answer, by the algorithm's specification; a verdict is 1 or 0."""
        found = algorithm_of(self.name).spec(given)
        return found if isinstance(found, tuple) else (int(found is True),)

    def words(self, symbols: Symbols) -> Float[np.ndarray, "symbols bits"]:
        """Their words, the lowest bit first; it tells brackets that close from those that open."""
        numbers = np.asarray(symbols, np.int64).reshape(-1)
        codes = 2 * (abs(numbers) - 1) + (numbers < 0) if self.judges else numbers - 1
        return (codes[:, None] >> np.arange(self.bits) & 1).astype(np.float32)


class Sequences(NamedTuple):
    """Tasks, tick by tick."""

    inputs: Float[Array | np.ndarray, "*b ticks inputs"]
    targets: Float[Array | np.ndarray, "*b ticks outputs"]
    asked: Bool[Array | np.ndarray, "*b ticks"]
    """Ticks at which the target is to be emitted."""


def sequences(task: SequenceTask, given: Sequence[Symbols]) -> Sequences:
    """The symbols of each input from tick 0 on, then the sign to the end; its answer begins with the sign."""
    inputs = np.zeros((len(given), task.ticks, task.inputs), np.float32)
    targets = np.zeros((len(given), task.ticks, task.outputs), np.float32)
    asked = np.zeros((len(given), task.ticks), bool)
    for number, symbols in enumerate(given):
        size, answer = len(symbols), task.answer(symbols)
        end = size + len(answer)
        inputs[number, :size, :-1] = task.words(symbols)
        inputs[number, size:, -1] = 1
        targets[number, size:end] = np.reshape(answer, (-1, 1)) if task.judges else task.words(answer)
        asked[number, size:end] = True
    return Sequences(inputs, targets, asked)


class Answered(NamedTuple):
    """How well a task was answered, or the means over tasks."""

    loss: Float[Array, "*b"]
    """Cross-entropy of a bit; 0.693 by chance."""
    wrong_symbols: Float[Array, "*b"]
    """Share of the answer's symbols that have a wrong bit."""
    correct: Float[Array, "*b"]
    """100 without a wrong bit, else 0."""


def answered(network: Network[ParametersT, StateT], parameters: ParametersT, shown: Sequences) -> Answered:
    """Run one task."""

    def tick(state: StateT, x: Float[Array, " inputs"]) -> tuple[StateT, Float[Array, " outputs"]]:
        return network.step(parameters, state, x)

    _, outputs = jax.lax.scan(tick, network.begin(), jnp.asarray(shown.inputs))
    losses = optax.sigmoid_binary_cross_entropy(outputs, shown.targets).mean(axis=1)
    wrong = ((outputs > 0) != (shown.targets > 0.5)).any(axis=1) & shown.asked
    count = shown.asked.sum()
    return Answered((losses * shown.asked).sum() / count, wrong.sum() / count, 100.0 * ~wrong.any())


@partial(jax.jit, static_argnames=("network", "descent"))
def round_of_sequences(
    network: Network[ParametersT, StateT], descent: Descent, runs: Learner[ParametersT], shown: Sequences
) -> tuple[Learner[ParametersT], Answered]:
    """All runs after an iteration on each batch of `shown` (axes updates, runs, batch), and the means."""

    def one(before: Learner[ParametersT], batch: Sequences) -> tuple[Learner[ParametersT], Answered]:
        def loss(parameters: ParametersT) -> tuple[Scalar, Answered]:
            found = jax.tree.map(jnp.mean, jax.vmap(partial(answered, network, parameters))(batch))
            return found.loss, found

        (_, means), gradient = jax.value_and_grad(loss, has_aux=True)(before.parameters)
        return updated(descent, before, gradient, jnp.bool_(True)), means

    return jax.lax.scan(jax.vmap(one), runs, shown)
