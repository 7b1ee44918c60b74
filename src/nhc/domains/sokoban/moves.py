"""Solutions in LURD notation: `l u r d` for a step, capitals for a push, run lengths allowed.

The notation of nearly all Sokoban programs. Reverse mode (`[ ]`) and several players (`{ }`) exist in the
wild; they are other games and are refused.
"""

from itertools import pairwise

from nhc.domains.sokoban.board import Board
from nhc.domains.sokoban.rules import State, step
from nhc.domains.sokoban.run_length import Sign, expand
from nhc.errors import InputError, Place

LETTERS = "urdl"
"""The letter of each operation, in the machine's order up, right, down, left."""

OTHER_GAMES = {
    "[": ("moves.reverse", "jumps of the reverse mode"),
    "]": ("moves.reverse", "jumps of the reverse mode"),
    "{": ("moves.players", "moves of several players"),
    "}": ("moves.players", "moves of several players"),
}


def read_moves(text: str, file: str | None = None) -> list[int]:
    """The operations 0..3 (up, right, down, left) of a solution.

    Capitals are read like small letters: whether a move pushes is up to the board. Blanks, line ends and
    the mark `*` are ignored. Raises InputError: `moves.reverse`, `moves.players`, `moves.run_length`,
    `moves.character`.
    """
    lines = enumerate(text.removeprefix("\ufeff").splitlines(), 1)
    signs = [
        Sign(sign, line, column)
        for line, row in lines
        for column, sign in enumerate(row, 1)
        if not sign.isspace() and sign != "*"
    ]
    for sign in signs:
        _check(sign, file)
    return [LETTERS.index(sign.text.lower()) for sign in expand(signs, "moves.run_length", file)]


def write_moves(board: Board, state: State, ops: list[int]) -> str:
    """The solution in LURD letters, pushes as capitals; `state` is the start."""
    path = replay(board, state, ops)
    return "".join(
        LETTERS[op].upper() if before.boxes != after.boxes else LETTERS[op]
        for op, (before, after) in zip(ops, pairwise(path), strict=True)
    )


def replay(board: Board, state: State, ops: list[int]) -> list[State]:
    """The states on the way, the start first: one more than operations."""
    path = [state]
    for op in ops:
        path.append(step(board, path[-1], op))
    return path


def _check(sign: Sign, file: str | None) -> None:
    place = Place(file, sign.line, sign.column)
    if sign.text in OTHER_GAMES:
        code, meaning = OTHER_GAMES[sign.text]
        raise InputError(code, f"`{sign.text}` marks {meaning}, which are not supported", place)
    if sign.text.lower() not in LETTERS and sign.text not in "0123456789()":
        message = f"expected one of l u r d L U R D, found {sign.text!r} (U+{ord(sign.text):04X})"
        raise InputError("moves.character", message, place)
