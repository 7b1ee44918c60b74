"""The sampler against trees of plain integers: which goals, which worlds, which numbers, and how often."""

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nhc.algorithms.tree.nodes import level_of
from nhc.algorithms.tree.sampler import content_numbers, grow_tree, level_is_empty, sample_tasks, walk
from nhc.domains.free_tree import FreeTree
from nhc.domains.protocol import Domain
from nhc.domains.sokoban import Board, Sokoban, State
from tests.domains.sokoban.sokoban_twin import slow_step, to_grid
from tests.oracles.teacher import free_step, fresh_children, grow

SMALL = Board(5, 6)


class Where(NamedTuple):
    """A place in one of many worlds."""

    world: np.ndarray
    place: np.ndarray


class Tables:
    """Worlds in which operations lead anywhere: `tables[world, place, op]` is the next place.

    Its key tells places of one world apart and says nothing about worlds, as the protocol allows.
    """

    name, family, word_bits = "tables", "random tables", 8

    def __init__(self, worlds: int, places: int, seed: int) -> None:
        self.tables = np.random.default_rng(seed).integers(places, size=(worlds, places, 4))
        self.drawn = 0

    def sample(self, rng: np.random.Generator, count: int) -> Where:
        self.drawn += count
        worlds, places = self.tables.shape[:2]
        return Where(rng.integers(worlds, size=count), rng.integers(places, size=count))

    def step(self, state: Where, op: int) -> Where:
        return Where(state.world, self.tables[state.world, state.place, op])

    def key(self, state: Where) -> np.ndarray:
        return np.asarray(state.place, np.uint64) * np.uint64(2**59 + 1)

    def encode(self, state: Where) -> np.ndarray:
        raise NotImplementedError

    def decode(self, words: np.ndarray) -> Where:
        raise NotImplementedError


def single(states: tuple, row: int) -> tuple[int, ...]:
    return tuple(int(field[row]) for field in states)


class Plain(NamedTuple):
    """A domain, and the same world without it: one state as a plain value, and its step."""

    domain: Domain
    value: Callable[[tuple[int, ...]], object]
    step: Callable[[tuple[int, ...]], Callable[[object, int], object]]


TABLES = Tables(300, 9, 1)
DOMAINS = {
    "tables": Plain(
        TABLES,
        lambda state: state[1],
        lambda state: lambda place, op: int(TABLES.tables[state[0], place, op]),
    ),
    "sokoban": Plain(
        Sokoban(SMALL),
        lambda state: text(to_grid(SMALL, State(*state))),
        lambda state: lambda grid, op: text(slow_step([list(row) for row in grid.split()], op)),
    ),
    "free-tree": Plain(FreeTree(), lambda state: state[0], lambda state: free_step),
}


def text(grid: list[list[str]]) -> str:
    return " ".join("".join(row) for row in grid)


@pytest.mark.parametrize("name", DOMAINS)
@pytest.mark.parametrize("level", [1, 2, 3, 6, 9])
def test_the_tasks_are_those_of_a_plainly_grown_tree(name: str, level: int) -> None:
    domain, value, step = DOMAINS[name]
    worlds = 60
    sample = sample_tasks(domain, level, rng=np.random.default_rng(level), worlds=worlds)
    drawn = domain.sample(np.random.default_rng(level), worlds)
    assert sample.worlds == worlds
    assert sample.content.shape == (sample.size, 4 * level + 1)

    row = 0
    for world in range(worlds):
        start = single(drawn, world)
        allowed = fresh_children(step(start), value(start), level)
        if not allowed:
            continue
        goal = int(sample.goal[row])
        tree = grow(step(start), value(start), 4 * level + 1)
        assert goal in allowed
        assert level_of(goal) == level
        assert tree.configurations[goal] not in tree.configurations[:goal]
        assert single(sample.start_state, row) == start
        assert value(single(sample.goal_state, row)) == tree.configurations[goal]
        pairs = set(zip(sample.content[row].tolist(), tree.configurations, strict=True))
        assert len(pairs) == len(set(tree.configurations)) == len({number for number, _ in pairs})
        row += 1
    assert row == sample.size
    assert row > 2
    assert (row < worlds) == (name != "free-tree" and level > 1)


