"""Labels do not overlap and move as little as possible."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nhc.runs.curve import DIGIT, LINE, layout, spread
from nhc.runs.history import Span


def slow_cost(wanted: list[float], gap: float, width: float, step: float) -> float:
    """The least sum of squared moves on a grid, by trying all ascending places."""
    grid = np.arange(0, width + step / 2, step)
    return min(
        sum((a - b) ** 2 for a, b in zip(places, wanted, strict=True))
        for places in itertools.combinations(grid, len(wanted))
        if all(b - a >= gap - 1e-9 for a, b in itertools.pairwise(places))
    )


@given(st.lists(st.integers(0, 8), min_size=1, max_size=4), st.integers(1, 2))
@settings(max_examples=30, deadline=None, derandomize=True)
def test_moves_are_the_least_possible(wanted: list[int], gap: int) -> None:
    places = spread(np.sort(np.array(wanted, dtype=np.float64)), float(gap), 8.0)
    cost = float(np.sum((places - np.sort(wanted)) ** 2))
    # The grid holds near-optimal places only: its best is never better, and not far behind.
    best = slow_cost(sorted(map(float, wanted)), gap, 8.0, 0.5)
    assert cost <= best + 1e-9
    assert best <= cost + 0.25 * len(wanted)


@given(st.lists(st.floats(0, 400), min_size=1, max_size=30), st.floats(0.5, 12))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_labels_keep_their_distance(wanted: list[float], gap: float) -> None:
    places = spread(np.sort(np.array(wanted)), gap, 400.0)
    assert np.all(np.diff(places) >= gap - 1e-9)
    assert places[0] >= 0 and places[-1] <= 400.0 + 1e-9


def test_labels_with_room_do_not_move() -> None:
    wanted = np.array([3.0, 11.0, 50.0])
    np.testing.assert_array_equal(spread(wanted, 8.0, 60.0), wanted)
    np.testing.assert_allclose(spread(np.array([20.0, 20.0, 21.0]), 6.0, 60.0), [43 / 3, 61 / 3, 79 / 3])


@pytest.mark.parametrize(("distance", "upright"), [(3 * DIGIT + 0.1, False), (3 * DIGIT - 0.1, True)])
def test_numbers_stand_upright_only_where_they_must(distance: float, upright: bool) -> None:
    middles = np.array([100.0, 100.0 + distance])
    labels = layout([Span(1, 1, 5), Span(2, 6, 9)], middles, 400.0, {1: 5, 2: 10})
    assert labels.upright is upright
    assert labels.ticks == ["5", "10"]


def test_levels_without_ticks_and_large_numbers() -> None:
    labels = layout([Span(21, 1, 5), Span(22, 6, 9)], np.array([9.0, 300.0]), 400.0, {21: 330631})
    assert labels.ticks == ["330,631", ""]
    assert labels.levels == [21, 22]


def test_only_the_last_attempt_stays_if_not_all_fit() -> None:
    parts = [Span(level, 1, 1) for level in (1, 2, 3, 1, 1, 2)]
    fits = layout(parts, np.arange(6.0), 6 * LINE, {})
    assert fits.levels == [1, 2, 3, 1, 1, 2]
    crowded = layout(parts, np.arange(6.0), 5 * LINE, {})
    assert crowded.levels == [1, 2]
    np.testing.assert_array_equal(crowded.wanted, [4.0, 5.0])
