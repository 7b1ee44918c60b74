"""The copy task: a network that can use its memory learns it, so failing elsewhere means something.

Graves et al. 2014 (neural Turing machines) and 2016: a sequence of random words is shown, then it is to be
repeated without seeing it again; forward, or in reverse, as stacks return it.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import optax
from jaxtyping import Array, Bool, Float, Key, UInt

from nhc.baselines.learner import Descent, Learner, updated
from nhc.baselines.network import Network, ParametersT, StateT
from nhc.shapes import Count, Scalar


class CopyForm(NamedTuple):
    """The sizes of the task."""

    bits: int
    length: int
    """Sequences have 1 to `length` words, uniformly."""
    reverse: bool

    @property
    def inputs(self) -> int:
        """Size of an input: a word, and the sign to repeat."""
        return self.bits + 1


class Sequence(NamedTuple):
    """One task, tick by tick."""

    inputs: Float[Array, "ticks inputs"]
    targets: Float[Array, "ticks bits"]
    asked: Bool[Array, " ticks"]
    """Ticks at which the target is to be emitted."""


class CopyTally(NamedTuple):
    """What an iteration met; all are means over the batch."""

    loss: Float[Array, "*b"]
    """Cross-entropy of a bit; 0.693 by chance."""
    wrong_bits: Float[Array, "*b"]
    """Share of wrong bits."""
    correct: Float[Array, "*b"]
    """Percentage of sequences without a wrong bit."""


def draw_sequence(form: CopyForm, *, key: Key[Array, ""]) -> Sequence:
    """A random task of 2 `length` ticks, of which the last may be idle; consumes `key`."""
    of_words, of_length = jax.random.split(key)
    words = jax.random.bernoulli(of_words, 0.5, (form.length, form.bits)).astype(jnp.float32)
    length = jax.random.randint(of_length, (), 1, form.length + 1)
    return sequence(form, words, length)


def sequence(form: CopyForm, words: Float[Array, "length bits"], length: Count) -> Sequence:
    """The task to repeat the first `length` words: they come at ticks 0..length-1, then the sign."""
    time = jnp.arange(2 * form.length)
    shown = time < length
    asked = (time >= length) & (time < 2 * length)
    source = jnp.where(shown, time, 2 * length - 1 - time if form.reverse else time - length)
    found = words[jnp.clip(source, 0, form.length - 1)]
    inputs = jnp.concatenate([found * shown[:, None], ~shown[:, None]], axis=1)
    return Sequence(inputs, found * asked[:, None], asked)


class Repeated(NamedTuple):
    """How well a sequence was repeated."""

    loss: Scalar
    wrong_bits: Scalar
    right: Bool[Array, ""]


def repeat(network: Network[ParametersT, StateT], parameters: ParametersT, shown: Sequence) -> Repeated:
    """Run one task."""

    def tick(state: StateT, x: Float[Array, " inputs"]) -> tuple[StateT, Float[Array, " bits"]]:
        return network.step(parameters, state, x)

    _, outputs = jax.lax.scan(tick, network.begin(), shown.inputs)
    losses = optax.sigmoid_binary_cross_entropy(outputs, shown.targets)
    wrong = ((outputs > 0) != (shown.targets > 0.5)) & shown.asked[:, None]
    bits = shown.asked.sum() * outputs.shape[1]
    return Repeated((losses * shown.asked[:, None]).sum() / bits, wrong.sum() / bits, ~wrong.any())


@partial(jax.jit, static_argnames=("network", "form", "descent", "batch", "updates"))
def round_of_copies(
    network: Network[ParametersT, StateT],
    form: CopyForm,
    descent: Descent,
    runs: Learner[ParametersT],
    seeds: UInt[Array, " runs"],
    index: Count,
    *,
    batch: int,
    updates: int,
) -> tuple[Learner[ParametersT], CopyTally]:
    """All runs after round `index` of iterations on fresh sequences; tallies have axes updates, runs."""

    def one(before: Learner[ParametersT], key: Key[Array, ""]) -> tuple[Learner[ParametersT], CopyTally]:
        shown = jax.vmap(lambda one: draw_sequence(form, key=one))(jax.random.split(key, batch))

        def loss(parameters: ParametersT) -> tuple[Float[Array, ""], CopyTally]:
            found = jax.vmap(partial(repeat, network, parameters))(shown)
            mean = found.loss.mean()
            return mean, CopyTally(mean, found.wrong_bits.mean(), 100 * found.right.mean())

        (_, tally), gradient = jax.value_and_grad(loss, has_aux=True)(before.parameters)
        return updated(descent, before, gradient, jnp.bool_(True)), tally

    def step(before: Learner[ParametersT], number: Count) -> tuple[Learner[ParametersT], CopyTally]:
        def key_of(seed: UInt[Array, ""]) -> Key[Array, ""]:
            return jax.random.fold_in(jax.random.key(seed), index * updates + number)

        return jax.vmap(one)(before, jax.vmap(key_of)(seeds))

    return jax.lax.scan(step, runs, jnp.arange(updates))
