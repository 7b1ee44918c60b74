"""Boards as XSB text, alone or side by side, and as small SVG pictures.

The colours are told apart with every common colour blindness, and every kind of cell has its own shape.
"""

from html import escape
from itertools import groupby

from nhc.domains.frames import side_by_side
from nhc.domains.sokoban.board import Board
from nhc.domains.sokoban.cells import AGENT_ON_GOAL, BOX_ON_GOAL, SIGN_OF, Cell
from nhc.domains.sokoban.rules import State

FLOOR_COLOUR = "#f5f2ea"
WALL_COLOUR = "#4a5058"
BOX_COLOUR = "#e69f00"
AGENT_COLOUR = "#0072b2"
GOAL_COLOUR = "#009e73"
LINE_COLOUR = "#1b1b1b"

UNIT = 24
"""Length of a cell's side in the units of a picture, whatever its size in pixels."""

BOX = (
    f'<path d="M3.5 3.5h17v17h-17zl17 17m0-17l-17 17" fill="{BOX_COLOUR}" stroke="{LINE_COLOUR}" '
    'stroke-width="1.5"/>'
)
AGENT = (
    f'<circle cx="12" cy="12" r="8" fill="{AGENT_COLOUR}"/>'
    '<path d="M9 10h.01M15 10h.01" stroke="#ffffff" stroke-width="3.5" stroke-linecap="round"/>'
)
DISC = f'<circle cx="12" cy="12" r="4.5" fill="{GOAL_COLOUR}" stroke="#ffffff" stroke-width="1.5"/>'
RING = '<circle cx="12" cy="12" r="{radius}" fill="none" stroke="{colour}" stroke-width="2.5"/>'
PIECES = {
    Cell.GOAL: RING.format(radius=5, colour=GOAL_COLOUR),
    Cell.BOX: BOX,
    Cell.AGENT: AGENT,
    BOX_ON_GOAL: BOX + DISC,
    AGENT_ON_GOAL: RING.format(radius=10.5, colour=GOAL_COLOUR) + AGENT,
}
"""Box: a square with a cross. Agent: a disc with eyes. Goal: a ring, but a disc on a box."""


def to_text(board: Board, state: State, goals: int = 0) -> str:
    """The rows of a single state in XSB signs, all of full width, joined by line ends."""
    return "\n".join("".join(SIGN_OF[cell] for cell in row) for row in cell_rows(board, state, goals))


def cell_rows(board: Board, state: State, goals: int = 0) -> list[list[int]]:
    """What every cell of a single state holds; a goal under a wall does not show."""
    walls, boxes, agent = (int(bits) for bits in state)
    rows = [[Cell.FLOOR] * board.width for _ in range(board.height)]
    for cell in range(board.cells):
        row, column = board.place(cell)
        for bits, part in ((boxes, Cell.BOX), (agent, Cell.AGENT), (goals, Cell.GOAL)):
            if bits >> cell & 1:
                rows[row][column] |= part
        if walls >> cell & 1:
            rows[row][column] = Cell.WALL
    return rows


def frames_text(
    board: Board, states: list[State], goals: int = 0, captions: list[str] | None = None, width: int = 100
) -> str:
    """Several states side by side, as many in a line as fit into `width` columns, at least one.

    A caption stands above its board, cut to the board's width; there are as many as states, or none.
    """
    return side_by_side([to_text(board, state, goals) for state in states], captions, width)


def to_svg(board: Board, state: State, goals: int = 0, cell: int = 24, title: str = "Sokoban") -> str:
    """A picture of a single state, `cell` pixels a cell; the same arguments give the same text."""
    width, height = board.width * UNIT, board.height * UNIT
    rows = cell_rows(board, state, goals)
    shapes = [
        f'<g transform="translate({column * UNIT} {row * UNIT})">{PIECES[content]}</g>'
        for row, contents in enumerate(rows)
        for column, content in enumerate(contents)
        if content in PIECES
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{board.width * cell}" '
            f'height="{board.height * cell}" viewBox="0 0 {width} {height}" role="img">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{width}" height="{height}" fill="{FLOOR_COLOUR}"/>',
            f'<path d="{_wall_path(rows)}" fill="{WALL_COLOUR}"/>',
            *shapes,
            "</svg>\n",
        ]
    )


def _wall_path(rows: list[list[int]]) -> str:
    """One rectangle for every run of walls in a row, so that no seams show inside a run."""
    path = []
    for row, contents in enumerate(rows):
        column = 0
        for content, group in groupby(contents):
            length = len(list(group))
            if content == Cell.WALL:
                path.append(f"M{column * UNIT} {row * UNIT}h{length * UNIT}v{UNIT}h-{length * UNIT}z")
            column += length
    return "".join(path)
