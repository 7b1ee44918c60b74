"""What float32 may cost: bounds for any order of summation, fused or not, with underflow to zero."""

from collections.abc import Sequence

import numpy as np

from nhc.data.dense import Dense

UNIT = 2.0**-24
SMALLEST_NORMAL = 2.0**-126
LARGEST = 2.0**127
SLACK = 1 + 2.0**-30
"""Covers the rounding of an error bound itself."""


def gamma(terms: int) -> float:
    """Relative error of a float32 sum of so many products (Higham 2002, Lemma 3.1)."""
    return terms * UNIT / (1 - terms * UNIT)


def layers_error(network: Dense, groups: Sequence[int]) -> float:
    """A bound on the error of any logit, if of each group of inputs at most one is 1 and the others are 0.

    Layer by layer: the error of a sum, plus the errors of what is summed. Infinite where sums may overflow.
    """
    first, *others = (abs(np.asarray(weight, np.float64)) for weight in network.weights)
    offsets, *more = (abs(np.asarray(bias, np.float64)) for bias in network.biases)
    ends = np.cumsum(groups)
    parts = np.split(first, ends[:-1], axis=1)
    size = offsets + sum((part.max(axis=1) for part in parts), np.zeros(len(first)))
    terms = first.shape[1] + 1
    error = gamma(terms) * size + 4 * terms * SMALLEST_NORMAL
    for weight, bias in zip(others, more, strict=True):
        rectified = error * (1 + UNIT) + UNIT * size + SMALLEST_NORMAL
        terms = weight.shape[1] + 1
        total = bias + weight @ (size + rectified)
        error = gamma(terms) * total + weight @ rectified + 4 * terms * SMALLEST_NORMAL
        size = bias + weight @ size
    largest = float((size + error).max())
    return float(error.max()) * SLACK if largest < LARGEST else float("inf")
