"""The learning curve of one run, in the style of the paper's Figure 3 (a, b).

Fitness over iterations, one colour a curriculum level: strong where the run learned, light where fitness was
at its maximum and nothing was learned. Dashed lines mark the maximum and the iterations that solved a level.
Above stand two rows: the levels, and the ticks that a task of each needs. Labels that would overlap are moved
apart, as little as possible, and joined to their place by a thin line.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float64, Int64
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from nhc.runs.figure import (
    DASHES,
    GREY,
    POINTS,
    WIDTH,
    Colour,
    extent,
    level_colour,
    lighten,
    new_figure,
    style,
)
from nhc.runs.history import History, Record, Span, history, spans

# In inches: the figure's height, and its margins around the plot without the rows of labels.
HEIGHT = 3.2
LEFT, RIGHT, BOTTOM, TITLE, UNTITLED = 0.55, 0.22, 0.75, 0.35, 0.06
LEGEND_ROW, LEGEND_ENTRY = 0.16, 1.45
"""Inches of the legend: height of a row, width of an entry."""

# Lengths of dashes and gaps, in line widths.
SOLVED_DASHES = (0, (3, 2))
RESTART_DOTS = (0, (1, 1.5))

# In points: where the rows stand above the plot, how wide a digit and how high a line of them is.
LEVEL_ROW, TICK_ROW = 7.0, 17.0
DIGIT, LINE = 4.3, 9.5


class Labels(NamedTuple):
    """Texts and their places, in points from the plot's left rim."""

    levels: list[int]
    ticks: list[str]
    wanted: Float64[np.ndarray, " labels"]
    places: Float64[np.ndarray, " labels"]
    upright: bool

    @property
    def height(self) -> float:
        """What the rows need above the plot, in points."""
        return TICK_ROW + (DIGIT * max(map(len, self.ticks)) if self.upright else LINE)


