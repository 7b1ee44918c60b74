"""Exact one-sided rank tests for small groups with ties, by counting all arrangements.

Ranks are doubled, so that the mean rank of a tie is a whole number, and sums can be counted.
"""

import math
from collections import Counter
from collections.abc import Sequence


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
