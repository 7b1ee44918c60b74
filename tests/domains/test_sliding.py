"""The sliding puzzle against boards of lists."""

import re
from itertools import permutations

import numpy as np
import pytest

from nhc.domains.local import FiniteWorld
from nhc.domains.protocol import DecidingDomain, ReadableDomain
from nhc.domains.sliding import Sliding, Tiles, odd, solvable
from nhc.domains.states import joined, picked, plain
from nhc.errors import InputError
from tests.domains.worlds import bits, rows_of, slide, tiles, views_of

WORLD = Sliding()
BOARD = [[3, 1, 4], [8, 0, 5], [2, 6, 7]]


def some_boards(count: int) -> Tiles:
    return WORLD.sample(np.random.default_rng(count), count)


def test_it_is_a_finite_world_that_can_be_read() -> None:
    assert isinstance(WORLD, FiniteWorld) and isinstance(WORLD, ReadableDomain)
    assert (WORLD.name, WORLD.word_bits, WORLD.form.word_bits) == ("sliding-3x3", 81, 81)
    assert hash(WORLD) == hash(Sliding())


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        (0, [[3, 1, 4], [8, 6, 5], [2, 0, 7]]),  # the tile below moves up
        (1, [[3, 1, 4], [0, 8, 5], [2, 6, 7]]),  # the tile on the left moves right
        (2, [[3, 0, 4], [8, 1, 5], [2, 6, 7]]),
        (3, [[3, 1, 4], [8, 5, 0], [2, 6, 7]]),
    ],
)
def test_an_operation_is_named_after_the_tile_that_moves(op: int, expected: list[list[int]]) -> None:
    assert WORLD.step(tiles(BOARD), op) == tiles(expected)


@pytest.mark.parametrize("op", range(4))
def test_steps_are_those_of_a_slow_twin_alone_and_in_batches(op: int) -> None:
    states = some_boards(400)
    batch = WORLD.step(states, op)
    assert batch.code.dtype == np.uint64
    corners = 0
    for row in range(400):
        board = plain(picked(states, row))
        after = WORLD.step(board, op)
        assert type(after.code) is int
        assert after == tiles(slide(rows_of(board.code), op)) == plain(picked(batch, row))
        corners += after == board
    assert 80 < corners < 190, "a third of the boards have the hole where no tile can slide so"


def test_words_are_one_hot_cells_in_order() -> None:
    word = WORLD.encode(tiles(BOARD))
    assert word.dtype == np.uint8
    assert word.tolist() == bits([3, 1, 4, 8, 0, 5, 2, 6, 7], 9)


def test_decode_is_the_inverse_of_encode() -> None:
    states = some_boards(150)
    words = WORLD.encode(states)
    assert WORLD.decode(words).code.tolist() == states.code.tolist()
    shaped = WORLD.decode(words.reshape(3, 50, 81))
    assert shaped.code.shape == (3, 50)
    assert WORLD.decode(words[7]) == plain(picked(states, 7))
    assert type(WORLD.decode(words[7]).code) is int


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda word: word[:80], "a word has 81 bits, these have shape (2, 80)"),
        (lambda word: np.where(np.arange(81) == 3, 0, word), "cell 0 of word [0] must have exactly one"),
        (lambda word: np.where(np.arange(81) == 75, 1, word), "cell 8 of word [0] must have exactly one"),
        (lambda word: np.where(np.arange(81) == 3, 2, word), "cell 0 of word [0] must have exactly one"),
        (
            lambda word: np.concatenate([word[9:18], word[9:]]),
            "every tile once and one hole in word",
        ),
    ],
)
def test_words_of_no_board_are_refused(change, message: str) -> None:
    words = np.stack([change(WORLD.encode(tiles(BOARD))).astype(np.uint8)] * 2)
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        WORLD.decode(words)
    assert caught.value.code == "word.invalid"
    with pytest.raises(InputError):
        WORLD.decode(words[0])


def test_the_family_is_every_board_once_and_views_are_those_that_occur() -> None:
    family = joined(list(WORLD.family_states()))
    keys = WORLD.key(family)
    assert len(keys) == WORLD.family_size == 362_880 == len(np.unique(keys))
    every = np.array(list(permutations(range(9))), np.uint64)
    expected = (every * 16 ** np.arange(9, dtype=np.uint64)).sum(axis=1)
    assert (np.sort(keys) == np.sort(expected)).all()
    views = WORLD.views()
    assert len(views) == len(np.unique(views, axis=0)) == 3_248
    assert set(map(tuple, views.tolist())) == views_of(WORLD, family)


def test_the_view_shows_the_tile_of_each_operation() -> None:
    contents = WORLD.contents(tiles([[0, 1, 4], [8, 3, 5], [2, 6, 7]]))
    assert WORLD.cells_in_view(contents).tolist() == [0, 3, -1, -1, 1]
    assert WORLD.cells_in_view(WORLD.contents(tiles(BOARD))).tolist() == [4, 7, 3, 1, 5]


def test_the_sampler_is_uniform_over_places_and_parities() -> None:
    contents = WORLD.contents(WORLD.sample(np.random.default_rng(2), 18_000))
    counts = np.stack([(contents == symbol).sum(axis=0) for symbol in range(9)])
    assert abs(counts - 2_000).max() < 4.5 * (18_000 / 9 * 8 / 9) ** 0.5
    swaps = sum((contents[:, i] > contents[:, j]).astype(int) for i in range(9) for j in range(i + 1, 9))
    assert abs((swaps % 2).sum() - 9_000) < 4.5 * 4_500**0.5


def test_what_can_be_reached_has_the_parity_of_the_start_and_nothing_else() -> None:
    """Half of all boards can be reached from a start; the others are those of the other parity."""
    start = tiles(BOARD)
    seen, edge = {start.code}, np.array([start.code], np.uint64)
    while len(edge):
        made = np.unique(np.concatenate([WORLD.step(Tiles(edge), op).code for op in range(4)]))
        edge = np.array([code for code in made.tolist() if code not in seen], np.uint64)
        seen.update(edge.tolist())
    assert len(seen) == WORLD.family_size // 2
    assert isinstance(WORLD, DecidingDomain)
    answers = []
    for row in range(200):
        board = plain(picked(some_boards(200), row))
        answers.append(solvable(start, board))
        assert answers[-1] == (board.code in seen) == (odd(board) == odd(start))
        assert WORLD.unsolvable(start, board) == (None if answers[-1] else "parity")
    assert 70 < sum(answers) < 130


def test_boards_for_people() -> None:
    board = tiles(BOARD)
    assert WORLD.draw(board) == "3 1 4\n8 . 5\n2 6 7"
    assert WORLD.state_to_json(board) == BOARD
    assert WORLD.state_from_json(BOARD) == board
    assert WORLD.plan_text(board, [0, 3, 2, 1]) == "up left down right"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("314 805", "a list of 3 rows"),
        ([[3, 1, 4], [8, 0, 5]], "a list of 3 rows"),
        ([[3, 1, 4], [8, 0, 5], [2, 6]], "a list of 3 numbers"),
        ([[3, 1, 4], [8, 0, 5], [2, 6, 9]], "a whole number from 0 to 8, found 9"),
        ([[3, 1, 4], [8, False, 5], [2, 6, 7]], "a whole number from 0 to 8, found False"),
        ([[3, 1, 4], [8, 0, 5], [2, 6, 6]], "7 does not"),
    ],
)
def test_json_of_no_board_is_refused(value: object, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        WORLD.state_from_json(value)
    assert caught.value.code == "task.json"
