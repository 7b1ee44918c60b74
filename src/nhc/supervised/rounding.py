"""What float32 may cost: bounds for any order of summation, fused or not, with underflow to zero.

Of layers over all their inputs, and of linear experts in the worst words for a decision.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.data.networks import Dense, Experts
from nhc.domains.local import WordCase, WordForm

Floats = NDArray[np.float64]
Symbols = NDArray[np.uint8]

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


class Found(NamedTuple):
    """The worst word of one decision."""

    margin: float
    contents: Symbols
    op: int


def expert_of(network: Experts, form: WordForm, case: WordCase) -> tuple[int, Found]:
    """The expert that decides in every word of a case, and the word in which another is strongest.

    Without any bit that is set in all words there is none, and margin minus infinity. Strengths are only
    compared, so nothing is rounded; but subnormal ones may be taken for zero.
    """
    symbols = len(form.symbols)
    cell, symbol = np.array(network.bits) // symbols, np.array(network.bits) % symbols
    possible = case.allowed[cell, symbol]
    always = possible & (case.allowed.sum(axis=1) == 1)[cell]
    strengths = np.asarray(network.strengths, np.float64)
    strengths = np.where(abs(strengths) < SMALLEST_NORMAL, 0.0, strengths)
    contents = case.allowed.argmax(axis=1).astype(np.uint8)
    if not always.any():
        return 0, Found(-np.inf, contents, 0)
    expert = int(np.where(always, strengths, -np.inf).argmax())
    rivals = np.where(possible, strengths, -np.inf)
    rivals[expert] = -np.inf
    rival = int(rivals.argmax())
    if possible[rival]:
        contents[cell[rival]] = symbol[rival]
    return expert, Found(float(strengths[expert] - rivals[rival]), contents, 0)


def extreme(weights: Floats, allowed: NDArray[np.bool_]) -> tuple[float, Symbols]:
    """The least sum over cells of one allowed symbol's weight each, and the word; cells without any add 0."""
    counted = np.where(allowed, weights, np.inf)
    word = counted.argmin(axis=1)
    least = counted[np.arange(len(word)), word]
    return float(least[allowed.any(axis=1)].sum()), word.astype(np.uint8)


def rounding(weights: Floats, biases: Floats, case: WordCase) -> Floats:
    """A bound on the float32 error of each logit over all words of a case.

    Products with bits are exact, and so is adding zero: only cells and the bias count.
    """
    sizes = np.where(case.allowed, abs(weights), 0.0).max(axis=-1).sum(axis=-1) + abs(biases)
    return sum_error(weights.shape[-2] + 1, sizes)


def sum_error(terms: int, sizes: Floats) -> Floats:
    """A bound on the float32 error of sums of so many numbers, in any order; `sizes` sum their magnitudes.

    gamma_n times that sum (Higham 2002, Lemma 3.1), doubled to cover the float64 error here, and what may
    underflow; infinite where a sum may overflow.
    """
    error = 2 * gamma(terms) * sizes + 4 * terms * SMALLEST_NORMAL
    return np.where(sizes < LARGEST, error, np.inf)
