"""Exact data modules of local worlds are the rules, on whole families, and those of Sokoban in particular."""

from itertools import product

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.data.exact_free_tree import ExactFreeTree
from nhc.data.exact_local import ExactLocal
from nhc.data.exact_sokoban import ExactSokoban
from nhc.data.protocol import DataModules
from nhc.data.registry import exact_modules
from nhc.domains.permuted import permuted_sokoban
from nhc.domains.registry import make_domain
from nhc.domains.sliding import Sliding
from nhc.domains.sokoban import Board, Sokoban
from nhc.domains.stacking import Stacking
from nhc.domains.states import regrouped
from nhc.errors import ConfigError
from tests.domains.worlds import bits
from tests.algorithms.test_sampler import Tables

ROWS = 30_240


@eqx.filter_jit
def run(modules: DataModules, op, word):
    """Did the operation change anything, and the word after it."""
    changed, change = alu(modules, op, modules.view(word))
    return changed, modules.insert(changed, change, word)


@eqx.filter_jit
def alu(modules: DataModules, op, view):
    return modules.alu(op, view)


@eqx.filter_jit
def insert(modules: DataModules, changed, change, word):
    return modules.insert(changed, change, word)


def compare(world, states) -> int:
    """View, ALU and insertion in a row against the rules for every operation; the number of changes."""
    modules, words, changes = ExactLocal(world), world.encode(states), 0
    for op in range(5):
        expected = words if op == 4 else world.encode(world.step(states, op))
        changed, after = run(modules, jnp.full(len(words), op), jnp.asarray(words))
        assert after.dtype == jnp.uint8 and changed.dtype == bool
        assert (np.asarray(after) == expected).all()
        different = (expected != words).any(axis=-1)
        assert (np.asarray(changed) == different).all()
        changes += int(different.sum())
    return changes


def test_sliding_on_every_board() -> None:
    """A tile can slide from 24 of 36 sides."""
    changes = sum(compare(Sliding(), part) for part in regrouped(Sliding().family_states(), ROWS))
    assert changes == 362_880 * 4 * 24 // 36


@pytest.mark.parametrize("boxes", [1, 3, 5])
def test_stacking_on_every_arrangement(boxes: int) -> None:
    world = Stacking(boxes)
    (family,) = regrouped(world.family_states(), ROWS)
    assert 0 < compare(world, family) < 4 * world.family_size


def test_the_permuted_encoding_on_a_sample() -> None:
    world = permuted_sokoban()
    assert compare(world, world.sample(np.random.default_rng(1), 3_000)) > 3_000


def test_on_sokoban_they_are_the_modules_of_sokoban() -> None:
    """Each by itself, on words of sampled states; also on changes that do not belong to the word."""
    world = Sokoban(Board(5, 7))
    mine, theirs, rng = ExactLocal(world), ExactSokoban(world.board), np.random.default_rng(3)
    words = jnp.asarray(world.encode(world.sample(rng, 500)))
    views = mine.view(words)
    assert (views == theirs.view(words)).all()
    for op in range(5):
        (changed, change), (same, expected) = (alu(m, jnp.full(500, op), views) for m in (mine, theirs))
        assert (changed == same).all() and (change == expected).all()
        for flags in (changed, ~changed):
            for moved in (change, jnp.roll(change, 1, axis=0)):
                inserts = (insert(m, flags, moved, words) for m in (mine, theirs))
                assert (next(inserts) == next(inserts)).all()
    others = jnp.roll(words, 1, axis=0).at[::3].set(words[::3])
    assert (mine.equal(words, others) == theirs.equal(words, others)).all()
    assert 160 < int(mine.equal(words, others).sum()) < 340


def test_views_and_changes_are_one_hot_and_show_what_lies_beyond() -> None:
    modules = ExactLocal(Sliding())
    word = jnp.array(bits([0, 1, 4, 8, 3, 5, 2, 6, 7], 9), jnp.uint8)
    view = modules.view(word)
    assert view.tolist() == bits([0, 8, 9, 9, 1], 10)
    assert [number.tolist() for number in alu(modules, jnp.int32(0), view)] == [
        True,
        [1, 0, 0, 0, *bits([8, 0], 10)],
    ]
    for op, direction in ((1, [0, 1, 0, 0]), (2, [0, 0, 1, 0])):
        changed, change = alu(modules, jnp.int32(op), view)
        assert (bool(changed), change.tolist()) == (False, [*direction, *bits([0, 9], 10)])
        assert (insert(modules, jnp.array(True), change, word) == word).all(), "what lies beyond is dropped"
    inside = jnp.array(bits([1, 3, 4, 8, 0, 5, 2, 6, 7], 9), jnp.uint8)
    assert (insert(modules, jnp.array(True), change, inside) == inside).all(), "no cell can hold it"
    changed, change = alu(modules, jnp.int32(4), view)
    assert (bool(changed), change.tolist()) == (False, [1, 0, 0, 0, *bits([0, 8], 10)])


def test_leading_axes() -> None:
    world = Stacking()
    words = jnp.asarray(world.encode(world.sample(np.random.default_rng(4), 6)))
    ops = jnp.arange(6) % 5
    _, flat = run(ExactLocal(world), ops, words)
    _, shaped = run(ExactLocal(world), ops.reshape(2, 3), words.reshape(2, 3, 78))
    assert (shaped.reshape(6, 78) == flat).all()
    _, alone = run(ExactLocal(world), ops[3], words[3])
    assert (alone == flat[3]).all()


@pytest.mark.parametrize("name", ["sliding-3x3", "stacking", "sokoban-permuted"])
def test_they_are_data_modules_and_static(name: str) -> None:
    modules = exact_modules(make_domain(name))
    assert isinstance(modules, DataModules) and isinstance(modules, ExactLocal)
    assert (modules.name, modules.word_bits) == (f"exact {name}", make_domain(name).word_bits)
    again = exact_modules(make_domain(name))
    assert hash(modules) == hash(again) and modules == again
    word = jnp.asarray(make_domain(name).encode(make_domain(name).sample(np.random.default_rng(1), 1)))
    expected = modules.view(word)
    assert (jax.jit(lambda m, w: m.view(w), static_argnums=0)(modules, word) == expected).all()
    assert not jax.tree.leaves(modules)


def test_equality_is_that_of_states() -> None:
    world = Stacking(2)
    (family,) = regrouped(world.family_states(), ROWS)
    words = jnp.asarray(world.encode(family))
    keys = world.key(family)
    for first, second in product(range(28), repeat=2):
        assert bool((words[first] == words[second]).all()) == (keys[first] == keys[second])
    pairs = ExactLocal(world).equal(jnp.repeat(words, 28, axis=0), jnp.tile(words, (28, 1)))
    assert pairs.tolist() == (keys[:, None] == keys).ravel().tolist()


def test_which_modules_a_domain_has() -> None:
    assert isinstance(exact_modules(make_domain("sokoban-6x6")), ExactSokoban)
    assert isinstance(exact_modules(make_domain("free-tree")), ExactFreeTree)
    with pytest.raises(ConfigError) as caught:
        exact_modules(Tables(2, 3, 1))
    assert caught.value.code == "domain.modules"
