"""Bad memories against a list that is written in a circle."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nhc.evolve.bad_memories import no_bad_memories
from nhc.tasks.batch import Tasks

NODES = 9


def failures(first: int, count: int, columns: int = 6) -> Tasks:
    """Tasks that can be told apart in every array."""
    numbers = np.arange(first, first + count, dtype=np.int32)
    content = numbers[:, None] * 100 + np.arange(columns, dtype=np.int32)
    return Tasks(content, numbers, numbers + 1000)


def goals(bad) -> list[int]:
    return bad.recalled(np.arange(bad.held)).goal.tolist()


def test_an_empty_ring_holds_nothing() -> None:
    bad = no_bad_memories(7, NODES)
    assert (bad.held, bad.next) == (0, 0)
    assert bad.tasks.content.shape == (7, NODES)
    assert bad.tasks.size == 7


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(1, 8), st.lists(st.integers(0, 8), max_size=9))
def test_the_newest_failures_are_held_each_in_place_of_the_oldest(capacity: int, counts: list[int]) -> None:
    bad, ring, history, written = no_bad_memories(capacity, NODES), {}, [], 0
    for count in counts:
        bad = bad.remember(failures(written, count))
        for number in range(written, written + count):
            ring[number % capacity] = number
            history.append(number)
        written += count
        assert bad.held == len(ring)
        assert goals(bad) == [ring[row] for row in range(len(ring))]
        assert sorted(goals(bad)) == history[-capacity:]
        assert bad.next == written % capacity
    recalled = bad.recalled(np.arange(bad.held))
    for row, number in enumerate(goals(bad)):
        assert recalled.content[row].tolist() == [*failures(number, 1).content[0].tolist(), 0, 0, 0]
        assert recalled.end[row] == number + 1000


def test_remembering_changes_no_earlier_ring() -> None:
    before = no_bad_memories(3, NODES).remember(failures(0, 2))
    before.remember(failures(5, 3))
    assert goals(before) == [0, 1]


def test_a_repeated_failure_is_held_twice() -> None:
    bad = no_bad_memories(4, NODES).remember(failures(3, 1)).remember(failures(3, 1))
    assert goals(bad) == [3, 3]


def test_cleared_is_empty_and_fills_from_the_beginning() -> None:
    bad = no_bad_memories(5, NODES).remember(failures(0, 4)).cleared()
    assert (bad.held, bad.next, bad.tasks.size) == (0, 0, 5)
    assert goals(bad.remember(failures(50, 2))) == [50, 51]


def test_recalled_rows_are_copies_in_the_order_asked_for() -> None:
    bad = no_bad_memories(5, NODES).remember(failures(0, 4))
    recalled = bad.recalled(np.array([3, 0, 3]))
    assert recalled.goal.tolist() == [3, 0, 3]
    recalled.content[:] = -1
    assert (bad.recalled(np.array([3])).content >= 0).all()


def test_wider_tasks_are_cut_to_the_nodes_of_the_ring() -> None:
    bad = no_bad_memories(2, 4).remember(failures(1, 1, columns=6))
    assert bad.recalled(np.array([0])).content.tolist() == [[100, 101, 102, 103]]
