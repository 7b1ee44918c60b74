"""Several seeds in one picture, in the style of the paper's Figure 3 (d).

Above: on which levels runs learned, and how much. Below: how many runs solved each level. Groups of runs,
such as Search and Plan or an ablation and its baseline, stand side by side.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float64, Int64
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nhc.errors import InputError
from nhc.runs.figure import COLOURS, GREY, POINTS, WIDTH, Colour, extent, new_figure, style
from nhc.runs.history import Record, history

HEIGHT = 4.0
LEFT, LABEL = 0.72, 0.57
"""Inches, as all lengths here: left of the axes, and how far their names stand off."""
TITLE, UNTITLED, BELOW, ROW, ENTRY = 0.35, 0.06, 0.48, 0.17, 1.6
"""Above the axes; below them, with a row of the legend and the width of an entry."""

NOTES = ("bars: mean and standard deviation over all runs", "numbers: runs that learned on this level")
NARROW = 5.0
"""Inches of a picture in which the notes need a line each."""


class Learning(NamedTuple):
    """Per level, counted from Level 1, over the runs of one group."""

    mean: Float64[np.ndarray, " levels"]
    deviation: Float64[np.ndarray, " levels"]
    triggered: Int64[np.ndarray, " levels"]
    solved: Int64[np.ndarray, " levels"]
    runs: int


class Outcome(NamedTuple):
    """What a picture of many needs of one run; both columns count from Level 1."""

    learned: Int64[np.ndarray, " levels"]
    """Learning iterations, all attempts together."""
    solved: Bool[np.ndarray, " levels"]


def outcome(records: Sequence[Record], levels: int) -> Outcome:
    """By the records of a `metrics.jsonl`.

    Raises InputError: `run.empty` without iterations, `run.damaged` for a record that is none or a level
    outside 1..levels.
    """
    run = history(records)
    if run.level.min() < 1 or run.level.max() > levels:
        message = f"expected levels 1..{levels}, found {run.level.min()}..{run.level.max()}"
        raise InputError("run.damaged", message)
    solved = np.zeros(levels, dtype=bool)
    solved[run.level[run.solved] - 1] = True
    return Outcome(np.bincount(run.level[run.learned] - 1, minlength=levels), solved)


def summarise(runs: Sequence[Outcome]) -> Learning:
    """Mean and sample standard deviation (0 for one run) over *all* runs, those without learning included.

    Raises InputError (`run.empty`) without runs.
    """
    if not runs:
        raise InputError("run.empty", "expected at least one run, found none")
    counts, solved = np.stack([run.learned for run in runs]), np.stack([run.solved for run in runs])
    deviation = counts.std(axis=0, ddof=1) if len(runs) > 1 else np.zeros(counts.shape[1])
    return Learning(counts.mean(axis=0), deviation, (counts > 0).sum(axis=0), solved.sum(axis=0), len(runs))


def seeds_figure(groups: Mapping[str, Sequence[Outcome]], title: str = "", *, width: float = WIDTH) -> Figure:
    """The picture of groups of runs, all of equally many levels; up to three groups stay legible.

    Raises InputError (`run.empty`).
    """
    if not groups:
        raise InputError("run.empty", "expected at least one group of runs, found none")
    summaries = {name: summarise(runs) for name, runs in groups.items()}
    levels = max(len(group.mean) for group in summaries.values())
    with style():
        figure = new_figure(width, HEIGHT)
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[2.4, 1])
        columns = min(len(groups), int(width / ENTRY))
        rows = -(-len(groups) // columns)
        edges = {"left": LEFT / width, "right": 1 - 0.1 / width, "hspace": 0.12}
        note = "\n".join(NOTES) if width < NARROW else "; ".join(NOTES)
        notes = 0.04 + 0.13 * len(note.splitlines())
        top, bottom = TITLE if title else UNTITLED, BELOW + ROW * rows + notes
        figure.subplots_adjust(top=1 - top / HEIGHT, bottom=bottom / HEIGHT, **edges)
        bar = 0.8 / len(summaries)
        for number, (name, group) in enumerate(summaries.items()):
            x = np.arange(1, levels + 1) + (number - (len(summaries) - 1) / 2) * bar
            colour = COLOURS[number % len(COLOURS)]
            _draw_learning(upper, x, group, bar, colour)
            runs = "1 run" if group.runs == 1 else f"{group.runs} runs"
            lower.bar(x, group.solved, 0.9 * bar, color=colour, label=f"{name} ({runs})")
        _set_axes(upper, lower, levels, max(group.runs for group in summaries.values()))
        figure.suptitle(title, x=LEFT / width, y=0.975, ha="left", fontsize=9)
        # Below, so that nothing lies on the bars.
        handles, names = lower.get_legend_handles_labels()
        below = (0.5, notes / HEIGHT)
        figure.legend(
            handles, names, ncols=columns, loc="lower center", bbox_to_anchor=below, borderaxespad=0
        )
        figure.text(0.5, 0.04 / HEIGHT, note, size=6, color=GREY, ha="center")
        return figure


def _draw_learning(
    axes: Axes, x: Float64[np.ndarray, " levels"], group: Learning, width: float, colour: Colour
) -> None:
    """Bars with their deviation, cut off at 0, and on top the number of runs that learned."""
    below = np.minimum(group.deviation, group.mean)
    bars = {"ecolor": "0.25", "elinewidth": 0.7, "capsize": 1.5, "capthick": 0.7}
    errors = [below, group.deviation] if group.runs > 1 else None
    axes.bar(x, group.mean, 0.9 * width, color=colour, yerr=errors, error_kw=bars)
    for place, height, count in zip(x, group.mean + group.deviation, group.triggered, strict=True):
        axes.annotate(
            f"{count}",
            (place, height),
            (0, 2),
            textcoords="offset points",
            color=colour,
            fontsize=5.5,
            rotation=0 if width >= 0.4 else 90,
            ha="center",
            va="bottom",
        )


def _set_axes(upper: Axes, lower: Axes, levels: int, runs: int) -> None:
    upper.set_ylabel("learning iterations")
    upper.margins(y=0.1)
    upper.set_ylim(bottom=0)
    upper.yaxis.set_major_formatter("{x:,.0f}")
    lower.set_ylabel("runs that solved")
    lower.set_ylim(0, 1.08 * runs)
    lower.set_yticks([0, runs])
    lower.set_xlabel("level")
    lower.set_xlim(0.4, levels + 0.6)
    lower.set_xticks(range(1, levels + 1))
    upper.tick_params(axis="x", length=0)
    across, _ = extent(upper)
    lower.tick_params(axis="x", labelsize=min(8.0, 0.65 * across * POINTS / levels))
    for axes in (upper, lower):
        # Both in one line, left of the widest numbers that a budget of 10,000 allows.
        axes.yaxis.set_label_coords(-LABEL / across, 0.5)
