"""Bounds on Input's logit over all differences, by cases of rectifier signs and verified linear programs.

Where the sign of a unit's sum z is known, v leaky(z) is at most g z for every slope g >= v (z >= 0) or
g <= v s (z <= 0); where it is not known but v <= 0, v leaky is concave and every g between v and v s will do.
With such slopes for all units f is below a linear function of the difference, whose largest value splits into
cells and is computed exactly. A linear program only proposes good slopes: whatever it returns is clipped to
valid ones and rounded, and the bound that counts is that of whole numbers. Cases that it cannot close are
split: by the sign of a unit, then by what differs in a cell. Impossible cases close in the same way.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from nhc.supervised.equality_proof_exact import (
    GAIN_BITS,
    WEIGHT_BITS,
    Choice,
    ExactNetwork,
    Whole,
    fraction,
)

LARGEST_SLOPE = 1e6
"""Relative to the largest weight of the last layer."""


class BoundReached(NamedTuple):
    """Every difference has a logit of at most `bound`."""

    bound: Fraction
    patterns: int


class Found(NamedTuple):
    """A difference with too large a logit."""

    choice: Choice


class Open(NamedTuple):
    """Why there is neither."""

    reason: str


class Proposal(NamedTuple):
    """What a linear program suggests: a slope for each unit, and a weight for each option of each cell."""

    slopes: NDArray[np.float64]
    weights: NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A part of all differences."""

    allowed: NDArray[np.bool_]
    """Shape (cells, options)."""
    signs: tuple[int, ...]
    """Of each unit: 1 for z >= 0, -1 for z <= 0, 0 for any."""


class Upper(NamedTuple):
    """An upper bound and the difference at which the linear function takes it."""

    bound: Fraction
    choice: Choice


def search_patterns(network: ExactNetwork, least: Fraction, budget: int) -> BoundReached | Found | Open:
    """Show that every difference has a logit below -`least`, or find one above `least`."""
    cells, options = network.steps.shape[1:]
    waiting = [Case(np.ones((cells, options), bool), (0,) * len(network.offsets))]
    worst: Fraction | None = None
    programs = 0
    while waiting:
        case = narrowed(network, waiting.pop())
        if case is None:
            continue
        unsure = [unit for unit, sign in enumerate(case.signs) if sign == 0]
        convex = [unit for unit in unsure if network.rising[unit] > 0]
        if convex:
            waiting += by_sign(case, convex[0])
            continue
        programs += 1
        if programs > budget:
            return Open(f"more than {budget:,} linear programs")
        proposal = propose(network, case)
        upper = verified(network, case, proposal.slopes)
        if upper.bound < -least:
            worst = upper.bound if worst is None else max(worst, upper.bound)
            continue
        for choice in (upper.choice, rounded(case, proposal.weights)):
            if any(choice) and network.logit(choice) > least:
                return Found(choice)
        parts = by_sign(case, unsure[0]) if unsure else by_cell(case, proposal.weights)
        if not parts:
            return Open(f"a logit of {float(network.logit(upper.choice)):.3g} is within rounding of 0")
        waiting += parts
    if worst is None:
        return Open("no cell may differ")
    return BoundReached(worst, programs)


def narrowed(network: ExactNetwork, case: Case) -> Case | None:
    """The case with the signs that all its differences share; None if it is empty."""
    low = network.offsets + np.where(case.allowed, network.steps, np.inf).min(axis=2).sum(axis=1)
    high = network.offsets + np.where(case.allowed, network.steps, -np.inf).max(axis=2).sum(axis=1)
    signs = []
    for least, largest, sign in zip(low, high, case.signs, strict=True):
        if (sign == 1 and largest < 0) or (sign == -1 and least > 0):
            return None
        known = 1 if least >= 0 else -1 if largest <= 0 else 0
        signs.append(sign or known)
    return Case(case.allowed, tuple(signs))


def by_sign(case: Case, unit: int) -> list[Case]:
    """Two cases: the unit's sum is at least 0, or at most 0."""
    return [Case(case.allowed, (*case.signs[:unit], sign, *case.signs[unit + 1 :])) for sign in (1, -1)]


