"""A run tick by tick, in the style of the paper's Figure 5: tree, words read, operations, attentions."""

from collections.abc import Iterable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, MaxNLocator
from matplotlib.transforms import ScaledTranslation, blended_transform_factory

from nhc.machine.layout import MECHANISMS
from nhc.runs.behaviour import Behaviour, Tree, spans
from nhc.runs.board import draw_state
from nhc.runs.figure import (
    COLOURS,
    COLUMN_MM,
    DASHES,
    GREY,
    MM,
    POINTS,
    WIDTH,
    axes_at,
    draw_title,
    extent,
    new_figure,
    style,
)
from nhc.runs.tree_figure import draw_tree, tree_height

SEARCH, BACK = COLOURS[0], COLOURS[1]
RIGHT, BELOW, ROW, PHASES, TITLE, GAP = 2.0, 10.0, 5.0, 7.0, 7.0, 3.0
"""Millimetres, as all lengths here: margins, and heights of rows."""
NARROWEST = 3.0
"""Of a tick of which more than its attentions is shown."""
STATE = 11.0
"""Of a state at most."""
SIGN = 1.5
"""Of a sign of text with 7 points, about."""
LARGE, SMALL = 7.0, 6.0
NOTE = "shade: how strongly a mechanism asks; frame: its cell is read"


def _size(width: float) -> float:
    """Points of names and numbers."""
    return LARGE if width > 1.2 * COLUMN_MM[1] * MM else SMALL


def _left(width: float) -> float:
    """Of the names at the left side; in one column they are smaller."""
    return 26.0 if _size(width) == LARGE else 23.0


def _tick(ticks: int, width: float) -> float:
    return (width / MM - _left(width) - RIGHT) / ticks


def fits(ticks: int, *, width: float = WIDTH) -> bool:
    """Is there room for a column for each tick?"""
    return _tick(ticks, width) >= NARROWEST


def behaviour_figure(
    run: Behaviour, tree: Tree | None = None, title: str = "", *, width: float = WIDTH
) -> Figure:
    """All of a run that `fits`; above, the tree that it has grown, if it is a search."""
    rows = _Rows(run, width)
    above = 0.0 if tree is None else tree_height(tree) + GAP
    attention = _mechanism_height(width) * len(MECHANISMS)
    height = BELOW + attention + rows.height + above + (_head(run) + (TITLE if title else 0.0))
    with style():
        figure = new_figure(width, height * MM)
        left, across = _left(width), width / MM - _left(width) - RIGHT
        axes = axes_at(figure, left, BELOW, across, attention)
        _draw_attentions(axes, run, width)
        rows.draw(figure, left, BELOW + attention)
        _draw_phases(axes, run, rows.height)
        if tree is not None:
            draw_tree(figure, tree, RIGHT, height - above - (TITLE if title else 0), width / MM - 2 * RIGHT)
        draw_title(figure, title)
        return figure


def attention_figure(run: Behaviour, *, width: float = WIDTH) -> Figure:
    """How strongly each read mechanism asks at each tick, and which one wins."""
    attention = _mechanism_height(width) * len(MECHANISMS)
    height = BELOW + attention + _head(run)
    with style():
        figure = new_figure(width, height * MM)
        axes = axes_at(figure, _left(width), BELOW, width / MM - _left(width) - RIGHT, attention)
        _draw_attentions(axes, run, width)
        _draw_phases(axes, run, 0.0)
        return figure


def _mechanism_height(width: float) -> float:
    return 4.4 if _size(width) == LARGE else 3.4


def _head(run: Behaviour) -> float:
    return PHASES if run.met.any() else RIGHT


def _draw_attentions(axes: Axes, run: Behaviour, width: float) -> None:
    """The five mechanisms over time; one frame around successive ticks at which the same one wins."""
    points = _tick(run.ticks, width) * MM * POINTS
    edges = np.arange(run.ticks + 1) - 0.5 + run.first
    axes.pcolormesh(edges, np.arange(len(MECHANISMS) + 1) - 0.5, run.shares.T, cmap="Greys", vmin=0, vmax=1,
                    edgecolors="face", linewidth=0.05)  # fmt: skip
    line = float(np.clip(0.2 * points, 0.25, 1.6))
    inset = 0.5 * line / points
    for first, last in spans(run.winner + len(MECHANISMS) * run.met):
        colour = BACK if run.met[first] else SEARCH
        corner = (edges[first] + inset, run.winner[first] - 0.42)
        frame = Rectangle(
            corner, max(last - first - 2 * inset, 0), 0.84, fill=False, edgecolor=colour, lw=line
        )
        axes.add_patch(frame)
    size = _size(width)
    axes.set_yticks(range(len(MECHANISMS)), MECHANISMS, fontsize=size)
    axes.set_ylim(len(MECHANISMS) - 0.5, -0.5)
    axes.set_xlim(edges[0], edges[-1])
    if points >= 9:
        axes.set_xticks(range(run.first, run.first + run.ticks))
    else:
        axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.tick_params(length=0, labelsize=size)
    axes.set_xlabel("tick", fontsize=size, labelpad=1.5)
    axes.spines["left"].set_visible(False)
    axes.annotate(NOTE, (1, 0), (0, -17), xycoords="axes fraction", textcoords="offset points",
                  size=size - 1, color=GREY, ha="right", va="top")  # fmt: skip


