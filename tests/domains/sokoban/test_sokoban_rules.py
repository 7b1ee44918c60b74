"""Rules and boards against slow twins."""

import numpy as np
import pytest

from nhc.domains.sokoban import Board, State, solved, step
from nhc.errors import ConfigError
from tests.domains.sokoban.sokoban_twin import SIZES, from_grid, random_state, slow_step, stack, to_grid


@pytest.mark.parametrize("size", SIZES)
def test_step_agrees_with_the_slow_twin_on_integers(size):
    board, rng = Board(*size), np.random.default_rng(1)
    kinds = set()
    for _ in range(150):
        state = random_state(board, rng)
        for op in range(4):
            after = step(board, state, op)
            assert after == from_grid(slow_step(to_grid(board, state), op))
            kinds.add((after.agent != state.agent, after.boxes != state.boxes))
    assert kinds == {(False, False), (True, False), (True, True)}


@pytest.mark.parametrize("size", [size for size in SIZES if size[0] * size[1] <= 64])
def test_step_on_arrays_is_step_on_each_element(size):
    board, rng = Board(*size), np.random.default_rng(2)
    states = [random_state(board, rng) for _ in range(200)]
    for op in range(4):
        after = step(board, stack(states), op)
        assert all(field.dtype == np.uint64 for field in after)
        assert [State(*map(int, fields)) for fields in zip(*after, strict=True)] == [
            step(board, state, op) for state in states
        ]


def test_step_broadcasts_walls_against_states():
    board, rng = Board(5, 7), np.random.default_rng(3)
    states = [random_state(board, rng) for _ in range(6)]
    batch = stack(states)
    history = State(batch.walls[:, None], np.tile(batch.boxes[:, None], 3), np.tile(batch.agent[:, None], 3))
    after = step(board, history, 1)
    assert after.boxes.shape == after.agent.shape == (6, 3)
    for row, state in enumerate(states):
        expected = step(board, state, 1)
        assert set(map(int, after.boxes[row])) == {expected.boxes}
        assert set(map(int, after.agent[row])) == {expected.agent}


def test_solved_asks_that_every_box_is_on_a_goal():
    boxes = np.array([0b0110, 0b0011, 0b0000], dtype=np.uint64)
    assert solved(State(boxes, boxes, boxes), 0b1110).tolist() == [True, False, True]
    assert solved(State(0, 0b0110, 1), 0b0110)
    assert not solved(State(0, 0b0111, 1), 0b0110)


def test_board_numbers_cells_row_by_row():
    board = Board(4, 5)
    assert board.cells == 20
    assert board.index(3, 1) == 13
    assert board.place(13) == (3, 1)
    assert board.inner_cells() == (5, 6, 9, 10, 13, 14)
    assert board.rim == board.full - sum(2**cell for cell in (5, 6, 9, 10, 13, 14))
    assert board.full == 2**20 - 1
    assert not board.holds(5, 0)
    assert not board.holds(0, 4)


def test_neighbours_stop_at_the_edge():
    board = Board(4, 5)
    assert [board.neighbour(13, direction) for direction in range(4)] == [9, 14, 17, 12]
    assert [board.neighbour(13, direction, 2) for direction in range(4)] == [5, 15, None, None]


@pytest.mark.parametrize("size", [(2, 9), (9, 2), (0, 0)])
def test_a_board_is_at_least_three_by_three(size):
    with pytest.raises(ConfigError) as caught:
        Board(*size)
    assert caught.value.code == "board.size"
