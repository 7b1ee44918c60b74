"""Batches of tasks, the two algorithms and their lengths, against the figures of the paper."""

import numpy as np
import pytest

from nhc.tasks.algorithm import ALGORITHMS, PLAN, SEARCH
from nhc.tasks.batch import Tasks, concatenate, tick_bound
from nhc.algorithms.tree.nodes import depths
from tests.oracles.teacher import free_step, grow, way_back


def some(rows: int, columns: int, seed: int = 0) -> Tasks:
    rng = np.random.default_rng(seed)
    return Tasks(
        *(rng.integers(1, 90, size=shape).astype(np.int32) for shape in ((rows, columns), rows, rows))
    )


def assert_same(found: Tasks, expected: Tasks) -> None:
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == np.int32
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("index", [slice(1, 4), np.array([4, 0, 4]), np.array([], np.intp)])
def test_rows_takes_the_same_rows_of_everything(index) -> None:
    tasks = some(5, 7)
    chosen = np.arange(5)[index].tolist()
    found = tasks.rows(index)
    assert found.size == len(chosen)
    for place, row in enumerate(chosen):
        assert found.content[place].tolist() == tasks.content[row].tolist()
        assert (found.goal[place], found.end[place]) == (tasks.goal[row], tasks.end[row])


@pytest.mark.parametrize("columns", [3, 7, 12])
def test_padding_changes_only_columns_beyond_both_widths(columns: int) -> None:
    tasks = some(5, 7)
    found = tasks.padded(columns)
    assert found.content.shape == (5, columns)
    for row in range(5):
        for column in range(columns):
            expected = tasks.content[row, column] if column < 7 else 0
            assert found.content[row, column] == expected
    assert_same(Tasks(tasks.content, *found[1:]), tasks)


@pytest.mark.parametrize("columns", [3, 12])
def test_padding_leaves_the_tasks_alone(columns: int) -> None:
    tasks = some(2, 7)
    before = tasks.content.copy()
    tasks.padded(columns)
    np.testing.assert_array_equal(tasks.content, before)
    assert_same(concatenate([tasks]), tasks)


def test_parts_follow_each_other_as_wide_as_the_widest() -> None:
    parts = [some(2, 5, 1), some(0, 9, 2), some(3, 8, 3)]
    whole = concatenate(parts)
    assert whole.content.shape == (5, 9)
    assert_same(whole.rows(slice(0, 2)), parts[0].padded(9))
    assert_same(whole.rows(slice(2, 5)), parts[2].padded(9))


@pytest.mark.parametrize(
    ("algorithm", "level", "ticks"),
    [(SEARCH, 1, 5), (SEARCH, 3, 13), (SEARCH, 21, 85), (PLAN, 1, 6), (PLAN, 3, 15), (PLAN, 21, 88)],
)
def test_tick_bound_gives_the_figures_of_the_paper(algorithm, level: int, ticks: int) -> None:
    assert tick_bound(level, algorithm) == ticks


def test_the_longest_run_of_the_paper() -> None:
    """A goal at node n and depth d takes n + 1 + d ticks: 330,631 at Level 82,656."""
    goal = np.array([330_621], np.int32)
    assert int((goal + PLAN.end_ticks(depths(goal)))[0]) == 330_631


def test_tick_bound_is_the_longest_of_all_goals_up_to_the_level() -> None:
    levels = 25
    tree = grow(free_step, 0, 4 * levels + 1)
    longest = {"search": 0, "plan": 0}
    for level in range(1, levels + 1):
        for goal in range(4 * level - 3, 4 * level + 1):
            longest["search"] = max(longest["search"], goal + 1)
            longest["plan"] = max(longest["plan"], goal + len(way_back(tree, goal)))
        for name, ticks in longest.items():
            assert tick_bound(level, ALGORITHMS[name]) == ticks


def test_what_the_two_algorithms_are() -> None:
    assert list(ALGORITHMS) == ["search", "plan"]
    depth = np.array([1, 2, 7], np.int32)
    assert SEARCH.end_ticks(depth).tolist() == [1, 1, 1]
    assert PLAN.end_ticks(depth).tolist() == [2, 3, 8]
    assert SEARCH.end_ticks(depth).dtype == PLAN.end_ticks(depth).dtype == np.int32
    assert (SEARCH.maximum, PLAN.maximum) == (120.0, 150.0)
    assert (SEARCH.signals, PLAN.signals) == (2, 3)
