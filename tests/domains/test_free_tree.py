"""The free tree against plain integers, and its words."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nhc.domains.free_tree import FreeTree, TreeState
from nhc.domains.protocol import Domain
from nhc.errors import InputError

LAST = 2**32 - 1
NODES = st.one_of(st.integers(0, LAST), st.integers(2**30 - 9, 2**30 + 9), st.integers(0, 99))
QUICK = settings(derandomize=True, deadline=None, max_examples=60)


def slow_child(node: int, op: int) -> int:
    """Where a node has not room for four children, all are the last node."""
    return 4 * node + op + 1 if 4 * node + 4 <= LAST else LAST


def states(*nodes: int) -> TreeState:
    return TreeState(np.array(nodes, np.uint64))


def test_it_is_a_domain() -> None:
    world = FreeTree()
    assert isinstance(world, Domain)
    assert (world.name, world.word_bits) == ("free-tree", 32)
    assert "node 0" in world.family


def test_every_task_starts_at_the_root_and_nothing_is_drawn() -> None:
    rng, other = np.random.default_rng(3), np.random.default_rng(3)
    sample = FreeTree().sample(rng, 7)
    assert sample.node.tolist() == [0] * 7
    assert sample.node.dtype == np.uint64
    assert rng.random() == other.random()


@QUICK
@given(st.lists(NODES, min_size=1, max_size=9), st.integers(0, 3))
def test_step_makes_the_child(nodes: list[int], op: int) -> None:
    after = FreeTree().step(states(*nodes), op)
    assert after.node.dtype == np.uint64
    assert after.node.tolist() == [slow_child(node, op) for node in nodes]
    assert int(FreeTree().step(TreeState(nodes[0]), op).node) == slow_child(nodes[0], op)


def test_saturation_begins_exactly_where_four_children_have_no_room() -> None:
    edge = range(2**30 - 4, 2**30 + 3)
    assert [slow_child(node, 0) < LAST for node in edge] == [True] * 3 + [False] * 4
    for op in range(4):
        assert FreeTree().step(states(*edge), op).node.tolist() == [slow_child(node, op) for node in edge]


def test_numbers_saturate_and_never_return() -> None:
    node = 0
    for _ in range(40):
        after = int(FreeTree().step(TreeState(node), 3).node)
        assert after > node or node == LAST
        node = after
    assert node == LAST


def test_all_children_of_the_first_nodes_are_new() -> None:
    nodes = np.arange(2000, dtype=np.uint64)
    children = [FreeTree().step(TreeState(nodes), op).node for op in range(4)]
    assert np.sort(np.concatenate(children)).tolist() == list(range(1, 8001))


@QUICK
@given(st.lists(NODES, min_size=1, max_size=9))
def test_words_are_binary_with_the_lowest_bit_first(nodes: list[int]) -> None:
    world = FreeTree()
    words = world.encode(states(*nodes))
    assert words.dtype == np.uint8
    assert words.shape == (len(nodes), 32)
    for node, word in zip(nodes, words.tolist(), strict=True):
        assert word == [int(bit) for bit in reversed(f"{node:032b}")]
    assert world.decode(words).node.tolist() == nodes
    assert world.key(states(*nodes)).tolist() == nodes
    assert world.encode(TreeState(nodes[0])).shape == (32,)


@pytest.mark.parametrize(
    "words", [np.zeros((2, 31), np.uint8), np.zeros(33, np.uint8), np.full(32, 2, np.uint8)]
)
def test_what_is_no_word_is_refused(words) -> None:
    with pytest.raises(InputError) as error:
        FreeTree().decode(words)
    assert error.value.code == "word.invalid"
