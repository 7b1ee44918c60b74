"""Proof that Input tells every two different words apart, or two words that it takes for equal.

Sampling cannot show it: pairs that differ in one cell are hardly ever drawn. Label *proved*: the claim covers
all pairs of words with one symbol in each cell, and every float32 evaluation, because the logit exceeds twice
the rounding error bound.
"""

from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from nhc.data.dense import Dense
from nhc.domains.local import WordForm
from nhc.streams import random_stream
from nhc.supervised.equality_proof_exact import Choice, ExactNetwork, exact_network, words_of
from nhc.supervised.equality_proof_patterns import BoundReached, Found, Open, search_patterns

FACTOR = 2
"""A logit counts only if it exceeds so many error bounds."""
STARTS = 32

Method = Literal["auto", "monotone", "patterns"]


class Proved(NamedTuple):
    """Equal words have a logit of at least `margin`, different ones of at most -`margin`, in real numbers."""

    margin: float
    error: float
    """Bound on the float32 rounding error; the margin exceeds it twice."""
    patterns: int
    """Cases of rectifier signs that were bounded by linear programs; 0 for monotone networks."""
    method: str


class Refuted(NamedTuple):
    """Two words, as symbol numbers, that Input takes for equal though they differ, or the reverse."""

    left: tuple[int, ...]
    right: tuple[int, ...]
    logit: float


class Undecided(NamedTuple):
    """Neither a proof nor a counterexample."""

    reason: str


Verdict: TypeAlias = Proved | Refuted | Undecided


def prove_equality(
    network: Dense,
    form: WordForm,
    *,
    fixed_cells: frozenset[int] = frozenset(),
    method: Method = "auto",
    budget: int = 20_000,
) -> Verdict:
    """Decide f(0) > 0 and f(|x - y|) < 0 for all different words x, y that agree in `fixed_cells`.

    `auto` takes the sign check of monotone networks where it applies, else branches over rectifier signs with
    at most `budget` linear programs.
    """
    try:
        exact = exact_network(network, form, fixed_cells)
    except ValueError as error:
        return Undecided(str(error))
    if not exact.cells:
        return Undecided("no cell may differ")
    least = FACTOR * exact.error
    equal = exact.equal_logit
    same = (0,) * len(exact.cells)
    if equal < -least:
        return refuted(exact, form, same)
    if equal <= least:
        return Undecided(f"the logit of equal words, {float(equal):.3g}, is within rounding of 0")
    monotone = is_monotone(network, form, exact)
    if method == "monotone" and not monotone:
        return Undecided("the signs of the weights do not make the network monotone")
    worst = worst_single(exact)
    if exact.logit(worst) > least:
        return refuted(exact, form, worst)
    if monotone and method != "patterns":
        return by_signs(exact, equal, exact.logit(worst))
    climbed = climb(exact)
    if exact.logit(climbed) > least:
        return refuted(exact, form, climbed)
    return by_patterns(exact, form, equal, budget)


def is_monotone(network: Dense, form: WordForm, exact: ExactNetwork) -> bool:
    """Does every bit of a difference lower the logit or leave it?  v W <= 0, and leaky rectifiers rise."""
    first, last = (np.sign(np.asarray(weight)) for weight in network.weights)
    bits = first.reshape(len(first), form.cells, -1)[:, list(exact.cells)]
    return bool((bits * last[0][:, None, None] <= 0).all())


def by_signs(exact: ExactNetwork, equal: Fraction, single: Fraction) -> Verdict:
    """More differing cells only lower the logit, so the single cells decide."""
    if single >= -FACTOR * exact.error:
        return Undecided(f"the logit of a single cell, {float(single):.3g}, is within rounding of 0")
    return Proved(float(min(equal, -single)), float(exact.error), 0, "monotone")


def by_patterns(exact: ExactNetwork, form: WordForm, equal: Fraction, budget: int) -> Verdict:
    """Bound the logit for every combination of rectifier signs."""
    outcome = search_patterns(exact, FACTOR * exact.error, budget)
    if isinstance(outcome, Found):
        return refuted(exact, form, outcome.choice)
    if isinstance(outcome, Open):
        return Undecided(outcome.reason)
    assert isinstance(outcome, BoundReached)
    return Proved(float(min(equal, -outcome.bound)), float(exact.error), outcome.patterns, "patterns")


def refuted(exact: ExactNetwork, form: WordForm, choice: Choice) -> Refuted:
    """The words of a difference that is decided wrongly."""
    return Refuted(*words_of(exact, form, choice), float(exact.logit(choice)))


def singles(exact: ExactNetwork) -> list[Choice]:
    """All differences of one cell."""
    cells = len(exact.cells)
    return [
        (*(0,) * cell, option, *(0,) * (cells - cell - 1))
        for cell in range(cells)
        for option in range(1, 1 + len(exact.pairs))
    ]


def worst_single(exact: ExactNetwork) -> Choice:
    """The difference of one cell with the largest logit."""
    return max(singles(exact), key=exact.logit)


def climb(exact: ExactNetwork) -> Choice:
    """A difference with a large logit: from random ones, the best change of a cell until none helps."""
    rng = random_stream(0, "equality counterexample")
    cells, options = len(exact.cells), 1 + len(exact.pairs)
    steps = exact.steps.astype(np.float64) * 2.0**-149
    offsets = exact.offsets.astype(np.float64) * 2.0**-149
    rising = np.array([value / (1 << 179) for value in exact.rising])
    falling = np.array([value / (1 << 179) for value in exact.falling])
    best, best_logit = (1, *(0,) * (cells - 1)), -np.inf
    for _ in range(STARTS):
        choice = rng.integers(0, options, cells)
        if not choice.any():
            choice[0] = 1
        logit = -np.inf
        while True:
            held = steps[:, np.arange(cells), choice]
            units = (offsets + held.sum(axis=1))[:, None, None] - held[:, :, None] + steps
            logits = (np.maximum(units, 0) * rising[:, None, None]).sum(0)
            logits += (np.minimum(units, 0) * falling[:, None, None]).sum(0)
            if np.count_nonzero(choice) == 1:  # words that differ in no cell are another matter
                logits[np.argmax(choice > 0), 0] = -np.inf
            cell, option = np.unravel_index(int(logits.argmax()), logits.shape)
            if not logits[cell, option] > logit + 1e-9:
                break
            choice[cell], logit = option, float(logits[cell, option])
        if logit > best_logit:
            best, best_logit = tuple(int(option) for option in choice), logit
    return best
