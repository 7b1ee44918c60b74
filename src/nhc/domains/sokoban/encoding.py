"""Sokoban states as one-hot words, the data words of the machine.

The paper, section "Learning Algorithmic Solutions": every cell is a one-hot vector over agent, box, wall
and empty, in this order; cells follow in row-major order, so bit 4 * cell + symbol of a word is set if
the cell shows that symbol.
"""

import numpy as np
from numpy.typing import NDArray

from nhc.domains.sokoban.board import Board
from nhc.domains.sokoban.rules import ARRAY_CELLS, Bits, State
from nhc.errors import ConfigError, InputError

SYMBOLS = ("agent", "box", "wall", "empty")
AGENT, BOX, WALL, EMPTY = range(4)


def word_bits(board: Board) -> int:
    """Length of a word of this board."""
    return len(SYMBOLS) * board.cells


def encode(board: Board, state: State) -> NDArray[np.uint8]:
    """Words of 0 and 1, shape (..., word_bits); a state of plain integers gives a single word.

    Fields with different leading shapes are broadcast.
    """
    planes = np.broadcast_arrays(
        *(_cell_bits(board, bits) for bits in (state.agent, state.boxes, state.walls))
    )
    empty = 1 - (planes[0] | planes[1] | planes[2])
    words = np.stack([*planes, empty], axis=-1)
    return words.reshape(*words.shape[:-2], word_bits(board))


def decode(board: Board, words: NDArray[np.uint8]) -> State:
    """The inverse of `encode`: a single word gives plain integers, a batch gives uint64 arrays.

    Raises InputError (code `word.invalid`) if a word has another length, a cell is not one-hot or there
    is not exactly one agent; ConfigError (code `board.size`) for a batch of boards of over 64 cells.
    """
    if words.ndim == 0 or words.shape[-1] != word_bits(board):
        raise InputError(
            "word.invalid", f"a word has {word_bits(board)} bits, these have shape {words.shape}"
        )
    if words.ndim > 1:
        require_arrays(board)
    cells = words.reshape(*words.shape[:-1], board.cells, len(SYMBOLS))
    _check_one_hot(board, cells)
    _check_one_agent(board, cells[..., AGENT])
    return State(*(_from_cell_bits(cells[..., symbol]) for symbol in (WALL, BOX, AGENT)))


def require_arrays(board: Board) -> None:
    """Raises ConfigError (code `board.size`) unless the board's states fit into uint64 arrays."""
    if board.cells > ARRAY_CELLS:
        raise ConfigError(
            "board.size",
            f"batches are for boards of up to {ARRAY_CELLS} cells, this one has {board.cells}",
        )


def _cell_bits(board: Board, bits: Bits) -> NDArray[np.uint8]:
    if isinstance(bits, int):
        raw = np.frombuffer(bits.to_bytes(board.cells // 8 + 1, "little"), dtype=np.uint8)
    else:
        raw = np.ascontiguousarray(bits, dtype="<u8").reshape(*np.shape(bits), 1).view(np.uint8)
    return np.unpackbits(raw, axis=-1, count=board.cells, bitorder="little")


def _from_cell_bits(bits: NDArray[np.uint8]) -> Bits:
    raw = np.packbits(bits, axis=-1, bitorder="little")
    if bits.ndim == 1:
        return int.from_bytes(raw.tobytes(), "little")
    padded = np.zeros((*raw.shape[:-1], 8), dtype=np.uint8)
    padded[..., : raw.shape[-1]] = raw
    return padded.view("<u8")[..., 0].astype(np.uint64)


def _check_one_hot(board: Board, cells: NDArray[np.uint8]) -> None:
    wrong = cells.sum(axis=-1, dtype=np.int64) != 1
    if wrong.any():
        where = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise InputError(
            "word.invalid",
            f"{_name_cell(board, where)} must have exactly one of its bits {', '.join(SYMBOLS)} set, "
            f"found {cells[where].tolist()}",
        )


def _check_one_agent(board: Board, agents: NDArray[np.uint8]) -> None:
    counts = agents.sum(axis=-1, dtype=np.int64)
    if (counts == 1).all():
        return
    word = tuple(int(i) for i in np.argwhere(counts != 1)[0])
    found = [_name_cell(board, (int(cell),)) for cell in np.flatnonzero(agents[word])]
    of_word = f" of word {list(word)}" if word else ""
    raise InputError(
        "word.invalid",
        f"exactly one cell{of_word} must be the agent, found {' and '.join(found) or 'none'}",
    )


def _name_cell(board: Board, where: tuple[int, ...]) -> str:
    row, column = board.place(where[-1])
    of_word = f" of word {list(where[:-1])}" if len(where) > 1 else ""
    return f"cell {where[-1]} (row {row}, column {column}){of_word}"