def by_cell(case: Case, weights: NDArray[np.float64]) -> list[Case]:
    """A case for each option of the cell about which the linear program is least decided; none if all are."""
    open_cells = np.flatnonzero(case.allowed.sum(axis=1) > 1)
    if not len(open_cells):
        return []
    cell = open_cells[int(np.argmin(weights[open_cells].max(axis=1)))]
    parts = []
    for option in np.flatnonzero(case.allowed[cell]):
        allowed = case.allowed.copy()
        allowed[cell] = False
        allowed[cell, option] = True
        if not allowed[:, 0].all() or allowed[:, 1:].any():
            parts.append(Case(allowed, case.signs))
    return parts


def slope_bounds(network: ExactNetwork, case: Case) -> list[tuple[int | None, int | None]]:
    """The valid slopes of each unit, as whole numbers; None for no limit."""
    limits: list[tuple[int | None, int | None]] = []
    for sign, rising, falling in zip(case.signs, network.rising, network.falling, strict=True):
        limits.append((rising, None) if sign > 0 else (None, falling) if sign < 0 else (rising, falling))
    return limits


def propose(network: ExactNetwork, case: Case) -> Proposal:
    """The slopes with the least bound, by a linear program in float64.

    Variables: slopes g, the largest gain u of each cell, and m >= 0, the price of differing nowhere.
    Minimise b g + sum of u - m, where u >= g step + m for each option that differs, u >= 0 for equal.
    """
    scale = 2.0**-WEIGHT_BITS
    steps = np.array(network.steps * 1.0 * scale, np.float64)
    offsets = np.array(network.offsets * 1.0 * scale, np.float64)
    units, cells, options = steps.shape
    may_be_equal = bool(case.allowed[:, 0].all())
    places = np.argwhere(case.allowed[:, 1:])
    matrix = np.zeros((len(places), units + cells + 1))
    matrix[:, :units] = steps[:, places[:, 0], places[:, 1] + 1].T
    matrix[np.arange(len(places)), units + places[:, 0]] = -1
    matrix[:, -1] = 1
    gains = [abs(int(value)) / (1 << GAIN_BITS) for value in network.rising]
    largest = LARGEST_SLOPE * max(*gains, 1e-30)
    limits = [
        (
            -largest if low is None else low / (1 << GAIN_BITS),
            largest if high is None else high / (1 << GAIN_BITS),
        )
        for low, high in slope_bounds(network, case)
    ]
    limits += [(0.0 if equal else -np.inf, np.inf) for equal in case.allowed[:, 0]]
    limits += [(0.0, np.inf if may_be_equal else 0.0)]
    cost = np.concatenate([offsets, np.ones(cells), [-1.0]])
    result = linprog(cost, A_ub=matrix, b_ub=np.zeros(len(places)), bounds=limits, method="highs")
    weights = np.zeros((cells, options))
    if result.x is None:
        return Proposal(np.array(gains), weights)
    weights[places[:, 0], places[:, 1] + 1] = -result.ineqlin.marginals
    weights[:, 0] = np.where(case.allowed[:, 0], 1 - weights.sum(axis=1), 0)
    return Proposal(np.asarray(result.x[:units], np.float64), weights)


def verified(network: ExactNetwork, case: Case, proposed: NDArray[np.float64]) -> Upper:
    """The bound that slopes give, clipped to valid ones: exact whatever was proposed."""
    slopes = np.empty(len(proposed), object)
    for unit, (low, high) in enumerate(slope_bounds(network, case)):
        slope = int(float(proposed[unit]) * 2**60) << (GAIN_BITS - 60)
        slope = slope if low is None else max(slope, low)
        slopes[unit] = slope if high is None else min(slope, high)
    gains: Whole = np.tensordot(slopes, network.steps, axes=1)
    choice = best_choice(case, gains)
    largest = int(gains[np.arange(len(choice)), list(choice)].sum())
    return Upper(fraction(int((slopes * network.offsets).sum()) + largest + network.constant), choice)


def best_choice(case: Case, gains: Whole) -> Choice:
    """The difference with the largest sum of gains; it differs in at least one cell."""
    ranked = np.where(case.allowed, gains, -np.inf)
    choice = ranked.argmax(axis=1)
    if not choice.any():
        lost = ranked[:, 1:].max(axis=1) - ranked[:, 0]
        cell = int(np.argmax(lost))
        choice[cell] = 1 + int(ranked[cell, 1:].argmax())
    return tuple(int(option) for option in choice)


def rounded(case: Case, weights: NDArray[np.float64]) -> Choice:
    """The likeliest option of each cell."""
    return tuple(int(option) for option in np.where(case.allowed, weights, -1).argmax(axis=1))
