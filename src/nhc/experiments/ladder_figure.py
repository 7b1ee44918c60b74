"""Complexity of the tasks that were solved, far beyond that of training; in place of the paper's Figure 2."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from nhc.runs.figure import COLOURS, GREY, new_figure, save_figure, style

WIDTH, HEIGHT = 7.2, 3.0
LEARNED_TICKS, TRAINED_TICKS = 28, 88
"""Of Level 6, the last that triggered learning when Plan of the zoo was trained, and of the last level."""
MARKERS = ("o", "s", "^", "D")


def draw_ladder(
    solved: Mapping[str, Sequence[tuple[int, int]]], *, paper: int, path_stem: Path
) -> tuple[Path, Path]:
    """Write `<stem>.png` and `<stem>.svg`; each series has the (level, ticks) of its solved tasks.

    Raises StorageError (`storage.write`).
    """
    with style():
        figure = new_figure(WIDTH, HEIGHT)
        axes = figure.add_axes((0.085, 0.15, 0.88, 0.75))
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.axhspan(1, LEARNED_TICKS, color=COLOURS[0], alpha=0.18, lw=0)
        axes.axhspan(LEARNED_TICKS, TRAINED_TICKS, color=COLOURS[0], alpha=0.08, lw=0)
        axes.axhline(paper, color=GREY, linestyle=(0, (4, 3)), linewidth=0.8)
        most = max(level for points in solved.values() for level, _ in points)
        for ticks, text in (
            (LEARNED_TICKS, f"learning up to {LEARNED_TICKS} ticks"),
            (TRAINED_TICKS, f"curriculum up to {TRAINED_TICKS} ticks"),
        ):
            axes.text(2 * most, ticks / 1.25, text, size=6.5, color=COLOURS[0], ha="right", va="top")
        axes.text(0.75, paper * 1.15, f"the paper: {paper:,} ticks", size=6.5, color=GREY, va="bottom")
        for number, (label, points) in enumerate(solved.items()):
            levels, lengths = zip(*sorted(points), strict=True)
            colour = COLOURS[(number + 1) % len(COLOURS)]
            axes.plot(  # hollow and of different sizes: tasks of equal length lie on each other
                levels,
                lengths,
                MARKERS[number % len(MARKERS)],
                markeredgecolor=colour,
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
        return save_figure(figure, path_stem)
