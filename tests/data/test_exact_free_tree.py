"""The exact data modules of the free tree are its rules, on words."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.data.exact import ExactFreeTree
from nhc.data.protocol import DataModules
from nhc.domains.free_tree import FreeTree, TreeState

MODULES, WORLD = ExactFreeTree(), FreeTree()
LAST = 2**32 - 1


def nodes() -> np.ndarray:
    """Small nodes, random ones, and all around the numbers where something could overflow."""
    rng = np.random.default_rng(1)
    edges = [centre + offset for centre in (2**30, 2**31, 3 * 2**30) for offset in range(-6, 7)]
    near = [0, 1, 2, 3, 4, 5, LAST - 1, LAST, *edges]
    return np.concatenate([np.array(near, np.uint64), rng.integers(2**32, size=157, dtype=np.uint64)])


@eqx.filter_jit
def run(op, word):
    changed, change = MODULES.alu(op, MODULES.view(word))
    return changed, MODULES.insert(changed, change, word)


def test_they_are_data_modules_and_static() -> None:
    assert isinstance(MODULES, DataModules)
    assert (MODULES.name, MODULES.word_bits) == ("exact free-tree", 32)
    assert hash(MODULES) == hash(ExactFreeTree())
    word = jnp.asarray(WORLD.encode(TreeState(9)))
    np.testing.assert_array_equal(eqx.filter_jit(lambda modules, w: modules.view(w))(MODULES, word), word)
    np.testing.assert_array_equal(jax.jit(lambda m, w: m.view(w), static_argnums=0)(MODULES, word), word)


@pytest.mark.parametrize("op", range(5))
def test_view_alu_insert_is_one_step_of_the_rules(op: int) -> None:
    words = WORLD.encode(TreeState(nodes()))
    changed, after = run(jnp.full(len(words), op), jnp.asarray(words))
    assert after.dtype == jnp.uint8
    expected = words if op == 4 else WORLD.encode(WORLD.step(TreeState(nodes()), op))
    np.testing.assert_array_equal(after, expected)
    assert changed.tolist() == [op != 4] * len(words)


def test_equal_compares_whole_words() -> None:
    words = jnp.asarray(WORLD.encode(TreeState(nodes()[:9])))
    assert MODULES.equal(words, words).all()
    for bit in range(32):
        assert not MODULES.equal(words, words.at[:, bit].set(1 - words[:, bit])).any()


def test_insert_keeps_the_word_where_nothing_changed() -> None:
    word, change = (jnp.asarray(WORLD.encode(TreeState(np.array([n], np.uint64)))) for n in (77, 5))
    assert (MODULES.insert(jnp.array([False]), change, word) == word).all()
    assert (MODULES.insert(jnp.array([True]), change, word) == change).all()


def test_leading_axes() -> None:
    words = jnp.asarray(WORLD.encode(TreeState(nodes()[:6])))
    ops = jnp.arange(6) % 5
    _, flat = run(ops, words)
    _, shaped = run(ops.reshape(2, 3), words.reshape(2, 3, 32))
    np.testing.assert_array_equal(shaped.reshape(6, 32), flat)
    _, alone = run(ops[3], words[3])
    np.testing.assert_array_equal(alone, flat[3])
