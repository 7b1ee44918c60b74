"""Boards of the 3x3 puzzle at every depth: the machine's plan is as long as the board is far."""

from collections import deque
from functools import cache

import numpy as np
import pytest

from nhc.planning.graph_search import Ending, solve_graph
from nhc.planning.graph_tasks import graph_task
from nhc.tasks.files import puzzle_task
from tests.computer.machines import zoo

SOLVED = "123456780"
DEEPEST, BOARDS = 31, 181_440
MOVES = [
    [at + step for step in (-3, 3) if 0 <= at + step < 9]
    + [at + step for step in (-1, 1) if 0 <= at % 3 + step < 3]
    for at in range(9)
]


@cache
def distances() -> dict[str, int]:
    """How far each board is from the solved one, by one search that begins there."""
    found, queue = {SOLVED: 0}, deque([SOLVED])
    while queue:
        board = queue.popleft()
        hole, depth = board.index("0"), found[board] + 1
        for at in MOVES[hole]:
            tile = board[at]
            after = board.replace(tile, "x").replace("0", tile).replace("x", "0")
            if after not in found:
                found[after] = depth
                queue.append(after)
    return found


def test_the_boards_are_half_of_all_and_the_farthest_two_are_31_moves_away() -> None:
    far = distances()
    assert len(far) == BOARDS
    counts = [[*far.values()].count(depth) for depth in range(DEEPEST + 2)]
    assert counts[:3] == [1, 2, 4] and counts[DEEPEST:] == [2, 0]


@pytest.mark.parametrize("part", range(16))
def test_plans_are_as_long_as_boards_are_far(part: int) -> None:
    rng = np.random.default_rng(part)
    by_depth: dict[int, list[str]] = {}
    for board, depth in distances().items():
        if depth % 16 == part:
            by_depth.setdefault(depth, []).append(board)
    for depth, boards in by_depth.items():
        for board in rng.choice(boards, min(6 if depth < 20 else 1, len(boards)), replace=False).tolist():
            answer = solve_graph(zoo("graph-plan"), graph_task(puzzle_task(board)))
            assert (answer.ending, len(answer.labels), answer.fault) == (Ending.SOLVED, depth, None), board
    assert {*by_depth} == {*range(part, DEEPEST + 1, 16)}


@pytest.mark.parametrize("seed", range(2))
def test_boards_of_the_other_half_are_proven_unsolvable(seed: int) -> None:
    rng = np.random.default_rng(seed)
    board = SOLVED
    while board in distances():
        board = "".join(rng.permutation([*SOLVED]).tolist())
    answer = solve_graph(zoo("graph-plan"), graph_task(puzzle_task(board)))
    assert (answer.ending, answer.states, answer.ticks) == (Ending.UNSOLVABLE, BOARDS, 4 * BOARDS + 1)
    assert puzzle_task(board).unsolvable is not None
