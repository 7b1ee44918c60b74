"""Comparing two groups of training runs by how much learning they needed to master all levels.

The cost of a run is its learning iterations, and the worst of all if it did not master all levels within its
budget: a run that stopped early must not look cheap. Runs of equal seed are compared in pairs. The rank tests
are exact by counting all arrangements, which SciPy's are not where values tie. Ranks are doubled, so that the
mean rank of a tie is a whole number, and sums can be counted.
"""

import math
import statistics
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nhc.experiments.description import Finding, Finished, Results, Verdict
from nhc.experiments.job import field, whole
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

    def __str__(self) -> str:
        side, p = min(("better", self.p_better), ("worse", self.p_worse), key=lambda found: found[1])
        how = "paired by seed" if self.paired else "unpaired"
        clear = f"{side} with p = {p:.2g}, {how}"
        low, high = self.interval
        effect = f"effect {self.delta:+.3f} ({low:+.3f} to {high:+.3f})"
        return f"{clear if p < SIGNIFICANT else f'no clear difference, p = {self.p:.2g}'}; {effect}"


def compared(first: Sequence[float], second: Sequence[float], *, paired: bool) -> Comparison:
    """Compare costs; infinite ones tie with each other. `paired`: run i of one belongs to run i of the other.

    Raises ValueError for an empty group, or for pairs that are not.
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
    better, worse = test(first, second), test(second, first)
    return Comparison(better, worse, float(wins.mean()), interval_of(deltas), deltas, paired)


def interval_of(deltas: np.ndarray) -> tuple[float, float]:
    """The interval that holds `CONFIDENCE` of resampled effects."""
    low, high = np.quantile(deltas, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return float(low), float(high)


def compared_variants(results: Results, label: str, baseline: str) -> Comparison:
    """Two variants: pairs if both have a run of each seed, groups otherwise."""
    first, second = (results.of(name) for name in (label, baseline))
    by_seed = [{whole(run.job.values, "seed"): cost(run) for run in runs} for runs in (first, second)]
    unique = len(by_seed[0]) == len(first) and len(by_seed[1]) == len(second)
    if unique and by_seed[0].keys() == by_seed[1].keys():
        seeds = sorted(by_seed[0])
        return compared(*([side[seed] for seed in seeds] for side in by_seed), paired=True)
    return compared(costs(results, label), costs(results, baseline), paired=False)


def rank_sum_p(first: Sequence[float], second: Sequence[float]) -> float:
    """How probable a rank sum of `first` as small as this, or smaller, is (Mann-Whitney, Wilcoxon).

    Every choice of so many of all values is equally probable; infinite values are the largest and tie.
    """
    ranks = doubled_ranks([*first, *second])
    ways: list[Counter[int]] = [Counter({0: 1})] + [Counter() for _ in first]
    for rank in ranks:
        for chosen in range(len(first), 0, -1):
            for total, count in ways[chosen - 1].items():
                ways[chosen][total + rank] += count
    return _share(ways[-1], sum(ranks[: len(first)]))


def signed_rank_p(first: Sequence[float], second: Sequence[float]) -> float:
    """The same for pairs: how probable so small a sum of the ranks of pairs in which `first` is larger is.

    Every sign of every difference is equally probable. Pairs that tie are dropped; a difference from an
    infinite value is the largest. 1 without pairs that differ.
    """
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a != b]
    ranks = doubled_ranks([math.inf if math.inf in pair else abs(pair[0] - pair[1]) for pair in pairs])
    ways = Counter({0: 1})
    for rank in ranks:
        ways += Counter({total + rank: count for total, count in ways.items()})
    return _share(ways, sum(rank for rank, (a, b) in zip(ranks, pairs, strict=True) if a > b))


def doubled_ranks(values: Sequence[float]) -> list[int]:
    """Twice the rank of each value, from 2; equal values have their mean rank."""
    return [2 * sum(other < value for other in values) + values.count(value) + 1 for value in values]


def _share(ways: Counter[int], most: int) -> float:
    return sum(count for total, count in ways.items() if total <= most) / ways.total()


def cost(run: Finished) -> float:
    """Learning iterations to mastery; infinite without it."""
    return float(whole(run.result, "learning_iterations")) if is_mastered(run) else UNSOLVED


def costs(results: Results, label: str) -> list[float]:
    """The costs of a variant's finished runs."""
    return [cost(run) for run in results.of(label)]


def is_mastered(run: Finished) -> bool:
    """Did a training run master all levels?"""
    return field(run.result, "mastered", bool)


def rate(results: Results, label: str) -> float:
    """Share of a variant's finished runs that mastered all levels."""
    runs = results.of(label)
    return sum(map(is_mastered, runs)) / len(runs)


def summary(results: Results, label: str) -> str:
    """`search: 13 of 15 mastered, median 438 learning iterations (343 to 1,628), others ended at Level 4`."""
    runs = results.of(label)
    solved = [value for value in costs(results, label) if math.isfinite(value)]
    text = f"{label}: {len(solved)} of {len(runs)} mastered"
    if solved:
        text += f", median {statistics.median(solved):,.0f} learning iterations"
        text += f" ({min(solved):,.0f} to {max(solved):,.0f})" if len(solved) > 1 else ""
    ended = {whole(run.result, "level") for run in runs if not is_mastered(run)}
    if ended:
        place = f"Levels {min(ended)} to {max(ended)}" if len(ended) > 1 else f"Level {min(ended)}"
        text += f", {'others' if solved else 'they'} ended at {place}"
    return text


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
