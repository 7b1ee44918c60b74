"""Comparing groups of runs, against counting all arrangements by hand."""

import math
from itertools import combinations, product

import numpy as np
import pytest

from nhc.experiments.compare import (
    compared,
    compared_variants,
    cost,
    doubled_ranks,
    interval_of,
    rank_sum_p,
    signed_rank_p,
    summary,
)
from tests.experiments.samples import results, trained

INF = math.inf
GROUPS = [
    ([3.0, 1.0, 4.0], [9.0, 2.0, 6.0, 5.0]),
    ([1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0]),
    ([8.0, 6.0], [1.0, 2.0, 3.0, 4.0, 5.0]),
    ([2.0, 2.0, 7.0], [2.0, 5.0, 5.0, 7.0]),
    ([INF, INF, 4.0, 1.0], [INF, 4.0, 4.0]),
    ([INF, 3.0], [INF, INF, INF, 8.0, 9.0]),
]
PAIRS = [
    [(3.0, 9.0), (1.0, 2.0), (4.0, 6.0), (8.0, 5.0)],
    [(3.0, 3.0), (INF, INF), (4.0, 6.0), (5.0, 3.0), (9.0, 1.0)],
    [(INF, 9.0), (1.0, INF), (4.0, INF), (8.0, 5.0), (7.0, INF)],
]


def exact_p(first: list[float], second: list[float]) -> float:
    """Of all ways to choose the first group, the share with at most as many larger pairs, ties half."""
    values = [*first, *second]

    def larger(chosen: tuple[int, ...]) -> float:
        rest = [at for at in range(len(values)) if at not in chosen]
        return sum((values[a] > values[b]) + 0.5 * (values[a] == values[b]) for a in chosen for b in rest)

    ways = list(combinations(range(len(values)), len(first)))
    observed = larger(tuple(range(len(first))))
    return sum(larger(way) <= observed for way in ways) / len(ways)


@pytest.mark.parametrize(("first", "second"), GROUPS)
def test_the_rank_sum_counts_all_arrangements(first: list[float], second: list[float]) -> None:
    assert rank_sum_p(first, second) == pytest.approx(exact_p(first, second))
    assert rank_sum_p(second, first) == pytest.approx(exact_p(second, first))


@pytest.mark.parametrize("pairs", PAIRS)
def test_the_signed_ranks_count_all_signs(pairs: list[tuple[float, float]]) -> None:
    apart = [(a, b) for a, b in pairs if a != b]
    sizes = [INF if INF in pair else abs(pair[0] - pair[1]) for pair in apart]
    ranks = [sum((other < size) + 0.5 * (other == size) for other in sizes) + 0.5 for size in sizes]
    observed = sum(rank for rank, (a, b) in zip(ranks, apart, strict=True) if a > b)
    sums = [
        sum(rank for rank, larger in zip(ranks, signs, strict=True) if larger)
        for signs in product((False, True), repeat=len(apart))
    ]
    expected = sum(total <= observed for total in sums) / len(sums)
    first, second = ([pair[at] for pair in pairs] for at in (0, 1))
    assert signed_rank_p(first, second) == pytest.approx(expected)
    assert doubled_ranks(sizes) == [2 * rank for rank in ranks]


def test_without_pairs_that_differ_nothing_is_shown() -> None:
    assert signed_rank_p([1.0, INF], [1.0, INF]) == 1.0


def test_fifteen_runs_a_group_are_counted_too() -> None:
    low, high = [float(at) for at in range(15)], [float(at) for at in range(15, 30)]
    assert rank_sum_p(low, high) == pytest.approx(1 / math.comb(30, 15))
    assert signed_rank_p(low, high) == pytest.approx(1 / 2**15)


@pytest.mark.parametrize("paired", [False, True])
def test_a_comparison_has_both_sides_and_an_interval(paired: bool) -> None:
    first, second = [5.0, 1.0, INF, 3.0, 9.0, 4.0], [6.0, INF, INF, 3.0, 11.0, 8.0]
    found = compared(first, second, paired=paired)
    test = signed_rank_p if paired else rank_sum_p
    assert (found.p_better, found.p_worse) == (test(first, second), test(second, first))
    wins = sum((a < b) - (a > b) for a in first for b in second) / 36
    assert found.delta == pytest.approx(wins)
    assert -1 <= found.interval[0] < found.delta < found.interval[1] <= 1
    assert found.p == pytest.approx(min(1.0, 2 * min(found.p_better, found.p_worse)))
    assert compared(first, second, paired=paired).interval == found.interval, "the resamples are seeded"


def test_groups_without_overlap_leave_no_doubt() -> None:
    assert compared([1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], paired=False).interval == (1.0, 1.0)
    assert compared([INF, INF], [INF, INF, INF], paired=False).interval == (0.0, 0.0)


@pytest.mark.parametrize(("first", "second", "paired"), [([], [1.0], False), ([1.0, 2.0], [1.0], True)])
def test_what_cannot_be_compared_is_refused(first: list[float], second: list[float], paired: bool) -> None:
    with pytest.raises(ValueError, match="group"):
        compared(first, second, paired=paired)


def test_runs_of_equal_seeds_are_paired_in_any_order() -> None:
    base = [trained(100 * seed, seed=seed) for seed in range(6)]
    other = [trained(100 * seed + 1, seed=seed) for seed in reversed(range(6))]
    found = compared_variants(results(a=other, b=base), "a", "b")
    assert found.paired and found.p_worse == pytest.approx(1 / 2**6)
    for wrong in (other[:5], [*other[:5], trained(7, seed=9)], [*other, trained(7, seed=0)]):
        loose = compared_variants(results(a=wrong, b=base), "a", "b")
        assert not loose.paired and loose.p_worse > 0.1


def test_runs_that_did_not_master_all_levels_cost_most() -> None:
    assert cost(trained(5, mastered=False)) == INF > cost(trained(9_999))


def test_the_summary_counts_only_mastered_runs() -> None:
    made = results(search=[trained(300), trained(1_200), trained(7, mastered=False)])
    median = "search: 2 of 3 mastered, median 750 learning iterations (300 to 1,200)"
    assert summary(made, "search") == f"{median}, others ended at Level 2"
    made = results(x=[trained(7, mastered=False, level=level) for level in (5, 3, 4)])
    assert summary(made, "x") == "x: 0 of 3 mastered, they ended at Levels 3 to 5"


def test_the_interval_holds_95_percent_of_the_resampled_effects() -> None:
    first, second = [float(3 * at % 17) for at in range(15)], [float(5 * at % 19) for at in range(15)]
    found = compared(first, second, paired=True)
    assert found.interval == interval_of(found.deltas)
    assert interval_of(np.arange(4001.0)) == pytest.approx((100.0, 3900.0))
