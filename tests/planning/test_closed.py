"""Breadth-first search with a closed list, against a slow twin with a dict."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nhc.domains.space import Space
from nhc.planning.closed import Limits, Pace, explore
from nhc.planning.explored import Explored
from tests.planning.made_up_spaces import (
    colliding_space,
    listed_space,
    random_space,
    slow_search,
    slow_successors,
)

TIGHT = Pace(chunk=1, states=1, block=1)
"""Grows and returns as often as it can."""


def agrees(found: Explored, space: Space, most_expanded: int = 10**9) -> None:
    """The same states, successors, depths and goal as the slow twin's."""
    slow = slow_search(space, most_expanded)
    assert list(map(tuple, found.states.tolist())) == slow.states
    parts = np.split(found.successors, found.offsets[1:-1]) if found.expanded else []
    assert [part.tolist() for part in parts] == slow.successors
    assert found.offsets[0] == 0 and found.offsets[-1] == found.generated == len(found.successors)
    assert list(found.layers) == slow.layers
    assert found.goal == slow.goal
    assert found.ended == (slow.goal is None and len(slow.successors) == len(slow.states))


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    size=st.integers(2, 300),
    words=st.integers(1, 4),
    most=st.integers(1, 9),
    pace=st.sampled_from([TIGHT, Pace(), Pace(chunk=7, states=3, block=5)]),
    goal=st.booleans(),
)
def test_the_search_is_the_slow_one(
    seed: int, size: int, words: int, most: int, pace: Pace, goal: bool
) -> None:
    space = random_space(np.random.default_rng(seed), size=size, words=words, most=most, goal=goal)
    agrees(explore(space, pace=pace), space)


@pytest.mark.parametrize("pace", [TIGHT, Pace()])
def test_states_with_equal_hashes_are_told_apart(pace: Pace) -> None:
    space = colliding_space(400)
    found = explore(space, pace=pace)
    assert len(found.states) == 400 and found.ended
    agrees(found, space)


def test_labels_lead_to_each_state_by_a_shortest_plan() -> None:
    space = random_space(np.random.default_rng(5), size=80, words=2, most=4, least=1)
    found = explore(space)
    assert len(found.layers) > 4
    for number in range(len(found.states)):
        state, labels = tuple(found.states[0].tolist()), found.labels_to(number)
        for label in labels:
            state = next(made for name, made in slow_successors(space, state) if name == label)
        assert state == tuple(found.states[number].tolist())
        assert len(labels) == found.depth(number)
        assert found.path_to(number)[-1] == number
    counts = np.bincount([found.depth(number) for number in range(len(found.states))])
    assert counts.tolist() == list(found.layers)


def test_the_first_parent_counts_and_the_start_is_never_a_goal() -> None:
    rows = np.arange(4)[:, None]
    space = listed_space(rows, [[0, 1, 2, 1], [3], [3], [0]], goal=3)
    found = explore(space)
    assert (found.goal, found.path_to(3), found.labels_to(3)) == (3, [0, 1, 3], [10 + 3, 30])
    assert found.successors.tolist() == [0, 1, 2, 1, 3]
    assert (found.generated, found.expanded, found.ended) == (5, 2, False)
    at_start = listed_space(rows, [[0, 1, 2, 1], [3], [3], [0]], goal=0)
    assert explore(at_start).goal is None and explore(at_start).ended
    assert found.labels_along([0, 2]) == [20 + 6]
    with pytest.raises(ValueError, match="not in list"):
        found.labels_along([0, 3])


def test_a_state_without_successors_is_all_there_is() -> None:
    found = explore(listed_space(np.zeros((1, 3), int), [[]]))
    assert (found.layers, found.ended, found.generated, found.limit) == ((1,), True, 0, None)


@pytest.mark.parametrize("limit", [1, 2, 50, 51, 52, 53, 400])
def test_a_limit_of_successors_is_kept(limit: int) -> None:
    space = random_space(np.random.default_rng(3), size=300, words=1, most=5, least=1)
    whole = explore(space)
    found = explore(space, Limits(generated=limit))
    assert found.limit == "generated" and not found.ended and found.goal is None
    assert limit <= found.generated < limit + 5 < whole.generated + 5
    assert found.generated == whole.offsets[found.expanded]
    agrees(found, space, found.expanded)


def test_a_limit_of_time_is_heard() -> None:
    space = random_space(np.random.default_rng(3), size=300, words=1, most=5, least=1)
    found = explore(space, Limits(seconds=0))
    assert (found.limit, found.generated) == ("seconds", 0)


@pytest.mark.parametrize("memory", [0, 300_000, 600_000, 1_700_000])
def test_a_limit_of_memory_is_kept_at_each_moment(memory: int) -> None:
    size = 30_000
    rows = np.stack([np.ones(size, int), np.zeros(size, int), np.arange(size)], axis=1)
    space = listed_space(rows, [[(2 * n) % size, (2 * n + 1) % size, (n + 7) % size] for n in range(size)])
    explore(space)  # compiles
    pace = Pace(chunk=1 << 10, block=1)
    tracemalloc.start()
    found = explore(space, Limits(memory=memory), pace=pace)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.limit == "memory" and not found.ended
    assert peak < memory + 60_000  # what Python itself allocates
    held = found.states.nbytes + found.offsets.nbytes + found.successors.nbytes + 8 * len(found.states)
    assert held > 0.5 * memory
    agrees(found, space, found.expanded)


def test_progress_is_told_and_can_interrupt() -> None:
    space = random_space(np.random.default_rng(3), size=300, words=1, most=5, least=1)
    told: list[tuple[int, int]] = []
    found = explore(space, on_progress=lambda *numbers: told.append(numbers), pace=TIGHT)
    assert told == sorted(told) and len(told) > 5
    assert told[-1] == (len(found.states), found.generated)

    def interrupt(states: int, generated: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        explore(space, on_progress=interrupt)
