"""A feedforward network with leaky ReLU: what all learned data modules are made of.

The paper, section "Data-dependent Modules". Its output is linear: logits of one-hot groups or of single bits.
"""

from collections.abc import Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

SLOPE = 0.01
"""Of the leaky ReLU below zero."""


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
