"""Comparing groups of runs, against counting all arrangements by hand."""

import math
from itertools import combinations

import pytest

from nhc.experiments.compare import compared, cost, summary
from tests.experiments.samples import results, trained


def exact_p(first: list[float], second: list[float]) -> float:
    """Of all ways to choose the first group, the share with at most as many larger pairs."""
    values = [*first, *second]

    def larger(chosen: tuple[int, ...]) -> float:
        rest = [at for at in range(len(values)) if at not in chosen]
        return sum(values[a] > values[b] for a in chosen for b in rest)

    ways = list(combinations(range(len(values)), len(first)))
    observed = larger(tuple(range(len(first))))
    return sum(larger(way) <= observed for way in ways) / len(ways)


@pytest.mark.parametrize(
    ("first", "second"),
    [([3.0, 1, 4], [9.0, 2, 6, 5]), ([1.0, 2, 3, 4], [5.0, 6, 7]), ([8.0, 6], [1.0, 2, 3, 4, 5])],
)
def test_the_test_is_that_of_mann_and_whitney(first: list[float], second: list[float]) -> None:
    first, second = [float(value) for value in first], [float(value) for value in second]
    found = compared(first, second)
    assert found.p_better == pytest.approx(exact_p(first, second))
    assert found.p_worse == pytest.approx(exact_p(second, first))
    wins = sum(a < b for a in first for b in second)
    assert found.superiority == pytest.approx(wins / (len(first) * len(second)))


def test_runs_that_did_not_master_all_levels_rank_last_together() -> None:
    unsolved = compared([math.inf, 10.0, 900.0], [math.inf, math.inf, 20.0])
    assert unsolved.superiority == pytest.approx((2 * 0.5 + (1 + 1 + 1) + 2) / 9)
    assert cost(trained(5, mastered=False)) == math.inf > cost(trained(9_999))
    same = compared([math.inf, math.inf], [math.inf])
    assert same == (1.0, 1.0, 0.5)
    with pytest.raises(ValueError, match="group"):
        compared([], [1.0])


def test_the_summary_counts_only_mastered_runs() -> None:
    made = results(search=[trained(300), trained(1_200), trained(7, mastered=False)])
    assert summary(made, "search") == "search: 2 of 3 mastered, median 750 learning iterations (300 to 1,200)"
    assert summary(results(x=[trained(7, mastered=False)]), "x") == "x: 0 of 1 mastered"
