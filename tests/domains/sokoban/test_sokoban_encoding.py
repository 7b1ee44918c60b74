"""One-hot words: the layout, the way back, and what is refused."""

import numpy as np
import pytest

from nhc.domains.sokoban import Board, Sokoban, State
from nhc.errors import ConfigError, InputError
from tests.domains.sokoban.sokoban_twin import SIZES, random_state, stack, to_grid

SMALL = [size for size in SIZES if size[0] * size[1] <= 64]


def encode(board, state):
    return Sokoban(board).encode(state)


def decode(board, words):
    return Sokoban(board).decode(words)


def slow_word(board, state):
    symbols = "ABWE"
    return [int(letter == symbol) for row in to_grid(board, state) for letter in row for symbol in symbols]


@pytest.mark.parametrize("size", SIZES)
def test_a_single_state_of_any_size_round_trips(size):
    board, rng = Board(*size), np.random.default_rng(4)
    for _ in range(20):
        state = random_state(board, rng)
        word = encode(board, state)
        assert word.dtype == np.uint8
        assert word.tolist() == slow_word(board, state)
        assert decode(board, word) == state
        assert all(type(field) is int for field in decode(board, word))


@pytest.mark.parametrize("size", SMALL)
@pytest.mark.parametrize("shape", [(24,), (4, 6), (2, 3, 4)])
def test_batches_of_any_shape_round_trip(size, shape):
    board, rng = Board(*size), np.random.default_rng(5)
    states = [random_state(board, rng) for _ in range(24)]
    batch = State(*(field.reshape(shape) for field in stack(states)))
    words = encode(board, batch)
    assert words.shape == (*shape, 4 * board.cells)
    assert words.reshape(24, -1).tolist() == [slow_word(board, state) for state in states]
    for field, back in zip(batch, decode(board, words), strict=True):
        assert back.dtype == np.uint64
        np.testing.assert_array_equal(field, back)


def test_encoding_broadcasts_walls():
    board, rng = Board(5, 7), np.random.default_rng(6)
    batch = stack([random_state(board, rng) for _ in range(6)])
    wide = State(batch.walls[:, None], np.tile(batch.boxes[:, None], 2), np.tile(batch.agent[:, None], 2))
    np.testing.assert_array_equal(encode(board, wide)[:, 1], encode(board, batch))


def refused(board, words):
    with pytest.raises(InputError) as caught:
        decode(board, words)
    assert caught.value.code == "word.invalid"
    return caught.value.message


def test_decode_names_the_cell_that_is_not_one_hot():
    board = Board(5, 7)
    batch = stack([random_state(board, np.random.default_rng(7)) for _ in range(3)])
    words = encode(board, batch)
    for wrong in ([0, 0, 0, 0], [0, 1, 1, 0], [0, 0, 2, 0], [0, 0, 255, 2]):
        damaged = words.copy()
        damaged[2, 4 * 11 : 4 * 12] = wrong
        message = refused(board, damaged)
        assert "cell 11 of word [2]" in message
        assert str(wrong) in message


def test_decode_wants_exactly_one_agent():
    board = Board(3, 4)
    word = encode(board, State(board.rim, 0, 1 << 4))
    without = word.copy()
    without[16:20] = [0, 0, 0, 1]
    assert "exactly one agent" in refused(board, without)
    twice = word.copy()
    twice[28:32] = [1, 0, 0, 0]
    assert "exactly one agent" in refused(board, twice)
    assert "in word [1]" in refused(board, np.stack([word, twice]))


def test_decode_refuses_another_length():
    assert "48 bits" in refused(Board(3, 4), np.zeros(47, dtype=np.uint8))
    assert "48 bits" in refused(Board(3, 4), np.array(0, dtype=np.uint8))


def test_batches_need_boards_that_fit_an_array_element():
    board = Board(5, 13)
    word = encode(board, State(board.rim, 0, 1 << 6))
    assert decode(board, word).agent == 64
    with pytest.raises(ConfigError) as caught:
        decode(board, word[None])
    assert caught.value.code == "board.size"
