"""A state on its way through the data modules, in the style of the paper's Figure 6: boards and bits."""

from collections.abc import Mapping
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from nhc.experiments.fields import field, listed, tables, whole, wholes
from nhc.experiments.job import Record
from nhc.runs.figure import COLOURS, GREY, new_figure, save_figure, style
from nhc.supervised.workflow_svg import INK, fill_of

WIDTH, HEIGHT = 7.4, 3.5
PLAIN = "#. "
"""Signs that their colour shows well enough."""
STAGES = ("Transform_D", "ALU", "Output")
BIT, APART = 0.0125, 0.006
"""Of the width of the picture: a bit, and the space between two groups of bits."""


def draw_workflow(result: Record, *, path_stem: Path) -> tuple[Path, Path]:
    """Write `<stem>.png` and `<stem>.svg` from the record of a workflow run.

    Raises ConfigError (`run.damaged`), StorageError (`storage.write`).
    """
    boards, bits, columns = tables(result, "boards"), tables(result, "bits"), whole(result, "columns")
    share = 1 / (len(boards) + 0.45 * (len(boards) - 1))
    with style():
        figure = new_figure(WIDTH, HEIGHT)
        for number, board in enumerate(boards):
            left = 0.02 + 0.96 * number * 1.45 * share
            axes = figure.add_axes((left, 0.47, 0.96 * share, 0.43))
            _draw_board(axes, board, columns)
            if number:
                at = left - 0.96 * 0.225 * share
                figure.text(at, 0.66, "→", fontsize=15, ha="center", va="center", color=INK)
                figure.text(at, 0.735, STAGES[number - 1], fontsize=6.5, ha="center", color=GREY)
        rows = figure.add_axes((0.02, 0.01, 0.96, 0.40))
        rows.set_axis_off()
        rows.set_xlim(0, 1)
        rows.set_ylim(len(bits), 0)
        for number, row in enumerate(bits):
            _draw_bits(rows, row, number)
        figure.text(0.02, 0.965, field(result, "title", str), fontsize=9, va="center")
        return save_figure(figure, path_stem)


def _draw_board(axes: Axes, board: Mapping[str, object], columns: int) -> None:
    signs = [str(sign) for sign in listed(board, "signs")]
    axes.set_title(field(board, "caption", str), fontsize=8, loc="left")
    axes.set_axis_off()
    axes.set_aspect("equal")
    axes.set_xlim(-0.1, columns + 0.1)
    axes.set_ylim(-(-len(signs) // columns) + 0.1, -0.1)
    for cell, sign in enumerate(signs):
        y, x = divmod(cell, columns)
        axes.add_patch(Rectangle((x, y), 1, 1, fc=fill_of(sign), ec="0.65", lw=0.5))
        if sign not in PLAIN:
            text = axes.text(x + 0.5, y + 0.53, sign, size=8, ha="center", va="center", color=INK)
            text.set_parse_math(False)  # A box is a dollar sign, which would begin a formula.
    for cell in wholes(board, "marked"):
        y, x = divmod(cell, columns)
        axes.add_patch(Rectangle((x, y), 1, 1, fill=False, ec=COLOURS[1], lw=1.6, zorder=3))


def _draw_bits(axes: Axes, row: Mapping[str, object], number: int) -> None:
    """Black is 1; long rows are drawn narrower, so that each has one line."""
    groups = [str(group) for group in listed(row, "groups")]
    axes.text(0, number + 0.5, field(row, "name", str), size=7, va="center")
    width = sum(map(len, groups)) * BIT + (len(groups) - 1) * APART
    scale = min(1.0, 0.948 / width)
    x = 0.05
    for group in groups:
        for bit in group:
            fill = INK if bit == "1" else "white"
            place = (x, number + 0.2)
            axes.add_patch(Rectangle(place, BIT * scale, 0.6, fc=fill, ec="0.65", lw=0.3))
            x += BIT * scale
        x += APART * scale
