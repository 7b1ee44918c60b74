"""One state of a world in a picture: Sokoban as a board of cells, anything else as its text."""

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure

from nhc.runs.figure import MM, POINTS, axes_at
from nhc.runs.palette import AGENT, BOX, FLOOR, GREY, INK, WALL

WIDE, HIGH = 0.61, 1.2
"""Of a sign, in units of the font size, as in DejaVu Sans Mono."""
LARGEST = 9.0
"""Points of a text."""
SHAPES = {"$": ("s", BOX), "*": ("s", BOX), "@": ("o", AGENT), "+": ("o", AGENT)}
"""Boxes are square and the agent is round: nobody needs the colours."""


def draw_state(figure: Figure, text: str, middle: tuple[float, float], room: tuple[float, float]) -> None:
    """Draw a state as large as it fits into `room` around `middle`, both in millimetres."""
    lines = text.splitlines()
    if any("#" in line for line in lines):
        _draw_board(figure, lines, middle, room)
        return
    across, up = max(map(len, lines), default=1), max(len(lines), 1)
    size = min(room[0] / across / WIDE, room[1] / up / HIGH) * MM * POINTS
    x, y = np.array(middle) * MM / figure.get_size_inches()
    figure.text(
        x,
        y,
        text,
        family="monospace",
        fontsize=min(size, LARGEST),
        ha="center",
        va="center",
        parse_math=False,
    )


def _draw_board(
    figure: Figure, lines: list[str], middle: tuple[float, float], room: tuple[float, float]
) -> None:
    rows, columns = len(lines), max(map(len, lines))
    cell = min(room[0] / columns, room[1] / rows)
    width, height = columns * cell, rows * cell
    axes = axes_at(figure, middle[0] - width / 2, middle[1] - height / 2, width, height)
    axes.set_axis_off()
    axes.set_xlim(0, columns)
    axes.set_ylim(rows, 0)
    walls = np.array([[sign == "#" for sign in line.ljust(columns)] for line in lines])
    axes.pcolormesh(walls, cmap=ListedColormap([FLOOR, WALL]), vmin=0, vmax=1, edgecolors=GREY, linewidth=0.1)
    points = cell * MM * POINTS
    for row, line in enumerate(lines):
        for column, sign in enumerate(line):
            if sign in SHAPES:
                shape, colour = SHAPES[sign]
                axes.plot(
                    column + 0.5,
                    row + 0.5,
                    shape,
                    markersize=0.72 * points,
                    color=colour,
                    mec=INK,
                    mew=min(0.5, 0.07 * points),
                )
