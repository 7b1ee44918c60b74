"""The exact data modules are the rules: composed, and each on its own."""

import itertools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.data.exact_sokoban import ExactSokoban
from nhc.data.protocol import DataModules
from nhc.domains.sokoban import Board, Sokoban, State, encode, step

A, B, W, E = (tuple(int(i == k) for i in range(4)) for k in range(4))
DIRECTIONS = [(-1, 0), (0, 1), (1, 0), (0, -1)]


@eqx.filter_jit
def run(modules: DataModules, op, word):
    """Did the operation change anything, and the word after it."""
    changed, change = modules.alu(jnp.asarray(op), modules.view(jnp.asarray(word)))
    return changed, modules.insert(changed, change, jnp.asarray(word))


@pytest.mark.parametrize(("size", "count"), [((6, 6), 1500), ((5, 7), 1000), ((8, 8), 1500), ((12, 5), 500)])
def test_view_alu_insert_is_one_step_of_the_rules(size, count):
    world, modules = Sokoban(Board(*size)), ExactSokoban(Board(*size))
    states = world.sample(np.random.default_rng(21), count)
    words = world.encode(states)
    for op in range(5):
        expected = words if op == 4 else world.encode(world.step(states, op))
        changed, after = run(modules, np.full(count, op), words)
        assert after.dtype == jnp.uint8
        np.testing.assert_array_equal(after, expected)
        np.testing.assert_array_equal(changed, (expected != words).any(axis=-1))


def test_a_board_of_more_than_64_cells():
    board = Board(17, 9)
    modules, rng = ExactSokoban(board), np.random.default_rng(22)
    boxes = sum(1 << int(cell) for cell in rng.choice(board.inner_cells()[1:], 40, replace=False))
    state = State(board.rim, boxes, 1 << board.inner_cells()[0])
    for op in rng.integers(5, size=200).tolist():
        after = state if op == 4 else step(board, state, op)
        _, word = run(modules, op, encode(board, state))
        np.testing.assert_array_equal(word, encode(board, after))
        state = after


def slow_view(board, cells):
    agent = next(i for i, cell in enumerate(cells) if cell == A)
    row, column = divmod(agent, board.width)
    seen = [A]
    for down, right in DIRECTIONS:
        for far in (1, 2):
            r, c = row + far * down, column + far * right
            inside = 0 <= r < board.height and 0 <= c < board.width
            seen.append(cells[r * board.width + c] if inside else W)
    return [bit for cell in seen for bit in cell]


def test_the_view_has_nine_cells_in_order_and_walls_beyond_the_edge():
    board, rng = Board(3, 5), np.random.default_rng(23)
    look = jax.jit(ExactSokoban(board).view)
    for agent in range(board.cells):
        cells = [(B, W, E)[k] for k in rng.integers(3, size=board.cells)]
        cells[agent] = A
        word = jnp.asarray(np.array(cells, dtype=np.uint8).ravel())
        view = look(word)
        assert view.shape == (36,)
        assert view.tolist() == slow_view(board, cells)


def slow_alu(op, view):
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


def test_the_alu_on_every_view_and_operation():
    views = [[*A, *sum(cells, ())] for cells in itertools.product((B, W, E), repeat=8)]
    batch = jnp.asarray(np.array(views, dtype=np.uint8))
    alu = jax.jit(ExactSokoban(Board(6, 6)).alu)
    for op in range(5):
        changed, change = alu(jnp.full(len(views), op), batch)
        expected = [slow_alu(op, view) for view in views]
        assert changed.tolist() == [flag for flag, _ in expected]
        assert change.tolist() == [cells for _, cells in expected]


def test_insert_writes_three_cells_at_the_agent_and_drops_those_beyond_the_edge():
    board, rng = Board(4, 5), np.random.default_rng(24)
    insert = jax.jit(ExactSokoban(board).insert)
    for agent, direction in itertools.product(range(board.cells), range(4)):
        cells = [(B, W, E)[k] for k in rng.integers(3, size=board.cells)]
        cells[agent] = A
        content = [(A, B, W, E)[k] for k in rng.integers(4, size=3)]
        change = [int(k == direction) for k in range(4)] + [bit for cell in content for bit in cell]
        word = jnp.asarray(np.array(cells, dtype=np.uint8).ravel())
        change = jnp.asarray(np.array(change, dtype=np.uint8))
        row, column = divmod(agent, board.width)
        for far in range(3):
            r, c = row + far * DIRECTIONS[direction][0], column + far * DIRECTIONS[direction][1]
            if 0 <= r < board.height and 0 <= c < board.width:
                cells[r * board.width + c] = content[far]
        assert insert(jnp.asarray(True), change, word).tolist() == [b for cell in cells for b in cell]
        assert (insert(jnp.asarray(False), change, word) == word).all()


def test_equal_compares_whole_words():
    modules = ExactSokoban(Board(5, 7))
    words = jnp.asarray(
        Sokoban(Board(5, 7)).encode(Sokoban(Board(5, 7)).sample(np.random.default_rng(25), 30))
    )
    assert modules.equal(words, words).all()
    for bit in range(modules.word_bits):
        flipped = words.at[:, bit].set(1 - words[:, bit])
        assert not modules.equal(words, flipped).any()


@pytest.mark.parametrize("shape", [(), (6,), (1, 3, 2)])
def test_leading_axes_and_vmap(shape):
    world, modules = Sokoban(Board(5, 6)), ExactSokoban(Board(5, 6))
    count = int(np.prod(shape))
    words = jnp.asarray(world.encode(world.sample(np.random.default_rng(26), count)))
    ops = jnp.arange(count) % 5
    _, flat = jax.vmap(lambda op, word: run(modules, op, word))(ops, words)
    changed, shaped = run(modules, ops.reshape(shape), words.reshape(*shape, -1))
    np.testing.assert_array_equal(shaped.reshape(count, -1), flat)
    assert changed.shape == modules.equal(shaped, shaped).shape == shape


def test_it_is_a_static_object_and_an_empty_tree():
    modules = ExactSokoban(Board(5, 6))
    assert modules.name == "exact sokoban-5x6"
    assert modules.word_bits == 120
    assert jax.tree.leaves(modules) == []
    assert hash(modules) == hash(ExactSokoban(Board(5, 6)))
    assert modules == ExactSokoban(Board(5, 6))
    assert modules != ExactSokoban(Board(6, 5))
    word = jnp.asarray(Sokoban(Board(5, 6)).encode(Sokoban(Board(5, 6)).sample(np.random.default_rng(2), 1)))[
        0
    ]
    by_argument = eqx.filter_jit(lambda m, w: m.view(w))(modules, word)
    by_static = jax.jit(lambda m, w: m.view(w), static_argnums=0)(modules, word)
    np.testing.assert_array_equal(by_argument, by_static)
