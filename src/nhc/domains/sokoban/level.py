"""One level of a file: what is played, its identity, and the text it came from."""

import hashlib
from dataclasses import dataclass, field
from typing import NamedTuple

from nhc.domains.sokoban.board import Board
from nhc.domains.sokoban.draw import to_text
from nhc.domains.sokoban.rules import State
from nhc.errors import Place

ID_DIGITS = 16


class Note(NamedTuple):
    """Something remarkable that is no error; the codes are those of errors."""

    code: str
    message: str
    place: Place | None = None

    def __str__(self) -> str:
        where = "" if self.place is None else f"{self.place}: "
        return f"{where}{self.message} [{self.code}]"


@dataclass(frozen=True)
class Level:
    """A level that can be played: plain integers, walls closed, one agent."""

    board: Board
    state: State
    goals: int
    """Bit board of the goal cells."""
    level_id: str
    """See `level_id`."""
    title: str | None = None
    metadata: tuple[tuple[str, str], ...] = ()
    """Key (lower case) and value, in the order of the file."""
    text: str = ""
    """The lines of the board as they stand in the file."""
    warnings: tuple[Note, ...] = ()
    place: Place = field(default_factory=Place)
    """The board's first line."""


def level_id(board: Board, state: State, goals: int) -> str:
    """16 hexadecimal digits that name what is played, whatever the file looked like.

    The first 64 bits of the SHA-256 of the XSB text of the board, cut to the cells in reach and the ring
    of cells around them; all cells out of reach are walls.
    """
    rows = to_text(board, state, goals).split("\n")
    used = [number for number, row in enumerate(rows) if row.strip("#")]
    left = min(len(row) - len(row.lstrip("#")) for row in rows if row.strip("#"))
    right = max(len(row.rstrip("#")) for row in rows if row.strip("#"))
    cut = [row[left - 1 : right + 1] for row in rows[used[0] - 1 : used[-1] + 2]]
    return hashlib.sha256("\n".join(cut).encode()).hexdigest()[:ID_DIGITS]
