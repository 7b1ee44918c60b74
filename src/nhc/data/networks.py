"""The networks of learned data modules: layers, or linear experts for boards that are too large for them.

Layers are the paper's, section "Data-dependent Modules": a feedforward network with leaky ReLU. Experts are a
mixture (Jacobs, Jordan, Nowlan and Hinton 1991) whose gate is hard in use: every bit of the word has a
strength, the strongest set bit names the expert, and the expert is linear. For a fixed expert each logit is a
sum over cells, so its extremes over all words can be computed: what it does can be proved.

Outputs are linear: logits of one-hot groups or of single bits.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

SLOPE = 0.01
"""Of the leaky ReLU below zero."""
PACE = 0.1
"""Strengths count this much in training: experts must become good before the choice among them settles."""


class Dense(eqx.Module):
    """Layers y = max(z, SLOPE z) with z = W x + b, the last without the rectifier."""

    weights: tuple[Float[Array, "_ _"], ...]
    biases: tuple[Float[Array, " _"], ...]

    def __call__(self, inputs: Float[Array, "*b from"]) -> Float[Array, "*b to"]:
        """The logits, float32; matrix products in full precision on every device."""
        return self.after_first(_affine(self.weights[0], self.biases[0], inputs))

    def after_first(self, sums: Float[Array, "*b units"]) -> Float[Array, "*b to"]:
        """The logits from the sums z of the first layer, which a caller may have put together from parts."""
        values = sums
        for weight, bias in zip(self.weights[1:], self.biases[1:], strict=True):
            values = _affine(weight, bias, jnp.maximum(values, SLOPE * values))
        return values

    @property
    def sizes(self) -> tuple[int, ...]:
        """Inputs, hidden units of each layer, outputs."""
        return (self.weights[0].shape[1], *(weight.shape[0] for weight in self.weights))


def _affine(
    weight: Float[Array, "to from"], bias: Float[Array, " to"], values: Float[Array, "*b from"]
) -> Float[Array, "*b to"]:
    products = jnp.matmul(values, weight.T, precision=jax.lax.Precision.HIGHEST)
    return products + jnp.broadcast_to(bias, products.shape)


def initial_dense(sizes: Sequence[int], *, key: Key[Array, ""]) -> Dense:
    """Random weights of variance 2 / inputs (He et al. 2015) and zero biases."""
    keys = jax.random.split(key, len(sizes) - 1)
    weights = tuple(
        jax.random.normal(one, (size, before)) * jnp.sqrt(2.0 / before)
        for one, before, size in zip(keys, sizes[:-1], sizes[1:], strict=True)
    )
    return Dense(weights, tuple(jnp.zeros(size) for size in sizes[1:]))


class Experts(eqx.Module):
    """z = W_e x + b_e for the expert e of the strongest set bit; the lowest on ties."""

    strengths: Float[Array, " experts"]
    weights: Float[Array, "experts outputs reads"]
    biases: Float[Array, "experts outputs"]
    bits: tuple[int, ...] = eqx.field(static=True)
    """The bit of the inputs that stands for each expert, ascending."""

    def __call__(self, inputs: Float[Array, "*b inputs"]) -> Float[Array, "*b outputs"]:
        """The logits of the chosen expert, which reads the last `reads` inputs."""
        chosen = self.scores(inputs).argmax(axis=-1)
        weights, biases = self.weights[chosen], self.biases[chosen]
        read = inputs[..., -self.reads :]
        return jnp.einsum("...or,...r->...o", weights, read, precision=jax.lax.Precision.HIGHEST) + biases

    def scores(self, inputs: Float[Array, "*b inputs"]) -> Float[Array, "*b experts"]:
        """The strengths of the bits that are set, minus infinity for the others."""
        held = inputs[..., jnp.asarray(self.bits)] > 0
        return jnp.where(held, jnp.broadcast_to(self.strengths, held.shape), -jnp.inf)

    def shares(self, inputs: Float[Array, "*b inputs"]) -> Float[Array, "*b experts"]:
        """How much each expert counts in training: a softmax over the bits that are set; at least one is."""
        return jax.nn.softmax(PACE * self.scores(inputs), axis=-1)

    def all(self, inputs: Float[Array, "*b inputs"]) -> Float[Array, "*b experts outputs"]:
        """The logits of every expert."""
        read = inputs[..., -self.reads :]
        flat = self.weights.reshape(-1, self.reads)
        sums = jnp.matmul(read, flat.T).reshape(*read.shape[:-1], *self.biases.shape)
        return sums + jnp.broadcast_to(self.biases, sums.shape)

    @property
    def reads(self) -> int:
        """Inputs that the experts read, the last ones."""
        return self.weights.shape[2]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Inputs read, experts, outputs."""
        return (self.reads, *self.biases.shape)

    def keeping(self, kept: tuple[int, ...]) -> "Experts":
        """The same without the experts whose numbers are not in `kept`."""
        numbers = np.array(sorted(kept))
        bits = tuple(self.bits[number] for number in numbers)
        return Experts(self.strengths[numbers], self.weights[numbers], self.biases[numbers], bits)


def initial_experts(sizes: tuple[int, ...]) -> Experts:
    """An expert for each bit of a word, all weights zero: `sizes` are inputs read, bits, outputs.

    Experts need no random start: each learns from the words in which its own bit is set.
    """
    reads, bits, outputs = sizes
    weights, biases = jnp.zeros((bits, outputs, reads)), jnp.zeros((bits, outputs))
    return Experts(jnp.zeros(bits), weights, biases, tuple(range(bits)))


Network: TypeAlias = Dense | Experts
"""Layers, or linear experts."""
Networks: TypeAlias = Mapping[str, Network]
"""By their names, see `nhc.data.learned.LearnedModules`."""


def dense(networks: Networks, name: str) -> Dense:
    """A network that is never made of experts."""
    network = networks[name]
    assert isinstance(network, Dense), f"{name} has layers"
    return network
