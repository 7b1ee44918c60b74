"""One task tick by tick, in the style of the paper's Figure 5: tree, boards, operations, attentions."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from nhc.algorithms.tree.nodes import child, parent, path
from nhc.experiments.job import Record, listed, whole, wholes
from nhc.machine.layout import MECHANISMS
from nhc.runs.figure import COLOURS, GREY, new_figure, save_figure, style

WIDTH, HEIGHT = 7.4, 6.2
LEFT, RIGHT = 0.16, 0.985
SIGNS = ("↑", "→", "↓", "←", "nop")
SEARCH, BACK = COLOURS[0], COLOURS[1]


def draw_behaviour(result: Record, *, stem: Path) -> Path:
    """Write `<stem>.png` and `<stem>.svg` from the record of a behaviour run; returns the PNG file.

    Raises ConfigError (`run.damaged`) and StorageError (`storage.write`).
    """
    op, read, met, winner = (np.array(wholes(result, name)) for name in ("op", "read", "met", "winner"))
    met = met.astype(bool)
    boards, goal = [str(board) for board in listed(result, "boards")], whole(result, "goal")
    with style():
        figure = new_figure(WIDTH, HEIGHT)
        _draw_tree(_axes(figure, 0.64, 0.30), goal, int((~met).sum()))
        ticks = _axes(figure, 0.06, 0.50)
        _draw_ticks(ticks, np.array(result["shares"]), winner, met)
        _draw_rows(ticks, op, read, boards)
        title = f"A Level 3 task: the goal is node {goal}, {len(op)} ticks"
        figure.text(0.012, 0.968, title, fontsize=9, va="center")
        return save_figure(figure, stem)[0]


def _axes(figure: Figure, bottom: float, height: float) -> Axes:
    return figure.add_axes((LEFT, bottom, RIGHT - LEFT, height))


def _draw_tree(axes: Axes, goal: int, generated: int) -> None:
    """The nodes that were generated, the way from the start to the goal strong."""
    nodes = range(generated + 1)
    last = parent(generated)
    depth = {node: len(path(node)) - 1 for node in nodes}
    leaves = [node for node in nodes if node > last]
    place = {node: float(number) for number, node in enumerate(_left_to_right(leaves))}
    for node in reversed([node for node in nodes if node <= last]):
        below = [place[one] for one in (child(node, op) for op in range(4)) if one in place]
        place[node] = sum(below) / len(below) if below else 0.0
    way = set(path(goal))
    axes.set_axis_off()
    for node in nodes:
        strong = node in way
        if node:
            above = parent(node)
            x, y = (place[above], place[node]), (-depth[above], -depth[node])
            colour = BACK if strong else "0.6"
            axes.plot(x, y, color=colour, linewidth=1.6 if strong else 0.7, zorder=1)
            # Near the child, where the edges of one parent are apart.
            middle = (0.35 * x[0] + 0.65 * x[1], 0.35 * y[0] + 0.65 * y[1])
            box = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
            axes.text(
                *middle, SIGNS[(node - 1) % 4], size=7, ha="center", va="center", color=colour, bbox=box
            )
        face = BACK if strong else "white"
        at = (place[node], -depth[node])
        edge, ink = (BACK, "white") if strong else ("0.45", "0.2")
        axes.plot(*at, "o", markersize=13, mfc=face, mec=edge, zorder=2)
        axes.text(*at, f"{node}", size=6.5, ha="center", va="center", color=ink, zorder=3)
    axes.set_xlim(-0.7, len(leaves) - 0.3)
    axes.set_ylim(-max(depth.values()) - 0.35, 0.35)
    text = "numbers: the tick that made the node\norange: way to the goal"
    axes.text(0.0, 1.0, text, size=6.5, color=GREY, va="top", transform=axes.transAxes)


def _left_to_right(leaves: list[int]) -> list[int]:
    return sorted(leaves, key=lambda node: list(reversed(path(node))))


def _draw_ticks(axes: Axes, shares: np.ndarray, winner: np.ndarray, met: np.ndarray) -> None:
    """The five attentions over time, and the phases."""
    ticks, mechanisms = shares.shape
    axes.imshow(shares.T, cmap="Greys", vmin=0, vmax=1, aspect="auto", origin="upper",
                extent=(0.5, ticks + 0.5, mechanisms - 0.5, -0.5))  # fmt: skip
    for tick in range(ticks):
        colour = BACK if met[tick] else SEARCH
        corner = (tick + 0.54, winner[tick] - 0.46)
        axes.add_patch(Rectangle(corner, 0.92, 0.92, fill=False, edgecolor=colour, lw=1.8))
    axes.set_yticks(range(mechanisms), MECHANISMS)
    axes.set_xticks(range(1, ticks + 1))
    axes.set_xlabel("tick")
    axes.set_xlim(0.5, ticks + 0.5)
    axes.set_ylim(mechanisms - 0.5, -7.4)
    axes.tick_params(length=0)
    axes.spines["left"].set_visible(False)
    searching = int((~met).sum())
    axes.axvline(searching + 0.5, color=GREY, linestyle=(0, (4, 3)), linewidth=0.9)
    for first, last, name, colour in (
        (0.5, searching + 0.5, "search", SEARCH),
        (searching + 0.5, ticks + 0.5, "backtrack", BACK),
    ):
        axes.plot((first + 0.1, last - 0.1), (-6.6, -6.6), color=colour, linewidth=2.5, solid_capstyle="butt")
        axes.text((first + last) / 2, -6.9, name, color=colour, size=8, ha="center", va="bottom")


def _draw_rows(axes: Axes, op: np.ndarray, read: np.ndarray, boards: list[str]) -> None:
    """Above the attentions: the configuration that was read, its node, and the operation chosen."""
    for tick, board in enumerate(boards, start=1):
        again = tick > 1 and read[tick - 1] == read[tick - 2]
        font = {"family": "monospace", "size": 4.6}
        text = axes.text(tick, -5.0, board, font, ha="center", va="center", color="0.7" if again else "black")
        text.set_parse_math(False)  # A box is a dollar sign, which would begin a formula.
        axes.text(tick, -2.7, f"{read[tick - 1]}", size=7, ha="center", va="center")
        axes.text(tick, -1.5, SIGNS[op[tick - 1]], size=8, ha="center", va="center")
    for height, name in ((-5.0, "configuration"), (-2.7, "node read"), (-1.5, "operation")):
        axes.text(0.3, height, name, size=8, ha="right", va="center")
