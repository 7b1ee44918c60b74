"""Which sign means which cell: XSB, and the dialects that use the same signs with other meanings.

A file in one dialect may read as a different puzzle in another, so the legend is never guessed: the caller
names it, and errors suggest one.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from nhc.domains.sokoban.cells import AGENT_ON_GOAL, BOX_ON_GOAL, XSB_SIGNS, Cell


@dataclass(frozen=True)
class Legend:
    """The signs of one dialect."""

    name: str
    cells: Mapping[str, int]
    weak: frozenset[str] = frozenset()
    """Signs that are also ordinary letters: they do not make a line look like a row of a board."""
    spacing: int = 1
    """Columns from one cell to the next: 2 where blanks stand between cells."""

    @property
    def run_lengths(self) -> bool:
        """May rows be written with counts, groups and `|`?"""
        return self.spacing == 1

    def is_wall(self, sign: str) -> bool:
        """Is this the sign of a wall?"""
        return self.cells.get(sign) == Cell.WALL


XSB = Legend(
    "xsb",
    XSB_SIGNS
    | {"-": Cell.FLOOR, "_": Cell.FLOOR}
    | {"W": Cell.WALL, "p": Cell.AGENT, "P": AGENT_ON_GOAL, "b": Cell.BOX, "B": BOX_ON_GOAL},
    weak=frozenset("WpPbB"),
)
"""XSB with visible floor and the letters of the SOK format; the default."""

DOS = Legend(
    "dos",
    {
        "X": Cell.WALL,
        "@": Cell.AGENT,
        "*": Cell.BOX,
        "&": BOX_ON_GOAL,
        ".": Cell.GOAL,
        " ": Cell.FLOOR,
    },
)
"""Maps of old DOS programs: `X` wall, `*` box, `&` box on goal."""

REASONING_GYM = Legend(
    "reasoning-gym",
    {
        "+": Cell.WALL,
        "*": Cell.AGENT,
        "%": AGENT_ON_GOAL,
        "@": Cell.BOX,
        "$": BOX_ON_GOAL,
        "X": Cell.GOAL,
        "-": Cell.FLOOR,
    },
    spacing=2,
)
"""The puzzles of reasoning-gym: `+` wall, `*` player, `@` box, `X` goal, with blanks between cells."""

SOLVER = Legend(
    "solver",
    {
        "#": Cell.WALL,
        "&": Cell.AGENT,
        "%": AGENT_ON_GOAL,
        "B": Cell.BOX,
        "X": BOX_ON_GOAL,
        ".": Cell.GOAL,
        " ": Cell.FLOOR,
    },
)
"""Several solvers of university courses: `B` box, `X` box on goal, `&` player, `%` player on goal."""

YXWZ = Legend(
    "yxwz",
    {
        "#": Cell.WALL,
        "@": Cell.AGENT,
        "Z": AGENT_ON_GOAL,
        "X": Cell.BOX,
        "W": BOX_ON_GOAL,
        "Y": Cell.GOAL,
        " ": Cell.FLOOR,
    },
)
"""Games that mark goals with letters: `Y` goal, `X` box, `W` box on goal, `Z` player on goal."""

LEGENDS: dict[str, Legend] = {legend.name: legend for legend in (XSB, DOS, REASONING_GYM, SOLVER, YXWZ)}
"""Every legend by the name used on the command line."""
