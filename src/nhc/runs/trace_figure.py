"""What a machine did with its memory: for each tick the cell that was read, and the operation chosen."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from nhc.runs.figure import COLOURS, GREY, new_figure, style
from nhc.runs.trace import Trace

WIDTH, HEIGHT = 6.4, 3.4
LARGEST, SMALLEST = 6.0, 0.6
"""Points of a mark: as large as there is room for."""
AREA = (0.09, 0.15, 0.72, 0.72)


def trace_figure(trace: Trace, title: str) -> Figure:
    """The picture of a run."""
    with style():
        figure = new_figure(WIDTH, HEIGHT)
        axes = figure.add_axes(AREA)
        draw_reads(axes, trace)
        figure.text(AREA[0], 0.93, title, fontsize=9, va="center").set_parse_math(False)
        axes.legend(
            loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=7, title="operation"
        )
        return figure


def draw_reads(axes: Axes, trace: Trace) -> None:
    """Ticks to the right, cells upwards; the cell that is new at a tick in grey."""
    tick = np.arange(1, trace.ticks + 1)
    size = float(np.clip(300 / trace.ticks, SMALLEST, LARGEST))
    axes.plot(tick, trace.written, color=GREY, linewidth=0.6, label="cell written")
    for number, name in enumerate(trace.ops):
        chosen = trace.op == number
        if chosen.any():
            colour = COLOURS[number % len(COLOURS)]
            axes.plot(tick[chosen], trace.read[chosen], "s", markersize=size, mew=0, color=colour, label=name)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("tick")
    axes.set_ylabel("cell read")
    axes.set_xlim(0.5, trace.ticks + 0.5)