def _draw_phases(axes: Axes, run: Behaviour, above: float) -> None:
    """Search and the way back, so many millimetres above the attentions."""
    up = ScaledTranslation(0, (above + 1.8) * MM, axes.figure.dpi_scale_trans)
    rim = blended_transform_factory(axes.transData, axes.transAxes)
    across, high = extent(axes)
    for name, first, last in run.phases():
        colour = BACK if run.met[first] else SEARCH
        start, end = first + run.first - 0.5, last + run.first - 0.5
        inset = min(0.004 * run.ticks, 0.1 * (last - first))
        axes.plot(
            (start + inset, end - inset),
            (1, 1),
            transform=rim + up,
            color=colour,
            linewidth=2.5,
            solid_capstyle="butt",
            clip_on=False,
        )
        # The name of a short phase goes on into the other one.
        short = (last - first) / run.ticks * across < 15 * MM
        x, side = ((start + end) / 2, "center") if not short else (end, "right") if first else (start, "left")
        axes.annotate(name, (x, 1), (0, (above + 2.6) * MM * POINTS), color=colour, size=7, xycoords=rim,
                      textcoords="offset points", ha=side, va="bottom")  # fmt: skip
        if first:
            top = 1 + above * MM / high
            axes.plot((start, start), (0, top), transform=rim, color=GREY, linestyle=DASHES, linewidth=0.8,
                      clip_on=False)  # fmt: skip


class _Rows:
    """Above the attentions, a column for each tick: the word that was read, its cell, and the operation."""

    def __init__(self, run: Behaviour, width: float) -> None:
        self._run, self._tick, self._size = run, _tick(run.ticks, width), _size(width)
        self._ops = [run.ops[op] for op in run.op]
        texts = (self._ops, run.read, run.words)
        self._heights = [_row_height(row, self._tick) for row in texts]
        if any("\n" in word for word in run.words):  # states are as large as the stretches at one cell allow
            self._heights[2] = STATE + 1.0
        self.height = sum(self._heights) + 1.0

    def draw(self, figure: Figure, left: float, bottom: float) -> None:
        """Draw from the corner at the left, in millimetres."""
        heights, (across, up) = self._heights, figure.get_size_inches() / MM
        middles = [bottom + 0.5 + sum(heights[:row]) + height / 2 for row, height in enumerate(heights)]
        for tick, op in enumerate(self._ops):
            self._write(figure, op, left + (tick + 0.5) * self._tick, middles[0])
        for first, last in spans(self._run.read):
            middle, word = left + (first + last) / 2 * self._tick, self._run.words[first]
            self._write(figure, f"{self._run.read[first]}", middle, middles[1])
            if "\n" in word:
                room = (last - first) * self._tick - 0.5
                draw_state(figure, word, (middle, middles[2]), (min(room, STATE), STATE))
            else:
                self._write(figure, word, middle, middles[2])
            if last - first > 1:  # a thin line below what was read for several ticks
                x = np.array((left + first * self._tick + 0.6, left + last * self._tick - 0.6)) / across
                y = (middles[1] + heights[1] / 2) / up
                figure.add_artist(Line2D(x, (y, y), color=GREY, linewidth=0.6))
        for middle, name in zip(middles, ("operation", "cell read", "word read"), strict=True):
            figure.text((left - 1.5) / across, middle / up, name, size=self._size, ha="right", va="center")

    def _write(self, figure: Figure, text: str, x: float, y: float) -> None:
        """A text that is wider than a tick stands upright."""
        across, up = figure.get_size_inches() / MM
        turn = 90 if _length(text) > self._tick else 0
        figure.text(
            x / across, y / up, text, size=7, ha="center", va="center", rotation=turn, parse_math=False
        )


def _length(text: object) -> float:
    """Millimetres of a text."""
    return len(f"{text}") * SIGN


def _row_height(texts: Iterable[object], tick: float) -> float:
    longest = max(map(_length, texts))
    return longest + 1.0 if longest > tick else ROW
