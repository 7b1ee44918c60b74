"""The paper's Figure 4: fitness over the curriculum of other worlds, each world drawn beside its curve."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from nhc.runs.figure import GREY, level_colour, lighten, new_figure, save_figure, style

WIDTH, ROW_HEIGHT, MARGIN = 7.2, 1.45, 0.75


class Panel(NamedTuple):
    """One world."""

    title: str
    world: str
    """A state of it as text."""
    level: NDArray[np.int64]
    fitness: NDArray[np.float64]
    maximum: float
    behind: dict[int, int]
    """Levels that the world lacks, with those in their place."""
    note: str
    """Samples and mistakes."""


def draw_transfer(panels: list[Panel], path_stem: Path) -> tuple[Path, Path]:
    """Write `<stem>.png` and `<stem>.svg`. Raises StorageError (`storage.write`)."""
    with style():
        figure = new_figure(WIDTH, MARGIN + ROW_HEIGHT * len(panels))
        grid = figure.add_gridspec(
            len(panels), 2, width_ratios=(1, 4.6), left=0.01, right=0.965, wspace=0.16, hspace=0.7
        )
        grid.update(top=1 - 0.32 / figure.get_figheight(), bottom=0.45 / figure.get_figheight())
        for row, panel in enumerate(panels):
            _draw_world(figure.add_subplot(grid[row, 0]), panel.world)
            axes = figure.add_subplot(grid[row, 1])
            _draw_fitness(axes, panel)
            if row == len(panels) - 1:
                axes.set_xlabel("iteration (20 samples)")
        return save_figure(figure, path_stem)


def _draw_world(axes: Axes, world: str) -> None:
    axes.set_axis_off()
    font = {"family": "monospace", "size": 9}
    text = axes.text(0.5, 0.5, world, font, ha="center", va="center", ma="left", transform=axes.transAxes)
    text.set_parse_math(False)  # A box in Sokoban is a dollar sign, which would begin a formula.


def _draw_fitness(axes: Axes, panel: Panel) -> None:
    """Light where all samples were right, strong where some were not."""
    axes.set_title(f"{panel.title}: {panel.note}", loc="left")
    iteration = np.arange(1, len(panel.level) + 1)
    axes.axhline(panel.maximum, color=GREY, linewidth=0.6, linestyle=(0, (4, 3)), zorder=1)
    for level in np.unique(panel.level).tolist():
        at = panel.level == level
        colour = level_colour(level)
        axes.plot(iteration[at], panel.fitness[at], color=lighten(colour), linewidth=2.0, zorder=2)
        below = at & (panel.fitness < panel.maximum)
        axes.plot(iteration[below], panel.fitness[below], ".", color=colour, markersize=2, zorder=3)
        middle = iteration[at][: 250 if level == panel.level.max() else None].mean()
        name = f"{level}*" if level in panel.behind else str(level)
        axes.text(middle, panel.maximum * 1.04, name, color=colour, size=5.5, ha="center", va="bottom")
    axes.set_ylim(0, panel.maximum * 1.15)
    axes.set_xlim(0, len(iteration))
    axes.set_ylabel("fitness")
    axes.yaxis.set_major_locator(MaxNLocator(4, integer=True))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    if panel.behind:
        text = "* has no tasks of its own, the nearest lower level takes its place"
        axes.text(1, 0.04, text, size=6, color=GREY, ha="right", transform=axes.transAxes)
