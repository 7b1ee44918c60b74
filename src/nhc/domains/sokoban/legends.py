"""What a cell of a level file can hold, and which sign means it, in XSB and in other dialects.

XSB is the text format of nearly all public Sokoban collections. A file in one dialect may read as a different
puzzle in another, so the legend is never guessed: the caller names it, and errors suggest one.
"""

from collections.abc import Mapping
from dataclasses import dataclass


class Cell:
    """Contents of one cell as bits of an integer; GOAL combines with FLOOR, BOX and AGENT.

    Plain integers, because files of thousands of levels are read cell by cell.
    """

    FLOOR = 0
    WALL = 1
    BOX = 2
    AGENT = 4
    GOAL = 8


KINDS = (
    *(Cell.WALL, Cell.AGENT, Cell.AGENT | Cell.GOAL),
    *(Cell.BOX, Cell.BOX | Cell.GOAL, Cell.GOAL, Cell.FLOOR),
)
"""What a sign can mean: wall, player, player on goal, box, box on goal, goal, floor."""

SIGN_OF = dict(zip(KINDS, "#@+$*. ", strict=True))
"""The XSB sign of a cell; we write no other."""


@dataclass(frozen=True)
class Legend:
    """The signs of one dialect."""

    name: str
    cells: Mapping[str, int]
    weak: frozenset[str]
    """Signs that are also ordinary letters: they do not make a line look like a row of a board."""
    spacing: int
    """Columns from one cell to the next: 2 where blanks stand between cells."""

    @property
    def run_lengths(self) -> bool:
        """May rows be written with counts, groups and `|`?"""
        return self.spacing == 1

    def is_wall(self, sign: str) -> bool:
        """Is this the sign of a wall?"""
        return self.cells.get(sign) == Cell.WALL


def _legend(name: str, *signs: str, weak: str = "", spacing: int = 1) -> Legend:
    """The legend with these signs for each of `KINDS`."""
    cells = {sign: kind for kind, group in zip(KINDS, signs, strict=True) for sign in group}
    return Legend(name, cells, frozenset(weak), spacing)


XSB = _legend("xsb", "#W", "@p", "+P", "$b", "*B", ".", " -_", weak="WpPbB")
"""XSB with visible floor and the letters of the SOK format; the default."""

LEGENDS: dict[str, Legend] = {
    legend.name: legend
    for legend in (
        XSB,
        _legend("dos", "X", "@", "", "*", "&", ".", " "),  # maps of old DOS programs
        _legend("reasoning-gym", "+", "*", "%", "@", "$", "X", "-", spacing=2),  # reasoning-gym's puzzles
        _legend("solver", "#", "&", "%", "B", "X", ".", " "),  # solvers of university courses
        _legend("yxwz", "#", "@", "Z", "X", "W", "Y", " "),  # games that mark goals with letters
    )
}
"""Every legend by the name used on the command line."""
