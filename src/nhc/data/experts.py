"""Linear experts, of which the strongest bit of a word chooses one: for boards too large for `Dense`.

A mixture of experts (Jacobs, Jordan, Nowlan and Hinton 1991) whose gate is hard in use: every bit of the
word has a strength, the strongest set bit names the expert, and the expert is linear. For a fixed expert
each logit is a sum over cells, so its extremes over all words can be computed: what it does can be proved.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

PACE = 0.1
"""Strengths count this much in training: experts must become good before the choice among them settles."""


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
