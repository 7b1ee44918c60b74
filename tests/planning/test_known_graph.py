"""Graphs as four operations meet them, against a slow search over states and digits."""

from collections import deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nhc.planning.closed import Limits, explore
from nhc.planning.known_graph import digits_for, known_graph
from tests.planning.made_up_spaces import Slow, listed_space, random_space, slow_search

Node = tuple[int, tuple[int, ...]]


def child(slow: Slow, node: Node, op: int, digits: int) -> Node:
    """What an operation makes of a node, by trying all actions with these digits."""
    state, begun = node
    tried = (*begun, op)
    names = [np.base_repr(action, 4).zfill(digits) for action in range(len(slow.successors[state]))]
    under = [action for action, name in enumerate(names) if tuple(map(int, name))[: len(tried)] == tried]
    if not under:
        return node
    return (slow.successors[state][under[0]], ()) if len(tried) == digits else (state, tried)


def digits_of(slow: Slow) -> int:
    """How many digits the largest number of an action has."""
    return len(np.base_repr(max(1, *map(len, slow.successors)) - 1, 4))


def slow_numbers(slow: Slow, digits: int) -> tuple[dict[Node, int], list[list[int]], list[int]]:
    """Nodes by number, their children, and their depths; up to the goal."""
    first: Node = (0, ())
    number, queue, children, depth = {first: 0}, deque([first]), [], [0]
    while queue:
        node = queue.popleft()
        children.append([number[node]] * 4)
        if slow.goal is not None and (slow.goal, ()) in number:
            continue
        if node[0] >= len(slow.successors):
            continue
        for op in range(4):
            made = child(slow, node, op, digits)
            if made not in number:
                number[made] = len(number)
                depth.append(depth[number[node]] + 1)
                queue.append(made)
            children[-1][op] = number[made]
            if made == (slow.goal, ()):
                break
    return number, children, depth


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    size=st.integers(2, 60),
    most=st.integers(1, 70),
    goal=st.booleans(),
    loose=st.booleans(),
)
def test_the_numbers_are_those_of_a_search_over_digits(
    seed: int, size: int, most: int, goal: bool, loose: bool
) -> None:
    space = random_space(np.random.default_rng(seed), size=size, words=1, most=most, goal=goal, loose=loose)
    explored, slow = explore(space), slow_search(space)
    graph = known_graph(explored)
    digits_each = digits_of(slow)
    number, children, depth = slow_numbers(slow, digits_each)
    assert graph.children.tolist() == children
    assert graph.children.dtype == np.int64 and graph.children.flags.c_contiguous
    assert graph.states.tolist() == [-1 if digits else state for state, digits in number]
    for (state, digits), node in number.items():
        assert depth[node] == digits_each * explored.depth(state) + len(digits)
    if explored.goal is None:
        assert graph.goal is None
    else:
        assert graph.goal == number[explored.goal, ()] == len(number) - 1


@pytest.mark.parametrize(("actions", "digits"), [(0, 1), (1, 1), (4, 1), (5, 2), (16, 2), (17, 3), (65, 4)])
def test_digits_suffice_for_all_actions(actions: int, digits: int) -> None:
    assert digits_for(actions) == digits


def test_four_actions_are_the_graph_itself() -> None:
    space = listed_space(np.arange(4)[:, None], [[1, 2], [3, 0, 1, 2], [], [3]])
    graph = known_graph(explore(space))
    assert graph.children.tolist() == [[1, 2, 0, 0], [3, 0, 1, 2], [2] * 4, [3] * 4]
    assert graph.states.tolist() == [0, 1, 2, 3]


def test_states_that_a_limit_left_have_no_actions() -> None:
    space = random_space(np.random.default_rng(1), size=200, words=1, most=6, least=1)
    explored = explore(space, Limits(generated=150))
    graph = known_graph(explored)
    left = np.flatnonzero(graph.states >= explored.expanded)
    assert len(left) == len(explored.states) - explored.expanded > 0
    assert (graph.children[left] == left[:, None]).all()


def test_a_way_along_nodes_comes_to_the_states_of_the_plan() -> None:
    space = random_space(np.random.default_rng(8), size=300, words=1, most=15, goal=True)
    explored = explore(space)
    graph = known_graph(explored)
    assert explored.goal is not None and graph.goal is not None
    way, above = [graph.goal], {}
    for node, row in enumerate(graph.children.tolist()):
        for made in row:
            above.setdefault(made, node)
    while way[-1]:
        way.append(above[way[-1]])
    states = graph.states_on(way[::-1])
    assert states == explored.path_to(explored.goal)
    assert len(way) - 1 == digits_of(slow_search(space)) * len(explored.labels_along(states))
    assert explored.labels_along(states) == explored.labels_to(explored.goal)