def curve_figure(
    records: Sequence[Record],
    *,
    maximum: int | float,
    ticks_per_level: Mapping[int, int],
    title: str,
    width: float = WIDTH,
) -> Figure:
    """The picture of the records of `metrics.jsonl`.

    `maximum` is the largest fitness, 120 for Search and 150 for Plan; a level that `ticks_per_level` lacks
    gets no number. Equal records give equal files. Raises InputError (`run.empty`, `run.damaged`).
    """
    run = history(records)
    labels = _layout(run, ticks_per_level, width)
    handles = _legend(bool(run.restarted.any()))
    columns = min(len(handles), int(width / LEGEND_ENTRY))
    bottom = BOTTOM + LEGEND_ROW * (-(-len(handles) // columns) - 1)
    top = (TITLE if title else UNTITLED) + labels.height / POINTS
    with style():
        figure = new_figure(width, HEIGHT)
        rim = (LEFT / width, bottom / HEIGHT)
        axes = figure.add_axes((*rim, (width - LEFT - RIGHT) / width, (HEIGHT - bottom - top) / HEIGHT))
        _set_axes(axes, run, maximum)
        _draw_fitness(axes, run)
        _draw_events(axes, run)
        draw_labels(axes, labels)
        figure.text(LEFT / width, 1 - TITLE / 2 / HEIGHT, title, fontsize=9, va="center")
        figure.legend(handles=handles, loc="lower center", ncols=columns, handlelength=2.2)
        return figure


def pieces(
    run: History, chosen: Bool[np.ndarray, " iterations"]
) -> tuple[Float64[np.ndarray, " points"], Float64[np.ndarray, " points"]]:
    """One broken line through the chosen iterations, NaN at the breaks.

    Each chosen iteration is joined to the one before it, chosen or not, so that differently coloured pieces
    meet; only a restart leaves a gap.
    """
    joined = _joined(run)
    start = chosen.copy()  # the chosen iterations that go on no line so far
    start[1:] &= ~(chosen[:-1] & joined[1:])
    order: list[Int64[np.ndarray, " points"]] = []
    for stretch in np.split(np.flatnonzero(chosen), np.flatnonzero(start[chosen])[1:]):
        if stretch.size:
            before = stretch[:1] - 1 if joined[stretch[0]] else stretch[:0]
            order += [before, stretch, np.array([-1])]
    index = np.concatenate(order) if order else np.zeros(0, dtype=np.int64)
    gap = index < 0
    return np.where(gap, np.nan, run.iteration[index]), np.where(gap, np.nan, run.fitness[index])


def _joined(run: History) -> Bool[np.ndarray, " iterations"]:
    """Is the iteration's fitness joined to the one before it?"""
    joined = np.zeros(len(run.level), dtype=bool)
    joined[1:] = ~run.restarted[:-1]
    return joined


def _limits(run: History) -> tuple[float, float]:
    """The ends of the x axis, with a little room for the line at the last iteration."""
    left, right = float(run.iteration[0]) - 1, float(run.iteration[-1])
    return left, right + max(1.0, 0.004 * (right - left))


def _layout(run: History, ticks_per_level: Mapping[int, int], inches: float) -> Labels:
    parts = spans(run)
    left, right = _limits(run)
    width = (inches - LEFT - RIGHT) * POINTS
    middles = np.array([(part.first + part.last) / 2 for part in parts])
    return layout(parts, (middles - left) / (right - left) * width, width, ticks_per_level)


def _set_axes(axes: Axes, run: History, maximum: int | float) -> None:
    axes.set_xlim(*_limits(run))
    axes.set_ylim(0, 1.06 * maximum)
    axes.xaxis.set_major_locator(
        MaxNLocator(nbins=9 if extent(axes)[0] > 4 else 5, steps=[1, 2, 2.5, 5, 10], integer=True)
    )
    axes.xaxis.set_major_formatter("{x:,.0f}")
    below = [
        tick
        for tick in MaxNLocator(4, steps=[1, 2, 3, 5, 10]).tick_values(0, maximum)
        if 0 <= tick < 0.9 * maximum
    ]
    axes.set_yticks([*below, maximum])
    axes.set_xlabel("iteration")
    axes.set_ylabel("fitness")
    axes.axhline(maximum, color=GREY, linestyle=DASHES, linewidth=0.8, zorder=1)


def _draw_fitness(axes: Axes, run: History) -> None:
    """One line for each level and shade: a few dozen objects, however long the run is."""
    for level in np.unique(run.level):
        strong = level_colour(int(level))
        for learned, colour, width in ((False, lighten(strong), 1.6), (True, strong, 0.7)):
            x, y = pieces(run, (run.level == level) & (run.learned == learned))
            axes.plot(x, y, color=colour, linewidth=width, zorder=2 + int(learned))
    joined = _joined(run)
    for place in np.flatnonzero(~joined & ~np.append(joined[1:], False)):
        # A single iteration before or after a restart makes no line.
        colour = level_colour(int(run.level[place]))
        axes.plot(run.iteration[place], run.fitness[place], marker=".", color=colour, zorder=3)


def _draw_events(axes: Axes, run: History) -> None:
    for place in np.flatnonzero(run.solved):
        colour = level_colour(int(run.level[place]))
        axes.axvline(run.iteration[place], color=colour, linestyle=SOLVED_DASHES, linewidth=0.8, zorder=4)
    for place in np.flatnonzero(run.restarted):
        x = run.iteration[place]
        axes.axvline(x, color="black", linestyle=RESTART_DOTS, linewidth=1.1, zorder=4)
        axes.plot(x, 0, marker="^", color="black", markersize=5, clip_on=False, zorder=5)


def _legend(restarts: bool) -> list[Line2D]:
    strong = level_colour(1)
    handles = [
        Line2D([], [], color=strong, linewidth=1.2, label="learning"),
        Line2D([], [], color=lighten(strong), linewidth=2, label="at maximum, no learning"),
        Line2D([], [], color=GREY, linestyle=DASHES, linewidth=0.8, label="maximum fitness"),
        Line2D([], [], color=strong, linestyle=SOLVED_DASHES, linewidth=0.8, label="level solved"),
    ]
    if restarts:
        dots = Line2D([], [], color="black", linestyle=RESTART_DOTS, linewidth=1.1, marker="^", markersize=4)
        dots.set_label("restart")
        handles.append(dots)
    return handles


def layout(
    spans: list[Span],
    middles: Float64[np.ndarray, " spans"],
    width: float,
    ticks_per_level: Mapping[int, int],
) -> Labels:
    """A label for each span, at its middle or near it.

    Tick numbers stand upright if they do not fit side by side. If there are more labels than fit in `width`,
    after very many restarts, only those of the last attempt stay.
    """
    first = 0
    if len(spans) * LINE > width:
        falls = [at for at in range(1, len(spans)) if spans[at].level <= spans[at - 1].level]
        first = max(falls, default=0)
    levels = [span.level for span in spans[first:]]
    ticks = [f"{ticks_per_level[level]:,}" if level in ticks_per_level else "" for level in levels]
    wanted = middles[first:]
    upright = bool(np.any(np.diff(wanted) < DIGIT * (1 + max(map(len, ticks)))))
    return Labels(levels, ticks, wanted, spread(wanted, LINE, width), upright)


def spread(
    wanted: Float64[np.ndarray, " labels"], gap: float, width: float
) -> Float64[np.ndarray, " labels"]:
    """Ascending places in [0, width], at least `gap` apart, nearest to the ascending `wanted` places.

    Minimises the sum of squared moves: with the gaps taken out it is isotonic regression. If the labels do
    not fit they start at 0 and go past `width`.
    """
    from scipy.optimize import isotonic_regression  # slow to import, and only pictures need it

    gaps = gap * np.arange(len(wanted))
    places = isotonic_regression(wanted - gaps).x
    room = max(width - gap * (len(wanted) - 1), 0.0)
    moved: Float64[np.ndarray, " labels"] = np.clip(places, 0.0, room) + gaps
    return moved


def draw_labels(axes: Axes, labels: Labels) -> None:
    """Both rows, each label in its level's colour."""
    rotation = 90 if labels.upright else 0
    for level, ticks, wanted, place in zip(
        labels.levels, labels.ticks, labels.wanted, labels.places, strict=True
    ):
        colour = level_colour(level)
        _leader(axes, float(wanted), float(place), colour)
        _text(axes, f"{level}", (float(place), LEVEL_ROW), colour)
        _text(axes, ticks, (float(place), TICK_ROW), colour, rotation=rotation)
    _text(axes, "level", (-6.0, LEVEL_ROW), GREY, align="right")
    _text(axes, "ticks", (-6.0, TICK_ROW), GREY, align="right")


def _text(
    axes: Axes,
    text: str,
    offset: tuple[float, float],
    colour: Colour,
    *,
    rotation: int = 0,
    align: str = "center",
) -> None:
    axes.annotate(
        text,
        (0, 1),
        offset,
        xycoords="axes fraction",
        textcoords="offset points",
        color=colour,
        fontsize=6.5,
        rotation=rotation,
        ha=align,
        va="bottom",
    )


def _leader(axes: Axes, wanted: float, place: float, colour: Colour) -> None:
    """From the rim, at the middle of the span, to its label."""
    box = axes.get_position().transformed(axes.figure.transFigure)
    points = axes.figure.dpi / 72
    x = np.array([wanted, place]) * points / box.width
    y = 1 + np.array([0, LEVEL_ROW - 1]) * points / box.height
    axes.plot(x, y, transform=axes.transAxes, color=colour, linewidth=0.5, clip_on=False)
