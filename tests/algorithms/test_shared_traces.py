"""What tasks have in common is run once: shared traces, told back into the single ones."""

import numpy as np
import pytest

from nhc.algorithms.traces import Shared, Traces, concatenate, empty_traces, shared, stacked
from nhc.algorithms.tree.algorithm import TreeAlgorithm
from tests.algorithms.test_traces import BOTH, assert_same


def unshared(found: Shared) -> Traces:
    """The tasks again, from trunk and branches."""
    rows = []
    for task in range(len(found.fork)):
        fork, length = int(found.fork[task]), int(found.rest.length[task])
        columns = [
            np.concatenate([trunk[:fork], rest[task, : length - fork]])[None]
            for trunk, rest in zip(found.trunk[:4], found.rest[:4], strict=True)
        ]
        ends = (np.array([of[task]], np.int32) for of in (found.rest.main, found.rest.length))
        rows.append(Traces(*columns, *ends))
    return concatenate(rows)


def common(one: Traces, other: Traces, row: int, column: int) -> int:
    """Rows that two tasks have in common."""
    upto = min(int(one.length[row]), int(other.length[column]))
    for t in range(upto):
        if any((a[row, t] != b[column, t]).any() for a, b in zip(one[:4], other[:4], strict=True)):
            return t
    return upto


def told_apart(*columns: list[int]) -> Traces:
    """Tasks with these stored words; longer than others where they have more."""
    made = empty_traces(len(columns), max(map(len, columns)), 2)
    for row, column in enumerate(columns):
        made.stored[row, : len(column)] = column
        made.main[row] = made.length[row] = len(column)
    return made


SHARED: dict[str, tuple[Traces, list[int], int]] = {
    # Tasks, their forks, and the ticks that it takes to run them together.
    "nothing in common": (told_apart([1, 2, 3], [4, 2, 3], [5, 2]), [0, 0, 0], 8),
    "a tree": (told_apart([1, 2, 9, 9], [1, 2, 3, 4, 5], [1, 2, 3, 7], [8]), [2, 3, 3, 0], 3 + 2 + 2 + 1 + 1),
    "one is the beginning of the other": (told_apart([1, 2], [1, 2, 3]), [2, 2], 2 + 0 + 1),
    "a row like padding": (told_apart([1, 2], [1, 2, 0, 3]), [2, 2], 2 + 0 + 2),
    "identical": (told_apart([1, 2, 3], [1, 2, 3], [1, 2, 3]), [3, 3, 3], 3),
    "one task": (told_apart([1, 2, 3]), [0], 3),
    "one row": (told_apart([1], [1], [2]), [1, 1, 0], 2),
}


@pytest.mark.parametrize("name", SHARED)
def test_what_tasks_have_in_common_with_the_longest_is_one_trunk(name: str) -> None:
    tasks, forks, ticks = SHARED[name]
    found = shared(tasks)
    assert (found.fork.tolist(), found.ticks) == (forks, ticks)
    assert found.fork.dtype == np.int32
    assert int(found.trunk.length) == max(forks)
    assert_same(unshared(found).padded(tasks.ticks), tasks)


@pytest.mark.parametrize("column", range(4))
def test_every_column_can_tell_tasks_apart(column: int) -> None:
    """Also padding is nothing in common, and what differs in the last signal only."""
    tasks = told_apart([1, 1, 1, 1], [1, 1, 1, 1])
    tasks[column][0, 2, ...] += np.eye(2, dtype=np.float32)[1] if column == 0 else 1
    assert shared(tasks).fork.tolist() == [2, 2]


@pytest.mark.parametrize("tree", BOTH, ids=str)
def test_planning_tasks_share_the_search(tree: TreeAlgorithm) -> None:
    goals = [*range(1, 25), 9, 40, 3]
    tasks = stacked(tree, goals)
    found = shared(tasks)
    longest = goals.index(40)
    for row, goal in enumerate(goals):
        if row != longest:
            assert found.fork[row] == common(tasks, tasks, row, longest) == goal
    assert found.fork[longest] == 24
    assert_same(unshared(found).padded(tasks.ticks), tasks)
