"""What float32 may cost: bounds for any order of summation, fused or not, with underflow to zero."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nhc.data.dense import Dense

UNIT = 2.0**-24
SMALLEST_NORMAL = 2.0**-126
LARGEST = 2.0**127
SLACK = 1 + 2.0**-30
"""Covers the rounding of an error bound itself."""


def gamma(terms: int) -> float:
    """Relative error of a float32 sum of so many products (Higham 2002, Lemma 3.1)."""
    return terms * UNIT / (1 - terms * UNIT)


def layers_error(network: Dense, size: NDArray[np.float64]) -> float:
    """A bound on the error of any logit; `size` sums the magnitudes that each unit of the first layer adds.

    Layer by layer: the error of a sum, plus the errors of what is summed. Infinite where sums may overflow.
    """
    layers = [
        (abs(np.asarray(weight, np.float64)), abs(np.asarray(bias, np.float64)))
        for weight, bias in zip(network.weights, network.biases, strict=True)
    ]
    terms = layers[0][0].shape[1] + 1
    error = gamma(terms) * size + 4 * terms * SMALLEST_NORMAL
    fits = bool((size < LARGEST).all())
    for weight, bias in layers[1:]:
        rectified = error * (1 + UNIT) + UNIT * size + SMALLEST_NORMAL
        terms = weight.shape[1] + 1
        total = bias + weight @ (size + rectified)
        error = gamma(terms) * total + weight @ rectified + 4 * terms * SMALLEST_NORMAL
        size = bias + weight @ size
        fits = fits and bool((total < LARGEST).all())
    return float(error.max()) * SLACK if fits else float("inf")


def one_of_each(network: Dense, groups: Sequence[int]) -> NDArray[np.float64]:
    """The `size` for `layers_error` if of each group of inputs at most one is 1 and the others are 0."""
    weight, bias = (abs(np.asarray(part[0], np.float64)) for part in (network.weights, network.biases))
    parts = np.split(weight, np.cumsum(groups)[:-1], axis=1)
    size: NDArray[np.float64] = bias + np.sum([part.max(axis=1) for part in parts], axis=0)
    return size
