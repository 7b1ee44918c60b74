"""Proof that Input tells every two different words apart, or two words that it takes for equal.

Sampling cannot show it: pairs that differ in one cell are hardly ever drawn. Hidden weights that are not
negative behind output weights that are not positive make the logit fall with every difference, so equal words
and the differences of a single cell decide. Label *proved*: the claim covers all pairs of words with one
symbol in each cell, and every float32 evaluation, because the logit exceeds twice the rounding error bound.

Two words differ cell by cell, and Input sees two bits for each cell that differs. Weights are float32, so
fractions evaluate the network without rounding.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np

from nhc.data.networks import SLOPE, Dense
from nhc.domains.local import WordForm
from nhc.supervised.rounding import layers_error

FACTOR = 2
"""A logit counts only if it exceeds so many error bounds."""


class Proved(NamedTuple):
    """Equal words have a logit of at least `margin`, different ones of at most -`margin`, in real numbers."""

    margin: float
    error: float
    """Bound on the float32 rounding error; the margin exceeds it twice."""


class Refuted(NamedTuple):
    """Two words, as symbol numbers, that Input takes for equal though they differ, or the reverse."""

    left: tuple[int, ...]
    right: tuple[int, ...]
    logit: float


class Undecided(NamedTuple):
    """Neither a proof nor a counterexample."""

    reason: str


EqualityVerdict: TypeAlias = Proved | Refuted | Undecided


def prove_equality(network: Dense, form: WordForm) -> EqualityVerdict:
    """Decide f(0) > 0 and f(|x - y|) < 0 for all different words x, y."""
    if network.sizes[0] != form.word_bits or network.sizes[2:] != (1,):
        return Undecided(f"expected sizes ({form.word_bits}, hidden, 1), found {network.sizes}")
    if not all(np.isfinite(np.asarray(part)).all() for part in (*network.weights, *network.biases)):
        return Undecided("weights that are not finite")
    error = error_bound(network, form)
    if error == np.inf:
        return Undecided("sums may overflow in float32")
    least, singles = FACTOR * Fraction(error), single_differences(form)
    equal, *logits = exact_logits(network, [(), *singles])
    single = max(logits)
    if equal < -least:
        return Refuted(*words_of(form, ()), float(equal))
    if equal <= least:
        return Undecided(f"the logit of equal words, {float(equal):.3g}, is within rounding of 0")
    if single > least:
        return Refuted(*words_of(form, singles[logits.index(single)]), float(single))
    if not has_signs(network):
        return Undecided("the signs of the weights do not make the network monotone")
    if single >= -least:
        return Undecided(f"the logit of a single cell, {float(single):.3g}, is within rounding of 0")
    return Proved(float(min(equal, -single)), error)


def has_signs(network: Dense) -> bool:
    """Are hidden weights not negative and output weights not positive, as a monotone Input has them?"""
    *hidden, last = (np.asarray(weight) for weight in network.weights)
    return all((weight >= 0).all() for weight in hidden) and bool((last <= 0).all())


def single_differences(form: WordForm) -> list[tuple[int, int]]:
    """The two bits of each pair of symbols in each cell."""
    symbols = len(form.symbols)
    starts, pairs = range(0, form.word_bits, symbols), list(combinations(range(symbols), 2))
    return [(start + one, start + other) for start in starts for one, other in pairs]


def exact_logits(network: Dense, differences: Sequence[Sequence[int]]) -> list[Fraction]:
    """f = c + sum of v leaky(b + sum of w), exactly, for words that differ in the given bits."""
    fractions = np.vectorize(Fraction, otypes=[object])
    first, last, offsets, constant = (
        fractions(np.asarray(part, np.float64)) for part in (*network.weights, *network.biases)
    )
    slope, logits = Fraction(float(np.float32(SLOPE))), []
    for bits in differences:
        units = offsets + first[:, list(bits)].sum(axis=1)
        logits.append(constant[0] + (last[0] * np.where(units >= 0, units, slope * units)).sum())
    return logits


def error_bound(network: Dense, form: WordForm) -> float:
    """Float32 forward error of the logit over all differences: in each cell at most two bits differ.

    Infinite where sums may overflow.
    """
    weights, offsets = (abs(np.asarray(part[0], np.float64)) for part in (network.weights, network.biases))
    symbols = np.sort(weights.reshape(len(weights), form.cells, len(form.symbols)), axis=2)
    return layers_error(network, offsets + symbols[:, :, -2:].sum(axis=(1, 2)))


def words_of(form: WordForm, bits: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two words that differ in two bits of a cell, or are equal; elsewhere they hold symbol 0."""
    words = np.zeros((2, form.cells), int)
    for word, bit in zip(words, bits, strict=False):
        word[bit // len(form.symbols)] = bit % len(form.symbols)
    return tuple(words[0].tolist()), tuple(words[1].tolist())
