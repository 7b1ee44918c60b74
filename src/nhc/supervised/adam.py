"""Adam (Kingma and Ba 2015) as a pure function."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Int

from nhc.data.dense import Dense

Tree = dict[str, Dense]

DECAY, SQUARE_DECAY, EPSILON = 0.9, 0.999, 1e-8


class Moments(NamedTuple):
    """Running means of the gradient and of its square: trees like the weights."""

    mean: Tree
    square: Tree
    steps: Int[Array, ""]


def no_moments(weights: Tree) -> Moments:
    """Before the first update."""
    zeros = jax.tree.map(jnp.zeros_like, weights)
    return Moments(zeros, zeros, jnp.zeros((), jnp.int32))


def updated(weights: Tree, moments: Moments, gradient: Tree, rate: Float[Array, ""]) -> tuple[Tree, Moments]:
    """Weights and moments after one step of learning rate `rate`."""
    steps = moments.steps + 1
    mean = jax.tree.map(lambda m, g: DECAY * m + (1 - DECAY) * g, moments.mean, gradient)
    square = jax.tree.map(
        lambda s, g: SQUARE_DECAY * s + (1 - SQUARE_DECAY) * g * g, moments.square, gradient
    )
    # Both start from zero; dividing takes that out.
    number = steps.astype(jnp.float32)
    mean_part, square_part = 1 - DECAY**number, 1 - SQUARE_DECAY**number

    def moved(weight: Array, m: Array, s: Array) -> Array:
        return weight - rate * (m / mean_part) / (jnp.sqrt(s / square_part) + EPSILON)

    return jax.tree.map(moved, weights, mean, square), Moments(mean, square, steps)
