"""A slow twin of the rules on lists of characters, and random boards for tests."""

import numpy as np

from nhc.domains.sokoban.rules import Board, State

SIZES = [(6, 6), (5, 7), (8, 8), (7, 5), (9, 4), (12, 11)]
MOVES = [(-1, 0), (0, 1), (1, 0), (0, -1)]

Grid = list[list[str]]


def to_grid(board: Board, state: State) -> Grid:
    """Rows of the letters A, B, W, E (agent, box, wall, empty)."""
    grid = [["E"] * board.width for _ in range(board.height)]
    for letter, bits in (("W", state.walls), ("B", state.boxes), ("A", state.agent)):
        for row in range(board.height):
            for column in range(board.width):
                if int(bits) & 2 ** (row * board.width + column):
                    grid[row][column] = letter
    return grid


def from_grid(grid: Grid) -> State:
    bits = {"W": 0, "B": 0, "A": 0, "E": 0}
    for number, letter in enumerate(letter for row in grid for letter in row):
        bits[letter] += 2**number
    return State(bits["W"], bits["B"], bits["A"])


def slow_step(grid: Grid, op: int) -> Grid:
    """The rules as told to a child."""
    grid = [list(row) for row in grid]
    (row, column) = next((r, c) for r, line in enumerate(grid) for c, x in enumerate(line) if x == "A")
    down, right = MOVES[op]
    one, two = (row + down, column + right), (row + 2 * down, column + 2 * right)
    ahead = grid[one[0]][one[1]]
    if ahead == "W":
        return grid
    if ahead == "B":
        if grid[two[0]][two[1]] != "E":
            return grid
        grid[two[0]][two[1]] = "B"
    grid[one[0]][one[1]] = "A"
    grid[row][column] = "E"
    return grid


def random_state(board: Board, rng: np.random.Generator) -> State:
    """A walled board, crowded enough that all kinds of moves are common."""
    grid = [["W"] * board.width for _ in range(board.height)]
    inner = [(r, c) for r in range(1, board.height - 1) for c in range(1, board.width - 1)]
    for row, column in inner:
        grid[row][column] = "EEEBBW"[rng.integers(6)]
    row, column = inner[rng.integers(len(inner))]
    grid[row][column] = "A"
    return from_grid(grid)


def stack(states: list[State]) -> State:
    return State(*(np.array(column, dtype=np.uint64) for column in zip(*states, strict=True)))
