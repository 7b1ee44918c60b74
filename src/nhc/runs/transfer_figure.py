"""The paper's Figure 4: fitness over the curriculum of other worlds, with a state of each and its word."""

import math
from typing import Literal, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from numpy.typing import NDArray

from nhc.runs.behaviour import spans
from nhc.runs.board import draw_state
from nhc.runs.figure import (
    DASHES,
    GREY,
    MM,
    POINTS,
    WIDTH,
    Colour,
    axes_at,
    draw_title,
    extent,
    level_colour,
    lighten,
    new_figure,
    style,
)
from nhc.runs.palette import FAINT, INK

LEFT, RIGHT, TOP, BELOW = 52.0, 5.0, 1.0, 14.0
"""Millimetres, as all lengths here: margins."""
ROW, BAND, STATE, BITS = 18.0, 9.0, 12.0, 22.0
"""From one world to the next; height of its curve, of its state, and width of the word."""
LIFT = 5.6
"""Of the levels, over the first curve."""
DIGITS = 7.5
"""Points that the number of a level needs."""
NOTE = "dots: mistakes; hatched: the world has no task of this level, the nearest lower one takes its place"


Side = Literal["center", "right"]


class Panel(NamedTuple):
    """One world."""

    title: str
    state: str
    """A state of it as text."""
    word: NDArray[np.uint8]
    """The data word of that state, its bits in rows."""
    level: NDArray[np.int64]
    fitness: NDArray[np.float64]
    maximum: float
    behind: dict[int, int]
    """Levels that the world lacks, with those in their place."""
    note: str
    """Samples and mistakes."""


def transfer_figure(panels: list[Panel], title: str = "") -> Figure:
    """The picture of a machine in some worlds, one below the other, over the same curriculum."""
    above = TOP + (7.0 if title else 0.0)
    height = above + ROW * len(panels) + BELOW
    with style():
        figure = new_figure(WIDTH, height * MM)
        for row, panel in enumerate(panels):
            bottom = BELOW + ROW * (len(panels) - 1 - row)
            _draw_state(figure, panel, bottom + BAND / 2 + 1.0)
            axes = axes_at(figure, LEFT, bottom, WIDTH / MM - LEFT - RIGHT, BAND)
            _draw_fitness(axes, panel)
            if row == 0:
                _draw_levels(axes, panel)
            if row < len(panels) - 1:
                axes.tick_params(axis="x", labelbottom=False)
            else:
                axes.set_xlabel("iteration (20 samples)", fontsize=7, labelpad=1)
                axes.annotate(NOTE, (1, 0), (0, -26), xycoords="axes fraction", textcoords="offset points",
                              size=6, color=GREY, ha="right", va="top")  # fmt: skip
        for x, name in ((2.0, "a state"), (2.0 + STATE + 3.0, "its data word")):
            figure.text(
                x * MM / WIDTH, (height - above - ROW + BAND + LIFT) / height, name, size=6, color=GREY
            )
        draw_title(figure, title)
        return figure


def _draw_state(figure: Figure, panel: Panel, middle: float) -> None:
    """For people, and as the machine has it."""
    draw_state(figure, panel.state, (2.0 + STATE / 2, middle), (STATE, STATE))
    rows, columns = panel.word.shape
    bit = min(BITS / columns, STATE / rows)
    corner = (2.0 + STATE + 3.0, middle - rows * bit / 2)
    axes = axes_at(figure, *corner, columns * bit, rows * bit)
    axes.pcolormesh(panel.word[::-1], cmap=ListedColormap(["white", INK]), edgecolors=FAINT, linewidth=0.15)
    axes.set_axis_off()


def _draw_fitness(axes: Axes, panel: Panel) -> None:
    """A band as high as the fitness, so that it is full where all samples were right."""
    axes.set_title(f"{panel.title}: {panel.note}", loc="left", fontsize=7.5, pad=3)
    axes.axhline(panel.maximum, color=GREY, linewidth=0.6, linestyle=DASHES, zorder=3)
    for first, last in spans(panel.level):
        level, fitness, edges = int(panel.level[first]), panel.fitness[first:last], np.arange(first, last + 1)
        colour, below = level_colour(level), np.flatnonzero(fitness < panel.maximum)
        axes.plot(
            first + below + 0.5, fitness[below], "o", color=colour, markersize=2.5, mec=INK, mew=0.3, zorder=4
        )
        if (fitness == panel.maximum).all():
            edges, fitness = edges[[0, -1]], fitness[:1]
        band = axes.fill_between(edges, np.append(fitness, fitness[-1]), step="post", zorder=1, lw=0)
        band.set(facecolor=lighten(colour), edgecolor=colour)
        if level in panel.behind:
            band.set(hatch="//////", linewidth=0.3)
        axes.axvline(first, color="white", linewidth=0.8, zorder=2)
    axes.set_ylim(0, panel.maximum * 1.04)
    axes.set_xlim(0, len(panel.level))
    axes.set_yticks([0, panel.maximum])
    axes.tick_params(labelsize=6.5, pad=1.5)
    axes.set_ylabel("fitness", fontsize=6.5, labelpad=0)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")


def _draw_levels(axes: Axes, panel: Panel) -> None:
    """The levels above the first curve, as many as there is room for."""
    points = extent(axes)[0] * POINTS / len(panel.level)
    stretches = list(spans(panel.level))
    shortest = min(last - first for first, last in stretches[:-1] or stretches)
    step = max(1, math.ceil(DIGITS / (points * shortest)))
    for first, last in stretches:
        level = int(panel.level[first])
        if (level - 1) % step == 0 or last - first > DIGITS / points:
            _write_above(axes, f"{level}", ((first + last) / 2, 1), 0, level_colour(level), "center")
    _write_above(axes, "level", (0, 1), -5, GREY, "right")


def _write_above(
    axes: Axes, text: str, place: tuple[float, float], aside: float, colour: Colour, side: Side
) -> None:
    axes.annotate(text, place, (aside, LIFT * MM * POINTS), xycoords=("data", "axes fraction"), color=colour,
                  textcoords="offset points", size=5.5, ha=side)  # fmt: skip
