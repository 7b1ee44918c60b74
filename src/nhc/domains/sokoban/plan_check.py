"""An independent referee for Sokoban plans.

It shares no code with the rules: it plays on a list of lists of characters, one move after the other, and
tells what went wrong first. A plan is valid if every move has an effect and the goal holds at the end.
"""

from collections.abc import Sequence
from typing import NamedTuple

from nhc.domains.sokoban.rules import Board, State

NAMES = ("up", "right", "down", "left")


class Verdict(NamedTuple):
    """The referee's word on a plan."""

    valid: bool
    moves: int
    """Moves played before the first fault, or all of them."""
    pushes: int
    """How many of them pushed a box."""
    fault: str | None = None
    """What was wrong first, in words."""


def check_plan(board: Board, start: State, ops: Sequence[int], goal: State | int) -> Verdict:
    """Play `ops` from `start` and judge.

    `goal` is a bit board of goal cells, all boxes must end on them; or a full configuration, which the end
    must equal cell by cell.
    """
    grid = _draw(board, start)
    pushes = 0
    for number, op in enumerate(ops):
        fault, pushed = _move(grid, op)
        if fault is not None:
            return Verdict(False, number, pushes, f"move {number + 1}: {fault}")
        pushes += pushed
    fault = _missed_cells(board, grid, goal) if isinstance(goal, int) else _difference(board, grid, goal)
    return Verdict(fault is None, len(ops), pushes, fault)


def _draw(board: Board, state: State) -> list[list[str]]:
    """`#` wall, `$` box, `@` agent, blank elsewhere; bit row * width + column is a cell."""
    rows = []
    for row in range(board.height):
        signs = []
        for column in range(board.width):
            weight = 2 ** (row * board.width + column)
            held = [int(bits) // weight % 2 == 1 for bits in state]
            signs.append("#" if held[0] else "$" if held[1] else "@" if held[2] else " ")
        rows.append(signs)
    return rows


def _move(grid: list[list[str]], op: int) -> tuple[str | None, bool]:
    """Play one move in place: the fault, if it has no effect, and whether a box was pushed."""
    if not 0 <= op <= 3:
        return f"there is no operation {op}", False
    row, column = next((r, c) for r, line in enumerate(grid) for c, sign in enumerate(line) if sign == "@")
    down = {"up": -1, "down": 1}.get(NAMES[op], 0)
    right = {"left": -1, "right": 1}.get(NAMES[op], 0)
    ahead = _look(grid, row + down, column + right)
    behind = _look(grid, row + 2 * down, column + 2 * right)
    if ahead == "#":
        return f"{NAMES[op]} runs into a wall", False
    if ahead == "$" and behind != " ":
        return f"{NAMES[op]} pushes a box into a {'wall' if behind == '#' else 'box'}", False
    if ahead == "$":
        grid[row + 2 * down][column + 2 * right] = "$"
    grid[row + down][column + right] = "@"
    grid[row][column] = " "
    return None, ahead == "$"


def _look(grid: list[list[str]], row: int, column: int) -> str:
    """The sign at a place; what lies beyond the board is wall."""
    inside = 0 <= row < len(grid) and 0 <= column < len(grid[0])
    return grid[row][column] if inside else "#"


def _missed_cells(board: Board, grid: list[list[str]], goals: int) -> str | None:
    for row, line in enumerate(grid):
        for column, sign in enumerate(line):
            if sign == "$" and goals // 2 ** (row * board.width + column) % 2 == 0:
                return f"at the end the box at row {row}, column {column} is on no goal"
    return None


def _difference(board: Board, grid: list[list[str]], goal: State) -> str | None:
    for row, (line, wanted) in enumerate(zip(grid, _draw(board, goal), strict=True)):
        for column, (found, sign) in enumerate(zip(line, wanted, strict=True)):
            if found != sign:
                return f"at the end row {row}, column {column} holds {found!r}, the goal has {sign!r}"
    return None
