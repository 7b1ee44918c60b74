"""Fitness shaping against the formulas, one member and one rank at a time."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nhc.algorithms.judge import Points
from nhc.evolve.shaping import batch_fitness, gini_utilities, ranked_utilities
from tests.oracles.teacher import Score, mean_fitness, utilities

FITNESS = st.sampled_from([math.nan, math.inf, -math.inf, -3.5, 0.0, 12.25, 99.99999, 100.0, 120.0])


@settings(derandomize=True, deadline=None, max_examples=150)
@given(st.integers(1, 5), st.integers(1, 7), st.sampled_from([20, 50]), st.randoms(use_true_random=False))
def test_batch_fitness_is_equation_3(members: int, tasks: int, bonus: int, random) -> None:
    most = Points(*np.array([[random.randint(1, 90), random.randint(1, 12)] for _ in range(tasks)]).T)
    generous = [random.random() < 0.5 for _ in range(members)]

    def points(best):
        rows = [[m if kind else random.randint(0, m) for m in best.tolist()] for kind in generous]
        return np.array(rows, np.int32)

    found = Points(
        points(most.main), np.array([[random.randint(0, m) for m in most.bonus]] * members, np.int32)
    )
    fitness = batch_fitness(found, most, float(bonus))
    assert fitness.shape == (members,)
    for member in range(members):
        row = zip(found.main[member], found.bonus[member], *most, strict=True)
        scores = [
            Score(Fraction(100 * int(s), int(ms)), Fraction(bonus * int(e), int(me)), 0, 0.0)
            for s, e, ms, me in row
        ]
        assert fitness[member] == pytest.approx(float(mean_fitness(scores)), abs=1e-9)


def test_only_a_whole_batch_earns_the_bonus_however_near_the_mean_is_to_100() -> None:
    most = Points(np.full(1000, 84 * 3), np.full(1000, 12))
    search = np.array([[84 * 3] * 1000, [84 * 3] * 999 + [84 * 3 - 1]])
    fitness = batch_fitness(Points(search, np.full((2, 1000), 12)), most, 50.0)
    assert fitness[0] == 150.0
    assert 99.999 < fitness[1] < 100.0


def test_the_maximum_is_exact_for_points_that_do_not_divide_evenly() -> None:
    for tasks in (3, 7, 20):
        most = Points(np.arange(1, tasks + 1) * 3, np.arange(tasks) + 7)
        assert batch_fitness(Points(most.main[None], most.bonus[None]), most, 20.0)[0] == 120.0


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.lists(st.integers(1, 88), min_size=2, max_size=20), st.randoms(use_true_random=False))
def test_members_that_did_equally_well_on_different_tasks_tie(lengths: list[int], random) -> None:
    """A share of one task moved to another of the same length changes nothing, not even the last bit."""
    most = np.array([3 * length for length in lengths * 2])
    one = np.array([random.randint(0, whole) for whole in most.tolist()], np.int32)
    other = np.roll(one, len(lengths))  # the tasks come twice
    fitness = batch_fitness(
        Points(np.stack([one, other]), np.zeros((2, len(most)), np.int32)),
        Points(most, np.ones_like(most)),
        50.0,
    )
    assert fitness[0] == fitness[1]


def test_shares_of_different_tasks_that_add_up_alike_tie() -> None:
    """1/3 + 1/6 = 1/2: rounded quotients of these and their like differ in the last bit."""
    most = np.array([3, 6, 2, 7, 21, 14])
    search = np.array([[1, 1, 0, 1, 0, 0], [0, 0, 1, 0, 3, 0], [0, 0, 1, 0, 0, 2]], np.int32)
    fitness = batch_fitness(Points(search, np.zeros_like(search)), Points(most, most), 50.0)
    assert len(set(fitness.tolist())) == 1
    tied = ranked_utilities(fitness, gini_utilities(3, 0.1, 3.0))
    assert len(set(tied.tolist())) == 1


@pytest.mark.parametrize("population", [2, 3, 20, 37])
@pytest.mark.parametrize("gini", [0.05, 0.1, 0.5, 1.0])
def test_utilities_by_rank_are_the_smooth_gini_ranking(population: int, gini: float) -> None:
    found = gini_utilities(population, gini, 3.0)
    for rank in range(population):
        exponent = 2 / gini - 1
        assert found[rank] == pytest.approx(3 * (rank / (population - 1)) ** exponent, rel=1e-9)
    assert found[0] == 0
    assert found[-1] == 3


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.lists(FITNESS, min_size=2, max_size=23), st.sampled_from([0.1, 0.7]))
def test_members_get_the_mean_utility_of_their_ranks(fitness: list[float], gini: float) -> None:
    by_rank = gini_utilities(len(fitness), gini, 2.5)
    found = ranked_utilities(np.array(fitness), by_rank)
    np.testing.assert_allclose(found, utilities(fitness, gini, 2.5), rtol=1e-9, atol=1e-15)
    assert found.sum() == pytest.approx(by_rank.sum())
    for one, own in zip(fitness, found, strict=True):
        for other, its in zip(fitness, found, strict=True):
            if math.isfinite(one) and math.isfinite(other) and one < other:
                assert own < its
            if one == other:
                assert own == its
            if not math.isfinite(one):
                assert own <= its


def test_what_is_not_finite_ranks_below_the_worst_and_ties() -> None:
    by_rank = np.array([0.0, 1.0, 2.0, 4.0, 8.0, 16.0])
    fitness = np.array([5.0, math.nan, -1e300, math.inf, 7.0, -math.inf])
    assert ranked_utilities(fitness, by_rank).tolist() == [8.0, 1.0, 4.0, 1.0, 16.0, 1.0]


def test_a_generation_that_ties_shares_the_mean_and_is_not_centred() -> None:
    by_rank = gini_utilities(20, 0.1, 3.0)
    found = ranked_utilities(np.full(20, 41.5), by_rank)
    np.testing.assert_allclose(found, np.full(20, by_rank.mean()))
    assert found[0] > 0
