"""Comparing two groups of training runs by how much learning they needed to master all levels.

The cost of a run is its learning iterations, and the worst of all if it did not master all levels within its
budget: a run that stopped early must not look cheap. Runs of equal seed are compared in pairs.
"""

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nhc.experiments.description import Finding, Finished, Results, Verdict
from nhc.experiments.fields import field, whole
from nhc.experiments.ranks import rank_sum_p, signed_rank_p
from nhc.streams import random_stream

UNSOLVED = math.inf
SIGNIFICANT = 0.05
SMALL = 0.33
"""Cliff's delta that counts as a small effect (Romano and others, 2006)."""
FEWEST_RUNS = 5
"""Of a group that is judged."""
RESAMPLES = 4_000
CONFIDENCE = 0.95


class Comparison(NamedTuple):
    """Of a group with another one."""

    p_better: float
    """One-sided: how probable costs that are so much smaller would be if the groups were alike."""
    p_worse: float
    delta: float
    """Cliff's delta: the share of pairs of runs in which the first group costs less, minus the others."""
    interval: tuple[float, float]
    """95 % of the deltas of resampled runs."""
    deltas: np.ndarray
    """Those deltas, `RESAMPLES`."""
    paired: bool
    """Are runs of equal seed compared, or the groups as a whole?"""

    @property
    def p(self) -> float:
        """Two-sided."""
        return min(1.0, 2 * min(self.p_better, self.p_worse))


def cost(run: Finished) -> float:
    """Learning iterations to mastery; infinite without it."""
    needed = whole(run.result, "learning_iterations")
    return float(needed) if field(run.result, "mastered", bool) else UNSOLVED


def compared(first: Sequence[float], second: Sequence[float], *, paired: bool) -> Comparison:
    """Compare costs; infinite ones tie with each other. `paired`: run i of one belongs to run i of the other.

    The p-values are exact: of Wilcoxon's signed ranks over all signs for pairs, ties dropped, else of the
    rank sum over all arrangements, ties with their mean rank. Raises ValueError for an empty group, or for
    pairs that are not.
    """
    if not first or not second or (paired and len(first) != len(second)):
        raise ValueError("expected two groups with at least one run each, and pairs if paired")
    test = signed_rank_p if paired else rank_sum_p
    a, b = np.array(first), np.array(second)
    wins = (a[:, None] < b).astype(float) - (a[:, None] > b)
    rng = random_stream(0, "bootstrap")
    rows = rng.integers(len(a), size=(RESAMPLES, len(a)))
    columns = rows if paired else rng.integers(len(b), size=(RESAMPLES, len(b)))
    deltas = wins[rows[:, :, None], columns[:, None, :]].mean(axis=(1, 2))
    low, high = np.quantile(deltas, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    better, worse = test(first, second), test(second, first)
    return Comparison(better, worse, float(wins.mean()), (float(low), float(high)), deltas, paired)


def compared_variants(results: Results, label: str, baseline: str) -> Comparison:
    """Two variants: pairs if both have a run of each seed, groups otherwise."""
    sides = [
        {whole(run.job.values, "seed"): cost(run) for run in results.of(name)} for name in (label, baseline)
    ]
    sizes = [len(results.of(name)) for name in (label, baseline)]
    if sides[0].keys() == sides[1].keys() and sizes == [len(side) for side in sides]:
        seeds = sorted(sides[0])
        return compared(*([side[seed] for seed in seeds] for side in sides), paired=True)
    return compared(costs(results, label), costs(results, baseline), paired=False)


def costs(results: Results, label: str) -> list[float]:
    """The costs of a variant's finished runs."""
    return [cost(run) for run in results.of(label)]


def mastered(results: Results, label: str) -> int:
    """How many runs of a variant mastered all levels."""
    return sum(field(run.result, "mastered", bool) for run in results.of(label))


def rate(results: Results, label: str) -> float:
    """Share of a variant's finished runs that mastered all levels."""
    return mastered(results, label) / len(results.of(label))


def summary(results: Results, label: str) -> str:
    """`search: 13 of 15 mastered, median 438 learning iterations (343 to 1,628), others ended at Level 4`."""
    runs = results.of(label)
    text = f"{label}: {mastered(results, label)} of {len(runs)} mastered"
    solved = [value for value in costs(results, label) if math.isfinite(value)]
    if solved:
        text += f", median {statistics.median(solved):,.0f} learning iterations"
        text += f" ({min(solved):,.0f} to {max(solved):,.0f})" if len(solved) > 1 else ""
    ended = {whole(run.result, "level") for run in runs if not field(run.result, "mastered", bool)}
    if ended:
        place = f"Levels {min(ended)} to {max(ended)}" if len(ended) > 1 else f"Level {min(ended)}"
        text += f", {'others' if solved else 'they'} ended at {place}"
    return text


def told(results: Results, label: str, baseline: str, test: Comparison) -> str:
    """The numbers of a variant beside its baseline, with the test."""
    side, p = min(("better", test.p_better), ("worse", test.p_worse), key=lambda found: found[1])
    how = "paired by seed" if test.paired else "unpaired"
    tested = (
        f"{side} with p = {p:.2g}, {how}" if p < SIGNIFICANT else f"no clear difference, p = {test.p:.2g}"
    )
    low, high = test.interval
    effect = f"effect {test.delta:+.3f} ({low:+.3f} to {high:+.3f})"
    return f"{summary(results, baseline)}; {summary(results, label)}; {tested}; {effect}"


def too_few(results: Results, labels: Sequence[str], *, able: Sequence[str] = ()) -> Finding | None:
    """`not run` for groups with too few runs, or where fewer than half of the runs of `able` mastered."""
    numbers = "; ".join(summary(results, label) for label in labels)
    if any(len(results.of(label)) < FEWEST_RUNS for label in labels):
        return Finding(Verdict.NOT_RUN, f"too few to judge, expected {FEWEST_RUNS} runs each; {numbers}")
    for label in able:
        if rate(results, label) < 0.5:
            text = f"too few to judge, fewer than half of {label} mastered all levels; {numbers}"
            return Finding(Verdict.NOT_RUN, text)
    return None
