"""Budgets against sums over the tree, node by node."""

import pytest

from nhc.algorithms.tree.environment import Status
from nhc.algorithms.tree.nodes import depth
from nhc.planning.budget import DEFAULT_TICKS, Budget, covered_depth, ticks_to_cover
from tests.computer.machines import free_task, ran, zoo


def last_node_at(deep: int) -> int:
    """The last node of the tree whose path has `deep` operations, counted node by node."""
    return sum(4**level for level in range(1, deep + 1))


@pytest.mark.parametrize("deep", range(14))
def test_the_last_node_of_a_depth_takes_the_ticks_that_cover_it(deep: int) -> None:
    node = last_node_at(deep)
    assert depth(node) == deep and depth(node + 1) == deep + 1
    assert ticks_to_cover(deep) == node + deep + 1


def test_covered_depth_is_the_largest_that_fits() -> None:
    needed = [last_node_at(deep) + deep + 1 for deep in range(15)]
    around = {ticks + change for ticks in needed for change in (-1, 0, 1)}
    for ticks in sorted(around | set(range(500))):
        fitting = [deep for deep in range(15) if needed[deep] <= ticks]
        assert covered_depth(ticks) == max(fitting, default=0)


def test_the_default_covers_plans_of_twelve_moves() -> None:
    assert covered_depth(DEFAULT_TICKS) == 12


@pytest.mark.parametrize("deep", [1, 3])
def test_a_machine_needs_exactly_these_ticks(deep: int) -> None:
    outcome = ran(zoo("plan"), free_task(last_node_at(deep)))
    assert (outcome.status, outcome.ticks) == (Status.FINISHED, ticks_to_cover(deep))


@pytest.mark.parametrize(
    ("ticks", "memory", "size", "expected"),
    [(10, 1000, 7, 10), (200, 1000, 7, 142), (143, 1000, 7, 142), (142, 994, 7, 142), (142, 993, 7, 141)],
)
def test_both_limits_hold(ticks: int, memory: int, size: int, expected: int) -> None:
    assert Budget(ticks, memory).ticks_within(size) == expected
    assert expected * size <= memory
