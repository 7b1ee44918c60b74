"""Comparing two groups of training runs by how much learning they needed to master all levels.

The cost of a run is its learning iterations, and the worst of all if it did not master all levels within its
budget: a run that stopped early must not look cheap.
"""

import math
import statistics
from collections.abc import Sequence
from typing import NamedTuple

from nhc.experiments.description import Finished, Results

UNSOLVED = math.inf
SIGNIFICANT = 0.05


class Comparison(NamedTuple):
    """Of a group with another one."""

    p_better: float
    """One-sided Mann-Whitney: how probable such a small cost would be if the groups were alike."""
    p_worse: float
    superiority: float
    """Probability that a run of the first group costs less than one of the second, ties counted half."""


def cost(run: Finished) -> float:
    """Learning iterations to mastery; infinite without it."""
    needed = run.result["learning_iterations"]
    assert isinstance(needed, int)
    return float(needed) if run.result["mastered"] else UNSOLVED


def compared(first: Sequence[float], second: Sequence[float]) -> Comparison:
    """Compare costs; infinite ones tie with each other. Raises ValueError for an empty group."""
    from scipy.stats import mannwhitneyu

    if not first or not second:
        raise ValueError("expected two groups with at least one run each")
    pairs = [(a < b) + 0.5 * (a == b) for a in first for b in second]
    superiority = sum(pairs) / len(pairs)
    if len({*first, *second}) == 1:
        return Comparison(1.0, 1.0, superiority)
    # Ranks only: infinity is replaced by a number above all others.
    top = 1.0 + max((value for value in (*first, *second) if math.isfinite(value)), default=0.0)
    a, b = ([min(value, top) for value in group] for group in (first, second))
    better = mannwhitneyu(a, b, alternative="less").pvalue
    worse = mannwhitneyu(a, b, alternative="greater").pvalue
    return Comparison(float(better), float(worse), superiority)


def costs(results: Results, label: str) -> list[float]:
    """The costs of a variant's finished runs."""
    return [cost(run) for run in results.of(label)]


def mastered(results: Results, label: str) -> int:
    """How many runs of a variant mastered all levels."""
    return sum(bool(run.result["mastered"]) for run in results.of(label))


def summary(results: Results, label: str) -> str:
    """`search: 15 of 15 mastered, median 438 learning iterations (343 to 1,628)`."""
    runs = results.of(label)
    text = f"{label}: {mastered(results, label)} of {len(runs)} mastered"
    solved = [value for value in costs(results, label) if math.isfinite(value)]
    if solved:
        text += f", median {statistics.median(solved):,.0f} learning iterations"
        text += f" ({min(solved):,.0f} to {max(solved):,.0f})" if len(solved) > 1 else ""
    return text
