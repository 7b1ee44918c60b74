"""What a machine did with its memory: for each tick the cell that was read, and the operation chosen."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from nhc.runs.figure import COLOURS, GREY, WIDTH, new_figure, style
from nhc.runs.trace import Trace

HEIGHT = 3.2
LARGEST, SMALLEST = 6.0, 0.6
"""Points of a mark: as large as there is room for."""
SHAPES = "s^oDvP"
"""Of operations: nobody needs the colours."""
LEFT, RIGHT, BELOW, TITLE, UNTITLED = 0.55, 1.0, 0.5, 0.35, 0.06
"""Inches around the plot; at the right is the legend."""


def trace_figure(trace: Trace, title: str = "", *, width: float = WIDTH, first: int = 1) -> Figure:
    """The picture of a run, or of a part of one that begins at tick `first`."""
    up = HEIGHT - BELOW - (TITLE if title else UNTITLED)
    with style():
        figure = new_figure(width, HEIGHT)
        axes = figure.add_axes((LEFT / width, BELOW / HEIGHT, (width - LEFT - RIGHT) / width, up / HEIGHT))
        draw_reads(axes, trace, first)
        figure.text(LEFT / width, 1 - TITLE / 2 / HEIGHT, title, fontsize=9, va="center", parse_math=False)
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=7)
        return figure


def draw_reads(axes: Axes, trace: Trace, first: int) -> None:
    """Ticks to the right, cells upwards; the cell that is new at a tick in grey."""
    tick = np.arange(trace.ticks) + first
    size = float(np.clip(300 / trace.ticks, SMALLEST, LARGEST))
    axes.plot(tick, trace.written, color=GREY, linewidth=0.6, label="cell written")
    for number, name in enumerate(trace.ops):
        chosen = trace.op == number
        if chosen.any():
            colour = COLOURS[number % len(COLOURS)]
            shape = SHAPES[number % len(SHAPES)]
            axes.plot(
                tick[chosen], trace.read[chosen], shape, markersize=size, mew=0, color=colour, label=name
            )
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("tick")
    axes.set_ylabel("cell read")
    axes.set_xlim(first - 0.5, first + trace.ticks - 0.5)
