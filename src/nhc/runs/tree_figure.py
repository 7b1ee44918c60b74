"""The tree that a search has grown, with the way to the goal."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from nhc.runs.behaviour import ARROWS, Tree
from nhc.runs.figure import COLOURS, GREY, MM, POINTS, WIDTH, axes_at, new_figure, style

LEVEL, NOTE, RIM = 12.0, 5.0, 2.0
"""Millimetres: from one depth to the next, of the note below, and around."""
WAY = COLOURS[1]
NODE, SMALLEST, NUMBERED, SIGNED = 13.0, 1.0, 7.5, 16.0
"""Points: of a node at most and at least, from where it has its number, and leaves apart for arrows."""


def tree_figure(tree: Tree, *, width: float = WIDTH) -> Figure:
    """The tree alone."""
    with style():
        figure = new_figure(width, (tree_height(tree) + 2 * RIM) * MM)
        draw_tree(figure, tree, RIM, RIM, width / MM - 2 * RIM)
        return figure


def tree_height(tree: Tree) -> float:
    """What it needs, in millimetres."""
    return LEVEL * (len(tree.levels()) - 0.5) + NOTE


def draw_tree(figure: Figure, tree: Tree, left: float, bottom: float, width: float) -> None:
    """Nodes by depth from above; the way to the goal filled and strong. In millimetres."""
    levels = tree.levels()
    place = _places(tree, levels)
    leaves = max(place.values()) + 1
    axes = axes_at(figure, left, bottom + NOTE, width, LEVEL * (len(levels) - 0.5))
    axes.set_axis_off()
    axes.set_xlim(-0.6, leaves - 0.4)
    axes.set_ylim(-len(levels) + 0.75, 0.25)
    depth = {node: -float(number) for number, row in enumerate(levels) for node in row}
    at = {node: (place[node], depth[node]) for node in depth}
    apart = width * MM * POINTS / (leaves + 0.2)
    size = float(np.clip(0.8 * apart, SMALLEST, NODE))
    way = set(tree.way)
    for strong in (False, True):
        nodes = [node for node in at if (node in way) == strong]
        edges = [(at[tree.parent[node]], at[node]) for node in nodes if node in tree.parent]
        colour, line = (WAY, 1.6) if strong else (GREY, float(np.clip(0.1 * apart, 0.15, 0.7)))
        axes.add_collection(LineCollection(edges, colors=[colour], linewidths=line, zorder=1))
        axes.plot(
            *zip(*(at[node] for node in nodes), strict=True) if nodes else ((), ()),
            "o",
            markersize=size,
            mfc=WAY if strong else "white",
            mec=colour,
            mew=min(1.0, 0.1 * size),
            zorder=2,
        )
    numbered, signed = size >= NUMBERED and len(at) <= 1000, apart >= SIGNED
    if numbered:
        for node, (x, y) in at.items():
            ink = "white" if node in way else "0.15"
            axes.text(x, y, f"{node}", size=size / 2, ha="center", va="center_baseline", color=ink, zorder=3)
    if signed:
        _draw_signs(axes, tree, at, way)
    notes = ["filled: the way to the goal"] if way else []
    notes += ["numbers: the order in which nodes were made"] if numbered else []
    notes += [] if signed else [f"below each node, from the left: {' '.join(ARROWS[:4])}"]
    axes.annotate("; ".join(notes), (0, 0), (0, -4), xycoords="axes fraction", textcoords="offset points",
                  size=6, color=GREY, va="top")  # fmt: skip


def _places(tree: Tree, levels: list[list[int]]) -> dict[int, float]:
    """Leaves side by side in the order of operations, other nodes above the middle of those below them."""
    below = tree.below()
    place: dict[int, float] = {}
    waiting, leaves = [0], 0
    while waiting:
        node = waiting.pop()
        if node in below:
            waiting += reversed(below[node])
        else:
            place[node], leaves = float(leaves), leaves + 1
    for row in reversed(levels):
        for node in row:
            if node in below:
                place[node] = sum(place[one] for one in below[node]) / len(below[node])
    return place


def _draw_signs(axes: Axes, tree: Tree, at: dict[int, tuple[float, float]], way: set[int]) -> None:
    """Operations on the edges: near the child, where the edges of one parent are apart."""
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
    for node, parent in tree.parent.items():
        if node in at:
            (x0, y0), (x1, y1) = at[parent], at[node]
            colour = WAY if node in way else GREY
            axes.text(0.38 * x0 + 0.62 * x1, 0.38 * y0 + 0.62 * y1, ARROWS[tree.op[node]], size=7,
                      ha="center", va="center", color=colour, bbox=box)  # fmt: skip
