"""The Input network on differences of words, in exact arithmetic and with its float32 error bound.

Two words differ cell by cell: a cell is equal, or holds one symbol here and another there. Input sees two
bits for each cell that differs. Weights are float32, so every value is a whole multiple of a power of two and
Python's integers evaluate the network without rounding.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nhc.data.dense import SLOPE, Dense
from nhc.domains.local import WordForm
from nhc.supervised.rounding import layers_error

Whole = NDArray[np.object_]
"""Arrays of Python's integers."""
Choice: TypeAlias = tuple[int, ...]
"""A difference: for each cell 0 (equal), or 1 + the number of the pair of symbols."""

WEIGHT_BITS = 149
"""Every float32 number is a multiple of 2^-149."""
GAIN_BITS = 179
"""A weight times the slope, which is a multiple of 2^-30."""


@dataclass(frozen=True)
class ExactNetwork:
    """f(d) = c + sum of v leaky(z), z = b + sum of steps; whole numbers at the scales of the names above."""

    pairs: tuple[tuple[int, int], ...]
    """The pairs of symbols of a cell that differs."""
    cells: tuple[int, ...]
    """The cells that may differ."""
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
        picked = self.steps[:, np.arange(len(self.cells)), list(choice)]
        units = self.offsets + picked.sum(axis=1)
        slopes = np.where(units >= 0, self.rising, self.falling)
        return fraction(int((slopes * units).sum()) + self.constant)

    @property
    def equal_logit(self) -> Fraction:
        """f of two equal words."""
        return self.logit((0,) * len(self.cells))


def exact_network(network: Dense, form: WordForm, fixed_cells: frozenset[int]) -> ExactNetwork:
    """The exact form of a network with one hidden layer; `fixed_cells` never differ.

    Raises ValueError for other shapes, for weights that are not finite and where float32 could overflow.
    """
    if network.sizes[0] != form.word_bits or network.sizes[2:] != (1,):
        raise ValueError(f"expected sizes ({form.word_bits}, hidden, 1), found {network.sizes}")
    first, last = (np.asarray(weight, np.float64) for weight in network.weights)
    offsets, constant = (np.asarray(bias, np.float64) for bias in network.biases)
    if not all(np.isfinite(part).all() for part in (first, last, offsets, constant)):
        raise ValueError("weights that are not finite")
    symbols = len(form.symbols)
    cells = tuple(cell for cell in range(form.cells) if cell not in fixed_cells)
    pairs = tuple(combinations(range(symbols), 2))
    bits = whole(first, WEIGHT_BITS).reshape(len(first), form.cells, symbols)[:, list(cells)]
    steps = np.zeros((len(first), len(cells), 1 + len(pairs)), object)
    for number, (one, other) in enumerate(pairs, 1):
        steps[:, :, number] = bits[:, :, one] + bits[:, :, other]
    slope = whole(np.array([np.float32(SLOPE)], np.float64), GAIN_BITS - WEIGHT_BITS)[0]
    gains = whole(last[0], WEIGHT_BITS)
    return ExactNetwork(
        pairs,
        cells,
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


def words_of(
    network: ExactNetwork, form: WordForm, choice: Choice
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two words with that difference, as symbol numbers; where they are equal they hold symbol 0."""
    left, right = [0] * form.cells, [0] * form.cells
    for cell, option in zip(network.cells, choice, strict=True):
        if option:
            left[cell], right[cell] = network.pairs[option - 1]
    return tuple(left), tuple(right)
