"""Proof that Input tells every two different words apart, or two words that it takes for equal.

Sampling cannot show it: pairs that differ in one cell are hardly ever drawn. Hidden weights that are not
negative behind output weights that are not positive make the logit fall with every difference, so equal words
and the differences of a single cell decide. Label *proved*: the claim covers all pairs of words with one
symbol in each cell, and every float32 evaluation, because the logit exceeds twice the rounding error bound.

Two words differ cell by cell: a cell is equal, or holds one symbol here and another there. Input sees two
bits for each cell that differs. Weights are float32, so every value is a whole multiple of a power of two and
Python's integers evaluate the network without rounding.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nhc.data.dense import SLOPE, Dense
from nhc.domains.local import WordForm
from nhc.supervised.rounding import layers_error

FACTOR = 2
"""A logit counts only if it exceeds so many error bounds."""

Whole = NDArray[np.object_]
"""Arrays of Python's integers."""
Choice: TypeAlias = tuple[int, ...]
"""A difference: for each cell 0 (equal), or 1 + the number of the pair of symbols."""

WEIGHT_BITS = 149
"""Every float32 number is a multiple of 2^-149."""
GAIN_BITS = 179
"""A weight times the slope, which is a multiple of 2^-30."""


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
    try:
        exact = exact_network(network, form)
    except ValueError as error:
        return Undecided(str(error))
    least, same = FACTOR * exact.error, (0,) * form.cells
    worst = max(singles(exact, form.cells), key=exact.logit)
    equal, single = exact.logit(same), exact.logit(worst)
    if equal < -least:
        return Refuted(*words_of(exact, same), float(equal))
    if equal <= least:
        return Undecided(f"the logit of equal words, {float(equal):.3g}, is within rounding of 0")
    if single > least:
        return Refuted(*words_of(exact, worst), float(single))
    if not has_signs(network):
        return Undecided("the signs of the weights do not make the network monotone")
    if single >= -least:
        return Undecided(f"the logit of a single cell, {float(single):.3g}, is within rounding of 0")
    return Proved(float(min(equal, -single)), float(exact.error))


def has_signs(network: Dense) -> bool:
    """Are hidden weights not negative and output weights not positive, as a monotone Input has them?"""
    *hidden, last = (np.asarray(weight) for weight in network.weights)
    return all((weight >= 0).all() for weight in hidden) and bool((last <= 0).all())


def singles(exact: "ExactNetwork", cells: int) -> list[Choice]:
    """All differences of one cell."""
    options = range(1, 1 + len(exact.pairs))
    return [(*(0,) * cell, option, *(0,) * (cells - cell - 1)) for cell in range(cells) for option in options]


@dataclass(frozen=True)
class ExactNetwork:
    """f(d) = c + sum of v leaky(z), z = b + sum of steps; whole numbers at the scales of the names above."""

    pairs: tuple[tuple[int, int], ...]
    """The pairs of symbols of a cell that differs."""
    steps: Whole
    """What a choice adds to each unit, shape (units, cells, 1 + pairs), in 2^-149."""
    offsets: Whole
    """b, shape (units,), in 2^-149."""
    rising: Whole
    """Slope of f in z >= 0: v, shape (units,), in 2^-179."""
    falling: Whole
    """Slope of f in z <= 0: v times the leaky slope."""
    constant: int
    """c, in 2^-328."""
    error: Fraction
    """No float32 evaluation of any difference is further from f, in whatever order sums are taken."""

    def logit(self, choice: Choice) -> Fraction:
        """f, exactly."""
        picked = self.steps[:, np.arange(len(choice)), list(choice)]
        units = self.offsets + picked.sum(axis=1)
        slopes = np.where(units >= 0, self.rising, self.falling)
        return fraction(int((slopes * units).sum()) + self.constant)


def exact_network(network: Dense, form: WordForm) -> ExactNetwork:
    """The exact form of a network with one hidden layer.

    Raises ValueError for other shapes, for weights that are not finite and where float32 could overflow.
    """
    if network.sizes[0] != form.word_bits or network.sizes[2:] != (1,):
        raise ValueError(f"expected sizes ({form.word_bits}, hidden, 1), found {network.sizes}")
    first, last = (np.asarray(weight, np.float64) for weight in network.weights)
    offsets, constant = (np.asarray(bias, np.float64) for bias in network.biases)
    if not all(np.isfinite(part).all() for part in (first, last, offsets, constant)):
        raise ValueError("weights that are not finite")
    symbols = len(form.symbols)
    pairs = tuple(combinations(range(symbols), 2))
    bits = whole(first, WEIGHT_BITS).reshape(len(first), form.cells, symbols)
    steps = np.zeros((len(first), form.cells, 1 + len(pairs)), object)
    for number, (one, other) in enumerate(pairs, 1):
        steps[:, :, number] = bits[:, :, one] + bits[:, :, other]
    slope = whole(np.array([np.float32(SLOPE)], np.float64), GAIN_BITS - WEIGHT_BITS)[0]
    gains = whole(last[0], WEIGHT_BITS)
    return ExactNetwork(
        pairs,
        steps,
        whole(offsets, WEIGHT_BITS),
        gains << (GAIN_BITS - WEIGHT_BITS),
        gains * slope,
        int(whole(constant, WEIGHT_BITS)[0]) << GAIN_BITS,
        Fraction(error_bound(network, form)),
    )


def error_bound(network: Dense, form: WordForm) -> float:
    """Float32 forward error of the logit over all differences: in each cell at most two bits differ.

    Raises ValueError where sums may overflow.
    """
    weights, offsets = (abs(np.asarray(part[0], np.float64)) for part in (network.weights, network.biases))
    symbols = np.sort(weights.reshape(len(weights), form.cells, len(form.symbols)), axis=2)
    error = layers_error(network, offsets + symbols[:, :, -2:].sum(axis=(1, 2)))
    if error == np.inf:
        raise ValueError("sums may overflow in float32")
    return error


def whole(values: NDArray[np.float64], bits: int) -> Whole:
    """Floats as multiples of 2^-bits, without rounding."""
    found = np.empty(values.shape, object)
    for place, value in np.ndenumerate(values):
        top, bottom = float(value).as_integer_ratio()
        found[place] = (top << bits) // bottom
    return found


def fraction(value: int) -> Fraction:
    """The number behind a logit's integer."""
    return Fraction(value, 1 << (WEIGHT_BITS + GAIN_BITS))


def words_of(network: ExactNetwork, choice: Choice) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two words with that difference, as symbol numbers; where they are equal they hold symbol 0."""
    pairs = [network.pairs[option - 1] if option else (0, 0) for option in choice]
    return tuple(left for left, _ in pairs), tuple(right for _, right in pairs)
