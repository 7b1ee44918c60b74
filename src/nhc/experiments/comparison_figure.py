"""Fitness of the comparison methods over their iterations, in the style of the paper's Figure 3 (c)."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nhc.runs.figure import COLOURS, GREY, new_figure, save_figure, style

WIDTH, HEIGHT = 7.2, 3.0
SMOOTH = 200
"""Points of a curve: longer logs are averaged."""


class Curve(NamedTuple):
    """Mean and standard deviation over networks."""

    iteration: list[float]
    mean: list[float]
    deviation: list[float]


def draw_comparison(
    curves: Mapping[str, Curve], *, maximum: float, ours: float | None, path_stem: Path
) -> tuple[Path, Path]:
    """Write `<stem>.png` and `<stem>.svg`; `ours` is the iteration at which our machine solved Level 1.

    Raises StorageError (`storage.write`).
    """
    with style():
        figure = new_figure(WIDTH, HEIGHT)
        axes = figure.add_axes((0.085, 0.15, 0.88, 0.73))
        axes.axhline(maximum, color=GREY, linestyle=(0, (4, 3)), linewidth=0.8)
        for number, (label, curve) in enumerate(curves.items()):
            x, mean, deviation = (thinned(column) for column in curve)
            colour = COLOURS[(number + 1) % len(COLOURS)]
            axes.plot(x, mean, color=colour, linewidth=1.1, label=label)
            axes.fill_between(
                x, np.maximum(mean - deviation, 0), mean + deviation, color=colour, alpha=0.2, lw=0
            )
        if ours is not None:
            label = f"ours solved Level 1 (median, {ours:,.0f})"
            axes.axvline(ours, color=COLOURS[0], linewidth=1.2, linestyle=(0, (3, 2)), label=label)
        axes.set_ylim(0, 1.08 * maximum)
        axes.set_xlim(left=0)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.set_xlabel("iteration")
        axes.set_ylabel("fitness")
        axes.set_title("Search: mean and standard deviation of the fitness", loc="left")
        axes.legend(loc="center right", bbox_to_anchor=(1.0, 0.72))
        return save_figure(figure, path_stem)


def thinned(values: list[float]) -> np.ndarray:
    """At most `SMOOTH` means of equally many neighbours; the rest at the end makes one of its own."""
    step = -(-len(values) // SMOOTH)
    return np.array([np.mean(values[at : at + step]) for at in range(0, len(values), step)])
