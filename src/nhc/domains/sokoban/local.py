"""Sokoban's local view: the agent's cell and the next two in each direction; outside the board is wall.

The paper, section "Data-dependent Modules": these are the only cells where a move can produce a change, and
the change is the direction and the three cells along it.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from nhc.domains.local import Numbers, WordCase, WordForm, namespace, slots_of
from nhc.domains.protocol import BRANCHING, NOP
from nhc.domains.sokoban.board import Board
from nhc.domains.sokoban.encoding import AGENT, BOX, EMPTY, SYMBOLS, WALL, encode
from nhc.domains.sokoban.rules import State

REACH = tuple((0, 1 + 2 * op, 2 + 2 * op) for op in range(BRANCHING))
SLOTS = 1 + 2 * BRANCHING


def word_form(board: Board) -> WordForm:
    """Four symbols a cell, nine slots, three changes."""
    return WordForm(SYMBOLS, board.cells, SLOTS, WALL, REACH)


def contents(board: Board, state: State) -> NDArray[np.uint8]:
    """The symbol number of each cell."""
    words = encode(board, state)
    return words.reshape(*words.shape[:-1], board.cells, len(SYMBOLS)).argmax(axis=-1).astype(np.uint8)


def slot_table(board: Board) -> NDArray[np.int32]:
    """[agent's cell, slot] -> cell in view: agent, up 1, up 2, right 1, ..., left 2; -1 off the board."""
    table = np.full((board.cells, SLOTS), -1, dtype=np.int32)
    for cell in range(board.cells):
        table[cell, 0] = cell
        for slot in range(1, SLOTS):
            target = board.neighbour(cell, (slot - 1) // 2, (slot - 1) % 2 + 1)
            table[cell, slot] = -1 if target is None else target
    return table


def cells_in_view(board: Board, numbers: Numbers) -> Numbers:
    """The cells around the agent."""
    xp = namespace(numbers)
    cells: Numbers = xp.asarray(slot_table(board))[xp.argmax(xp.equal(numbers, AGENT), axis=-1)]
    return cells


def act(board: Board, view: Numbers, op: Numbers) -> tuple[Numbers, Numbers]:
    """The agent moves onto an empty cell, or onto a box whose next cell is empty, which it pushes there."""
    xp = namespace(view)
    before = xp.take_along_axis(view, slots_of(word_form(board), op), axis=-1)
    first, second = before[..., 1], before[..., 2]
    tries = xp.not_equal(op, NOP)
    pushes = xp.equal(first, BOX) & xp.equal(second, EMPTY) & tries
    moves = pushes | (xp.equal(first, EMPTY) & tries)
    after = xp.stack(
        [
            xp.where(moves, EMPTY, before[..., 0]),
            xp.where(moves, AGENT, first),
            xp.where(pushes, BOX, second),
        ],
        axis=-1,
    )
    return moves, after.astype(before.dtype)


def word_cases(board: Board) -> Iterator[WordCase]:
    """A case for each inner cell that the agent may stand on: walls on the rim, elsewhere anything else."""
    inner = list(board.inner_cells())
    for agent in inner:
        allowed = np.zeros((board.cells, len(SYMBOLS)), bool)
        allowed[:, WALL] = True
        allowed[np.ix_(inner, [BOX, WALL, EMPTY])] = True
        allowed[agent] = np.arange(len(SYMBOLS)) == AGENT
        yield WordCase(allowed, slot_table(board)[agent])


def all_views() -> NDArray[np.uint8]:
    """The agent with box, wall or empty in each other slot: 6,561 views, some of which no board shows."""
    others = np.array([BOX, WALL, EMPTY], np.uint8)
    grid = np.stack(np.meshgrid(*[others] * (SLOTS - 1), indexing="ij"), axis=-1).reshape(-1, SLOTS - 1)
    return np.concatenate([np.full((len(grid), 1), AGENT, np.uint8), grid], axis=1)
