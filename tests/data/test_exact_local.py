"""Exact data modules of local worlds are the rules, on whole families, and those of Sokoban in particular."""

from itertools import product

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.data.exact import ExactFreeTree, ExactLocal, exact_modules
from nhc.data.protocol import DataModules
from nhc.domains.local import inserted, view_of
from nhc.domains.permuted import PermutedSokoban
from nhc.domains.registry import make_domain
from nhc.domains.sliding import Sliding
from nhc.domains.sokoban import Board, Sokoban, State
from nhc.domains.stacking import Stacking
from nhc.domains.states import regrouped
from nhc.errors import ConfigError
from tests.algorithms.test_sampler import Tables
from tests.domains.worlds import bits

ROWS = 30_240
A, B, W, E = (tuple(int(i == k) for i in range(4)) for k in range(4))
DIRECTIONS = [(-1, 0), (0, 1), (1, 0), (0, -1)]


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
    world = PermutedSokoban()
    assert compare(world, world.sample(np.random.default_rng(1), 3_000)) > 3_000


@pytest.mark.parametrize(("size", "count"), [((6, 6), 1500), ((8, 8), 500), ((12, 5), 500)])
def test_sokoban_on_samples(size: tuple[int, int], count: int) -> None:
    world = Sokoban(Board(*size))
    assert compare(world, world.sample(np.random.default_rng(21), count)) > count


def test_sokoban_on_a_board_of_more_than_64_cells() -> None:
    world, rng = Sokoban(Board(17, 9)), np.random.default_rng(22)
    board, modules = world.board, ExactLocal(world)
    boxes = sum(1 << int(cell) for cell in rng.choice(board.inner_cells()[1:], 40, replace=False))
    state = State(board.rim, boxes, 1 << board.inner_cells()[0])
    for op in rng.integers(5, size=60).tolist():
        after = state if op == 4 else world.step(state, op)
        _, word = run(modules, jnp.int32(op), jnp.asarray(world.encode(state)))
        np.testing.assert_array_equal(word, world.encode(after))
        state = after


def random_cells(board: Board, agent: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    cells = [(B, W, E)[k] for k in rng.integers(3, size=board.cells)]
    cells[agent] = A
    return cells


def slow_view(board: Board, cells: list[tuple[int, ...]]) -> list[int]:
    row, column = divmod(cells.index(A), board.width)
    seen = [A]
    for (down, right), far in product(DIRECTIONS, (1, 2)):
        r, c = row + far * down, column + far * right
        inside = 0 <= r < board.height and 0 <= c < board.width
        seen.append(cells[r * board.width + c] if inside else W)
    return [bit for cell in seen for bit in cell]


def test_sokoban_shows_nine_cells_in_order_and_walls_beyond_the_edge() -> None:
    """Also where the agent stands on the edge, as no state of a walled board has it."""
    board, rng = Board(3, 5), np.random.default_rng(23)
    every = [random_cells(board, agent, rng) for agent in range(board.cells)]
    views = ExactLocal(Sokoban(board)).view(jnp.asarray(np.array(every, np.uint8).reshape(board.cells, -1)))
    assert views.tolist() == [slow_view(board, cells) for cells in every]


def slow_alu(op: int, view: list[int]) -> tuple[bool, list[int]]:
    cells = [tuple(view[4 * k : 4 * k + 4]) for k in range(9)]
    direction = op if op < 4 else 0
    here, first, second = cells[0], cells[1 + 2 * direction], cells[2 + 2 * direction]
    changed = False
    if op < 4 and first == E:
        here, first, changed = E, A, True
    elif op < 4 and first == B and second == E:
        here, first, second, changed = E, A, B, True
    one_hot = [int(k == direction) for k in range(4)]
    return changed, [*one_hot, *here, *first, *second]


def test_the_alu_of_sokoban_on_every_view_and_operation() -> None:
    views = [[*A, *sum(cells, ())] for cells in product((B, W, E), repeat=8)]
    batch = jnp.asarray(np.array(views, dtype=np.uint8))
    for op in range(5):
        changed, change = alu(ExactLocal(Sokoban(Board(6, 6))), jnp.full(len(views), op), batch)
        expected = [slow_alu(op, view) for view in views]
        assert changed.tolist() == [flag for flag, _ in expected]
        assert change.tolist() == [cells for _, cells in expected]


def test_any_change_is_inserted_and_what_lies_beyond_the_edge_is_dropped() -> None:
    board, rng = Board(4, 5), np.random.default_rng(24)
    modules, expected, rows = ExactLocal(Sokoban(board)), [], []
    for agent, direction in product(range(board.cells), range(4)):
        cells = random_cells(board, agent, rng)
        content = [(A, B, W, E)[k] for k in rng.integers(4, size=3)]
        change = [int(k == direction) for k in range(4)] + [bit for cell in content for bit in cell]
        rows.append((change, sum(cells, ())))
        row, column = divmod(agent, board.width)
        for far in range(3):
            r, c = row + far * DIRECTIONS[direction][0], column + far * DIRECTIONS[direction][1]
            if 0 <= r < board.height and 0 <= c < board.width:
                cells[r * board.width + c] = content[far]
        expected.append([*sum(cells, ())])
    changes, words = (jnp.asarray(np.array(part, np.uint8)) for part in zip(*rows, strict=True))
    assert insert(modules, jnp.ones(len(rows), bool), changes, words).tolist() == expected
    assert (insert(modules, jnp.zeros(len(rows), bool), changes, words) == words).all()


def test_numpy_and_jax_insert_the_same() -> None:
    world = Stacking(3)
    contents = world.contents(world.sample(np.random.default_rng(8), 200))
    cells, op = world.cells_in_view(contents), np.arange(200) % 5
    changed, after = world.act(view_of(world.form, contents, cells), op)
    found = inserted(world.form, contents, cells, op, changed, after)
    arrays = (jnp.asarray(part) for part in (contents, cells, op, changed, after))
    assert type(found) is np.ndarray and found.dtype == np.uint8
    assert (inserted(world.form, *arrays) == found).all()
    assert 40 < int((found != contents).any(axis=1).sum()) < 200


def test_equality_is_that_of_all_bits() -> None:
    modules = ExactLocal(Sokoban(Board(5, 7)))
    words = jnp.asarray(modules.world.encode(modules.world.sample(np.random.default_rng(25), 3)))
    flipped = (words[:, None] + jnp.eye(modules.word_bits, dtype=jnp.uint8)[None]) % 2
    equal = modules.equal(jnp.broadcast_to(words[:, None], flipped.shape), flipped)
    assert modules.equal(words, words).all() and equal.shape == (3, 140) and not equal.any()


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


@pytest.mark.parametrize("name", ["stacking", "sokoban-5x6"])
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
    assert isinstance(exact_modules(make_domain("sokoban-6x6")), ExactLocal)
    assert isinstance(exact_modules(make_domain("free-tree")), ExactFreeTree)
    with pytest.raises(ConfigError) as caught:
        exact_modules(Tables(2, 3, 1))
    assert caught.value.code == "domain.modules"
