"""Every board of the 3x3 puzzle as a test of graph search: is the plan as long as the board is far?

How far boards are is found by one search from the goal, in plain Python on plain boards: tiles slide back the
way they came, so distances are the same in both directions.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from nhc.model import Model
from nhc.planning.graph_search import Ending, solve_graph
from nhc.planning.graph_tasks import graph_task
from nhc.tasks.files import puzzle_task

Board: TypeAlias = tuple[int, ...]
"""Row by row, 0 for the hole."""

SIDE, HOLE = 3, 0
GOAL: Board = (1, 2, 3, 4, 5, 6, 7, 8, HOLE)


class Solved(NamedTuple):
    """What came of one board."""

    board: Board
    distance: int
    """Of the goal, in truth."""
    length: int | None
    """Of the plan; None without one that the referee accepts."""

    @property
    def right(self) -> bool:
        """Is the plan a shortest one?"""
        return self.length == self.distance


def distances() -> dict[Board, int]:
    """How far each board is that can be solved, nearest first."""
    found, queue = {GOAL: 0}, deque([GOAL])
    while queue:
        board = queue.popleft()
        for after in slid(board):
            if after not in found:
                found[after] = found[board] + 1
                queue.append(after)
    return found


def slid(board: Board) -> Iterator[Board]:
    """The boards after one tile slid into the hole."""
    hole = board.index(HOLE)
    for step in (SIDE, -1, -SIDE, 1):
        cell = hole + step
        if 0 <= cell < len(board) and (abs(step) == SIDE or cell // SIDE == hole // SIDE):
            after = [*board]
            after[hole], after[cell] = after[cell], HOLE
            yield tuple(after)


def drawn(boards: Iterable[Board], count: int, seed: int) -> list[Board]:
    """So many different ones of the boards, or all of them if there are no more."""
    ordered = sorted(boards)
    chosen = np.random.default_rng(seed).permutation(len(ordered))[:count]
    return [ordered[number] for number in chosen]


def plan_lengths(model: Model, boards: Iterable[Board]) -> list[int | None]:
    """Solve one board after the other, in whatever time it takes; None if there is no plan, or a wrong one.

    Raises what `solve_graph` raises.
    """
    lengths = list[int | None]()
    for board in boards:
        task = graph_task(puzzle_task(" ".join(map(str, board))))
        answer = solve_graph(model, task, seconds=float("inf"))
        lengths.append(len(answer.labels) if answer.ending is Ending.SOLVED else None)
    return lengths
