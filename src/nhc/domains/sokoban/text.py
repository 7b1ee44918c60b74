"""Boards as XSB text, and solutions in LURD notation: `l u r d` for a step, capitals for a push.

LURD is the notation of nearly all Sokoban programs; run lengths are allowed. Reverse mode (`[ ]`) and several
players (`{ }`) exist in the wild; they are other games and are refused.
"""

from itertools import pairwise

from nhc.domains.sokoban.legends import SIGN_OF, Cell
from nhc.domains.sokoban.lines import Sign, expand
from nhc.domains.sokoban.rules import Board, State, replay
from nhc.errors import InputError, Place

LETTERS = "urdl"
"""The letter of each operation, in the machine's order up, right, down, left."""

OTHER_GAMES = {
    "[": ("moves.reverse", "jumps of the reverse mode"),
    "]": ("moves.reverse", "jumps of the reverse mode"),
    "{": ("moves.players", "moves of several players"),
    "}": ("moves.players", "moves of several players"),
}


def to_text(board: Board, state: State, goals: int = 0) -> str:
    """The rows of a single state in XSB signs, all of full width, joined by line ends.

    A goal under a wall does not show.
    """
    walls, boxes, agent = (int(bits) for bits in state)
    parts = ((boxes, Cell.BOX), (agent, Cell.AGENT), (goals, Cell.GOAL))
    signs = [
        SIGN_OF[Cell.WALL if walls >> cell & 1 else sum(part for bits, part in parts if bits >> cell & 1)]
        for cell in range(board.cells)
    ]
    rows = range(0, board.cells, board.width)
    return "\n".join("".join(signs[start : start + board.width]) for start in rows)


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


def _check(sign: Sign, file: str | None) -> None:
    place = Place(file, sign.line, sign.column)
    if sign.text in OTHER_GAMES:
        code, meaning = OTHER_GAMES[sign.text]
        raise InputError(code, f"`{sign.text}` marks {meaning}, which are not supported", place)
    if sign.text.lower() not in LETTERS and sign.text not in "0123456789()":
        message = f"expected one of l u r d L U R D, found {sign.text!r} (U+{ord(sign.text):04X})"
        raise InputError("moves.character", message, place)
