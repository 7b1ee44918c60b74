"""The pictures of the report with axes of numbers. Each is written as `<stem>.png` and `<stem>.svg`.

All of them return the PNG file and raise StorageError (`storage.write`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes

from nhc.runs.figure import COLOURS, DASHES, GREY, WIDTH, new_figure, save_figure, style

MOST_POINTS = 200
"""Of a curve: longer logs are averaged."""
LEARNED_TICKS, TRAINED_TICKS = 28, 88
"""Of Level 6, the last that triggered learning when Plan of the zoo was trained, and of the last level."""


class Curve(NamedTuple):
    """Mean and standard deviation over networks."""

    iteration: list[float]
    mean: list[float]
    deviation: list[float]


def draw_comparison(curves: Mapping[str, Curve], *, maximum: float, ours: float | None, stem: Path) -> Path:
    """Fitness of the comparison methods over their iterations, in the style of the paper's Figure 3 (c).

    `ours` is the iteration at which our machine solved Level 1.
    """
    with style():
        figure = new_figure(WIDTH, 3.0)
        axes = figure.add_axes((0.085, 0.24, 0.88, 0.65))
        for number, (label, curve) in enumerate(curves.items()):
            x, mean, deviation = (thinned(column) for column in curve)
            colour = COLOURS[(number + 1) % len(COLOURS)]
            axes.plot(x, mean, color=colour, linewidth=1.1, label=label)
            low, high = np.maximum(mean - deviation, 0), mean + deviation
            axes.fill_between(x, low, high, color=colour, alpha=0.2, lw=0)
        axes.axhline(maximum, color=GREY, linestyle=DASHES, linewidth=0.8, label=f"maximum, {maximum:g}")
        if ours is not None:
            label = f"ours solved Level 1 (median, {ours:,.0f})"
            axes.axvline(ours, color=COLOURS[0], linewidth=1.2, linestyle=(0, (3, 2)), label=label)
        axes.set_ylim(0, 1.08 * maximum)
        axes.set_xlim(left=0)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.set_xlabel("iteration")
        axes.set_ylabel("fitness")
        axes.set_title("Search: mean and standard deviation of the fitness", loc="left")
        # Below the plot: wherever curves go, nothing lies on them.
        handles, names = axes.get_legend_handles_labels()
        figure.legend(handles, names, loc="lower center", ncols=len(names), handlelength=2.2)
        return save_figure(figure, stem)[0]


def thinned(values: list[float]) -> np.ndarray:
    """At most `MOST_POINTS` means of equally many neighbours; the rest at the end makes one of its own."""
    step = -(-len(values) // MOST_POINTS)
    return np.array([np.mean(values[at : at + step]) for at in range(0, len(values), step)])


def draw_modules(updates: Mapping[str, Mapping[str, Sequence[tuple[int, bool]]]], *, stem: Path) -> Path:
    """Updates that each data module needed, with and without bad memories.

    `updates`: variant -> world and module, on two lines -> for each run its updates, and whether it got to no
    errors.
    """
    names = list(dict.fromkeys(name for modules in updates.values() for name in modules))
    with style():
        figure = new_figure(WIDTH, 2.9)
        axes = figure.add_axes((0.115, 0.24, 0.865, 0.66))
        width, places = 0.8 / len(updates), module_places(names)
        for number, (variant, modules) in enumerate(updates.items()):
            colour = COLOURS[number % len(COLOURS)]
            for at, name in zip(places, names, strict=True):
                runs = modules.get(name, ())
                x = at + (number - (len(updates) - 1) / 2) * width
                if runs:
                    mean = sum(count for count, _ in runs) / len(runs)
                    label = variant if at == 0 else None
                    axes.bar(x, mean, 0.9 * width, color=colour, alpha=0.35, label=label)
                for count, clean in runs:
                    axes.plot(x, count, "o" if clean else "x", color=colour, markersize=4)
        _label_modules(axes, names, places)
        axes.set_xlim(-0.6, places[-1] + 0.6)
        axes.set_ylabel("updates")
        axes.margins(y=0.12)
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.set_title("Updates until the complete check found no error", loc="left")
        axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2)
        note = "bars: mean; points: runs; a cross is a run that still had errors when its budget ended"
        figure.text(0.115, 0.03, note, size=6.5, color=GREY)
        return save_figure(figure, stem)[0]


def module_places(names: Sequence[str]) -> list[float]:
    """One after the other, with a gap before each new world."""
    worlds = [name.split("\n")[0] for name in names]
    new = [world != before for world, before in pairwise(worlds)]
    return [0.0, *accumulate(1.0 + 0.6 * gap for gap in new)]


def _label_modules(axes: Axes, names: Sequence[str], places: Sequence[float]) -> None:
    """Modules below their bars, and once below each group its world."""
    parts = [name.split("\n") for name in names]
    axes.set_xticks(places, [module for _, module in parts], fontsize=6)
    worlds = [world for world, _ in parts]
    for world in dict.fromkeys(worlds):
        first = worlds.index(world)
        middle = (places[first] + places[first + worlds.count(world) - 1]) / 2
        axes.annotate(world, (middle, 0), (0, -22), xycoords=("data", "axes fraction"),
                      textcoords="offset points", ha="center", va="top", fontsize=7.5)  # fmt: skip


def draw_ladder(solved: Mapping[str, Sequence[tuple[int, int]]], *, paper: int, stem: Path) -> Path:
    """Length of the tasks that were solved, far beyond that of training; in place of the paper's Figure 2.

    Each series has the (level, ticks) of its solved tasks.
    """
    with style():
        figure = new_figure(WIDTH, 3.0)
        axes = figure.add_axes((0.085, 0.15, 0.88, 0.75))
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.axhspan(1, LEARNED_TICKS, color=COLOURS[0], alpha=0.18, lw=0)
        axes.axhspan(LEARNED_TICKS, TRAINED_TICKS, color=COLOURS[0], alpha=0.08, lw=0)
        axes.axhline(paper, color=GREY, linestyle=DASHES, linewidth=0.8)
        most = max(level for points in solved.values() for level, _ in points)
        for ticks, what in ((LEARNED_TICKS, "learning"), (TRAINED_TICKS, "curriculum")):
            text = f"{what} up to {ticks} ticks"
            axes.text(2 * most, ticks / 1.25, text, size=6.5, color=COLOURS[0], ha="right", va="top")
        axes.text(0.75, paper * 1.15, f"the paper: {paper:,} ticks", size=6.5, color=GREY, va="bottom")
        for number, (label, points) in enumerate(solved.items()):
            levels, lengths = zip(*sorted(points), strict=True)
            # Hollow and of different sizes: tasks of equal length lie on each other.
            axes.plot(
                levels,
                lengths,
                "os^D"[number % 4],
                markeredgecolor=COLOURS[(number + 1) % len(COLOURS)],
                markerfacecolor="none",
                label=label,
                markersize=5 + 2 * number,
            )
        axes.set_xlim(0.7, 2.2 * most)
        axes.set_ylim(1, 20 * max(paper, most))
        axes.set_xlabel("level of the task: nodes that must be explored")
        axes.set_ylabel("ticks")
        axes.set_title("Tasks that the frozen planner solved", loc="left")
        axes.legend(loc="center left", bbox_to_anchor=(0.02, 0.51))
        return save_figure(figure, stem)[0]


def draw_levels(
    groups: Mapping[str, Sequence[tuple[int, int]]], *, levels: int, title: str, stem: Path
) -> Path:
    """Where each run ended: a group is the (learning iterations, level reached) of its runs, in a row.

    A run that did not master all levels is hollow, with the level that it reached.
    """
    height, left = 0.95 + 0.32 * len(groups), 0.2 + 0.055 * max(len(name) + 6 for name in groups)
    with style():
        figure = new_figure(WIDTH, height)
        axes = figure.add_axes(
            (left / WIDTH, 0.62 / height, (WIDTH - left - 0.3) / WIDTH, 0.32 * len(groups) / height)
        )
        for row, runs in enumerate(groups.values()):
            stuck = Counter(run for run in runs if run[1] <= levels)
            points = sorted([*stuck, *(run for run in runs if run[1] > levels)])
            for at, (learned, level) in enumerate(points):
                # Slightly apart, so that the runs of a row do not hide each other.
                y, colour = row + (-0.2, 0.0, 0.2)[at % 3], COLOURS[row % len(COLOURS)]
                fill = colour if level > levels else "white"
                axes.plot(learned, y, "o", color=colour, mfc=fill, markersize=4, alpha=0.75, clip_on=False)
                if level <= levels:
                    count = stuck[learned, level]
                    axes.annotate(
                        f"{level} ×{count}" if count > 1 else f"{level}",
                        (learned, y),
                        (4, 0),
                        textcoords="offset points",
                        color=colour,
                        fontsize=6,
                        va="center",
                    )
        axes.set_yticks(range(len(groups)), [f"{name} ({len(runs)})" for name, runs in groups.items()])
        axes.set_ylim(len(groups) - 0.5, -0.5)
        axes.tick_params(axis="y", length=0)
        axes.set_xlim(left=0)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.set_xlabel("learning iterations of the run")
        axes.set_title(title, loc="left")
        note = "filled: all levels mastered; hollow: not, with the level reached; ×n: n runs that ended alike"
        figure.text(left / WIDTH, 0.06 / height, note, size=6.5, color=GREY)
        return save_figure(figure, stem)[0]
