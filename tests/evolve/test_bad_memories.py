"""Bad memories against a list that is written in a circle."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nhc.algorithms.traces import Traces
from nhc.evolve.bad_memories import BadMemories, empty_bad_memories

TICKS = 9


def failures(first: int, count: int, ticks: int = 6) -> Traces:
    """Traces that can be told apart in every column."""
    numbers = np.arange(first, first + count, dtype=np.int32)
    column = numbers[:, None] * 100 + np.arange(ticks, dtype=np.int32)
    signals = np.stack([column, column + 0.5], axis=2).astype(np.float32)
    return Traces(signals, column, column + 1, column + 2, numbers, numbers + 1000)


def goals(bad: BadMemories) -> list[int]:
    return bad.recalled(np.arange(bad.held)).main.tolist()


def test_an_empty_ring_holds_nothing() -> None:
    bad = empty_bad_memories(7, TICKS, 2)
    assert (bad.held, bad.next) == (0, 0)
    assert (bad.tasks.size, bad.tasks.ticks, bad.tasks.signals.shape) == (7, TICKS, (7, TICKS, 2))


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(1, 8), st.lists(st.integers(0, 8), max_size=9))
def test_the_newest_failures_are_held_each_in_place_of_the_oldest(capacity: int, counts: list[int]) -> None:
    bad, ring, history, written = empty_bad_memories(capacity, TICKS, 2), {}, [], 0
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
        for found, wanted in zip(recalled, failures(number, 1).padded(TICKS), strict=True):
            np.testing.assert_array_equal(found[row], wanted[0])


def test_remembering_changes_no_earlier_ring() -> None:
    before = empty_bad_memories(3, TICKS, 2).remember(failures(0, 2))
    before.remember(failures(5, 3))
    assert goals(before) == [0, 1]


def test_a_repeated_failure_is_held_twice() -> None:
    bad = empty_bad_memories(4, TICKS, 2).remember(failures(3, 1)).remember(failures(3, 1))
    assert goals(bad) == [3, 3]


def test_cleared_is_empty_and_fills_from_the_beginning() -> None:
    bad = empty_bad_memories(5, TICKS, 2).remember(failures(0, 4)).cleared()
    assert (bad.held, bad.next, bad.tasks.size) == (0, 0, 5)
    assert goals(bad.remember(failures(50, 2))) == [50, 51]


def test_recalled_rows_are_copies_in_the_order_asked_for() -> None:
    bad = empty_bad_memories(5, TICKS, 2).remember(failures(0, 4))
    recalled = bad.recalled(np.array([3, 0, 3]))
    assert recalled.main.tolist() == [3, 0, 3]
    recalled.stored[:] = -1
    assert (bad.recalled(np.array([3])).stored >= 0).all()


def test_a_longer_trace_widens_the_ring() -> None:
    bad = empty_bad_memories(2, 4, 2).remember(failures(1, 1, ticks=3)).remember(failures(7, 1, ticks=6))
    assert bad.tasks.ticks == 6
    assert bad.recalled(np.array([0, 1])).stored.tolist() == [[100, 101, 102, 0, 0, 0], [*range(700, 706)]]
