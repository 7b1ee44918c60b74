"""The worst words for a decision of linear experts, and what float32 may cost there."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.data.experts import Experts
from nhc.domains.local import WordCase, WordForm
from nhc.supervised.rounding import LARGEST, SMALLEST_NORMAL, gamma

Floats = NDArray[np.float64]
Symbols = NDArray[np.uint8]


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
