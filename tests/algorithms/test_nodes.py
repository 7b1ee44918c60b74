"""Node arithmetic against a tree that a queue has built."""

import jax.numpy as jnp
import numpy as np
import pytest

from nhc.algorithms.tree import nodes as tree
from tests.oracles.teacher import Tree, grow, way_back

NODES = 1500


@pytest.fixture(scope="module")
def queued() -> Tree:
    """A configuration is the op that made the node."""
    return grow(lambda _, op: op, -1, NODES)


def test_parent_and_child_are_those_of_the_queue(queued: Tree) -> None:
    for node, above in enumerate(queued.parents):
        if above is not None:
            assert tree.parent(node) == above
            assert tree.child(above, queued.configurations[node]) == node


def test_path_and_depth_are_those_of_the_queue(queued: Tree) -> None:
    for node in range(NODES):
        assert tree.path(node) == way_back(queued, node)
        assert tree.depth(node) == len(way_back(queued, node)) - 1


def test_path_ops_lead_from_the_root_to_the_node(queued: Tree) -> None:
    for node in range(NODES):
        expected = [queued.configurations[below] for below in way_back(queued, node)[-2::-1]]
        assert tree.path_ops(node) == expected


def test_level_of_a_goal_is_the_number_of_nodes_to_explore_for_it(queued: Tree) -> None:
    for node in range(1, NODES):
        above = queued.parents[node]
        assert above is not None
        assert tree.level_of(node) == above + 1


@pytest.mark.parametrize("asarray", [np.asarray, jnp.asarray])
def test_arrays_of_both_libraries_do_the_same(asarray) -> None:
    nodes = np.arange(1, 97, dtype=np.int32)
    ops = nodes % 4
    assert tree.parent(asarray(nodes)).tolist() == [tree.parent(node) for node in nodes.tolist()]
    children = tree.child(asarray(nodes), asarray(ops))
    assert children.dtype == np.int32
    assert children.tolist() == [tree.child(n, k) for n, k in zip(nodes.tolist(), ops.tolist(), strict=True)]


def test_depths_of_an_array_of_any_shape() -> None:
    nodes = np.random.default_rng(2).integers(2**31 - 1, size=(5, 7)).astype(np.int32)
    nodes[0, :3] = (0, 1, 2**31 - 1)
    found = tree.depths(nodes)
    assert found.dtype == np.int32
    assert found.tolist() == [[tree.depth(node) for node in row] for row in nodes.tolist()]


def test_depths_leave_their_argument_alone() -> None:
    nodes = np.arange(9, dtype=np.int32)
    tree.depths(nodes)
    assert nodes.tolist() == list(range(9))