def test_some_tasks_hold_duplicates() -> None:
    """Else the comparison of contents above says little."""
    sample = sample_tasks(TABLES, 4, rng=np.random.default_rng(4), worlds=60)
    assert all(len(set(row)) < 17 for row in sample.content.tolist())


def test_one_of_the_fresh_children_is_chosen_uniformly() -> None:
    domain, level = Tables(1, 4000, 5), 2
    domain.tables[0, :, 1] = domain.tables[0, :, 0]  # a second op that repeats the first
    domain.tables[0, ::2, 3] = np.arange(0, 4000, 2)  # and one without effect in every other place
    sample = sample_tasks(domain, level, rng=np.random.default_rng(6), worlds=6000)
    tally: dict[tuple[int, ...], Counter] = {}
    for goal, (start,) in zip(sample.goal.tolist(), zip(sample.start_state.place.tolist()), strict=True):
        allowed = fresh_children(lambda place, op: int(domain.tables[0, place, op]), start, level)
        tally.setdefault(tuple(allowed), Counter())[goal] += 1
    frequent = {allowed: count for allowed, count in tally.items() if count.total() > 400}
    assert {len(allowed) for allowed in frequent} == {2, 3}
    for allowed, count in frequent.items():
        share = 1 / len(allowed)
        for goal in allowed:
            deviation = (count.total() * share * (1 - share)) ** 0.5
            assert abs(count[goal] - count.total() * share) < 4.5 * deviation


def test_the_same_generator_gives_the_same_tasks() -> None:
    samples = [sample_tasks(TABLES, 3, rng=np.random.default_rng(seed), worlds=40) for seed in (1, 1, 2)]
    goals = [sample.goal.tolist() for sample in samples]
    assert goals[0] == goals[1]
    assert goals[0] != goals[2]


@pytest.mark.parametrize("nodes", [1, 2, 5, 6, 21, 23])
def test_grown_trees_hold_each_node_once_in_order(nodes: int) -> None:
    start = TABLES.sample(np.random.default_rng(0), 7)
    tree = grow_tree(TABLES, start, nodes)
    assert tree.place.shape == tree.world.shape == (7, nodes)
    for row in range(7):
        world, place = single(start, row)
        assert tree.world[row].tolist() == [world] * nodes
        expected = grow(lambda p, op, w=world: int(TABLES.tables[w, p, op]), place, nodes)
        assert tree.place[row].tolist() == expected.configurations


@pytest.mark.parametrize("ops", [[], [2], [0, 3, 1], [1, 1, 2, 0, 3]])
def test_a_walk_ends_where_its_ops_lead_and_is_straight_if_no_place_came_twice(ops: list[int]) -> None:
    starts = TABLES.sample(np.random.default_rng(len(ops)), 80)
    end, straight = walk(TABLES, starts, ops)
    expected = []
    for row in range(80):
        world, place = single(starts, row)
        places = [place]
        for op in ops:
            places.append(int(TABLES.tables[world, places[-1], op]))
        assert single(end, row) == (world, places[-1])
        if len(set(places)) == len(places):
            expected.append(row)
    assert straight.tolist() == expected
    assert (len(expected) == 80) == (not ops)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(st.lists(st.sampled_from([0, 1, 7, 2**63, 2**64 - 1]), min_size=6, max_size=6), min_size=1))
def test_content_numbers_are_small_and_equal_as_the_keys_are(keys: list[list[int]]) -> None:
    numbers = content_numbers(np.array(keys, np.uint64))
    assert numbers.dtype == np.int32
    for found, row in zip(numbers.tolist(), keys, strict=True):
        assert {found[i] == found[j] for i in range(6) for j in range(6) if row[i] == row[j]} == {True}
        assert not any(found[i] == found[j] for i in range(6) for j in range(6) if row[i] != row[j])
        assert set(found) == set(range(len(set(row))))


def test_the_error_of_an_empty_level_names_it() -> None:
    error = level_is_empty("sliding-3x3", 13)
    assert error.code == "task.level"
    assert "level 13 of sliding-3x3" in str(error)
    assert "10,000" in str(error)
