"""The general planner's version of a Sokoban world is the same world."""

import numpy as np

from nhc.bench import strips
from nhc.domains.sokoban import Board, Sokoban, State
from nhc.domains.states import picked, plain


def corridor(boxes: tuple[int, ...]) -> tuple[Board, State]:
    """Five cells in a row, the agent on the first."""
    board = Board(7, 3)
    return board, State(board.rim, board.mask(tuple(8 + box for box in boxes)), 1 << 8)


def test_every_state_of_a_corridor() -> None:
    """With a box at place b the agent walks the b places before it, and pushes it unless b is the last."""
    places = range(1, 5)
    pushed = (sum(places), sum(2 * (b - 1) for b in places) + sum(b < 4 for b in places))
    for boxes, expected in {(): (5, 8), (1,): pushed, (1, 2): (1, 0)}.items():
        assert strips.explore(*corridor(boxes)) == expected


def test_the_planner_sees_the_same_worlds() -> None:
    worlds = Sokoban(Board(6, 5)).sample(np.random.default_rng(3), 3)
    for number in range(3):
        start = plain(picked(worlds, number))
        board = Board(6, 5)
        assert strips.run_pyperplan(board, start).expanded == strips.explore(board, start).states
