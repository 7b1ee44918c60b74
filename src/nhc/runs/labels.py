"""The rows above a learning curve: level numbers and, above them, the ticks that a task of the level needs.

Labels that would overlap are moved apart, as little as possible, and joined to their place by a thin line.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64
from matplotlib.axes import Axes

from nhc.runs.figure import GREY, Colour, level_colour
from nhc.runs.history import Span

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
    first = _last_attempt(spans) if len(spans) * LINE > width else 0
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


def _last_attempt(spans: list[Span]) -> int:
    """The index of the first span after the last fall to the same or a lower level."""
    falls = [i for i in range(1, len(spans)) if spans[i].level <= spans[i - 1].level]
    return falls[-1] if falls else 0


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
