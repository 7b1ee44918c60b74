"""The state diagram of a program as a picture."""

from io import StringIO
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle

from nhc.domains.protocol import BRANCHING, NOP
from nhc.program.diagram import Diagram, Edge, Node, node_lines
from nhc.program.table import Phase
from nhc.runs.figure import COLOURS, GREY, POINTS, lighten, new_figure, style
from nhc.runs.palette import INK, NOTHING
from nhc.shapes import NONE

SIZE, LINE, CHARACTER = 9.0, 12.0, 0.61
"""Points of the font and between lines; width of a sign in units of the font size, as in DejaVu Sans Mono."""
SMALLEST = 5.0
"""Points of a font that can be read in print."""
LIGHT = 0.82
LEGEND = (
    "Box: the word under the cursor, the last operation, and what the next tick does.",
    "Solid arrows: the goal was not met; dashed arrows: the goal was met.",
    "first W: the first cell with the word W; next, previous: the cell added after, before the cursor;",
    "child: the cell that this tick adds; parent: where the cursor was when this cell was added.",
)


class Spacing(NamedTuple):
    """Points between boxes, around the picture, and above the boxes for title and long arrows."""

    gap: float
    margin: float
    top: float


WIDE, TIGHT = Spacing(54.0, 18.0, 150.0), Spacing(24.0, 3.0, 44.0)
"""For a page of its own, and for a column of a paper."""


class Box(NamedTuple):
    """A rectangle in points, from the upper left corner of the picture."""

    x: float
    y: float
    width: float
    height: float


def placed(picture: Diagram, room: Spacing = WIDE) -> dict[str, Box]:
    """The start, a column for each operation of an expansion, below them the way back and the end."""
    boxes: dict[str, Box] = {}
    x, bottom = room.margin, room.top
    for op in range(NONE, BRANCHING):
        y, width = room.top, 0.0
        for node in (node for node in picture.nodes if node.op == op):
            boxes[node.key] = _box(node, x, y)
            y, width = y + boxes[node.key].height + room.gap / 2, max(width, boxes[node.key].width)
        x, bottom = x + width + room.gap, max(bottom, y)
    x = boxes[picture.nodes[0].key].width + 2 * room.gap
    for node in (node for node in picture.nodes if node.op == NOP):
        boxes[node.key] = _box(node, x, bottom + room.gap)
        label = max((len(edge.label) for edge in picture.edges if edge.source == node.key), default=0)
        x += boxes[node.key].width + 2 * room.gap + label * CHARACTER * SIZE
    return boxes


def _box(node: Node, x: float, y: float) -> Box:
    lines = node_lines(node)
    return Box(x, y, max(map(len, lines)) * CHARACTER * SIZE + 12, len(lines) * LINE + 10)


def svg_text(picture: Diagram, title: str) -> str:
    """The picture as a complete SVG document; equal diagrams and titles give equal text."""
    with style():
        figure, text = page_figure(picture, title), StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None, "Title": title})
    return text.getvalue()


def page_figure(picture: Diagram, title: str) -> Figure:
    """With title and notes, as large as it gets."""
    figure, axes = _drawn(picture, WIDE, 1.0)
    # Below the boxes' text, for the SVG to begin with it.
    for down, text, size, weight in ((8, title, 14.0, "bold"), (18, "\n".join(LEGEND), SIZE, "normal")):
        ink, place = (INK, "baseline") if weight == "bold" else (GREY, "top")
        axes.text(WIDE.margin, WIDE.margin + down, text, fontsize=size, weight=weight, color=ink, va=place,
                  family="monospace", parse_math=False, zorder=2.5)  # fmt: skip
    return figure


def diagram_figure(picture: Diagram, *, width: float) -> Figure | None:
    """The diagram alone, so many inches wide; None if its text would be too small to be read."""
    scale = width * POINTS / _extent(placed(picture, TIGHT), TIGHT)[0]
    if SIZE * scale < SMALLEST:
        return None
    with style():
        figure, _ = _drawn(picture, TIGHT, min(scale, 1.0), width)
        return figure


def _extent(boxes: dict[str, Box], room: Spacing) -> tuple[float, float]:
    """Width and height of everything."""
    corners = [(box.x + box.width, box.y + box.height) for box in boxes.values()]
    return max(x for x, _ in corners) + room.margin, max(y for _, y in corners) + room.margin


def _drawn(picture: Diagram, room: Spacing, scale: float, width: float | None = None) -> tuple[Figure, Axes]:
    """Boxes and arrows; the axes count points, of which `scale` are one on paper."""
    boxes = placed(picture, room)
    across, down = _extent(boxes, room)
    across = across if width is None else width * POINTS / scale
    figure = new_figure(across * scale / POINTS, down * scale / POINTS)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, across), ylim=(down, 0))
    axes.set_axis_off()
    for node in picture.nodes:
        x, y, *size = boxes[node.key]
        axes.add_patch(Rectangle((x, y), *size, ec=INK, fc=_shade(node.op), lw=scale, zorder=2))
        for number, line in enumerate(node_lines(node)):
            weight = "bold" if number < len(node.title) else "normal"
            place = (x + 6, y + 5 + LINE * (number + 0.5))
            axes.text(*place, line, fontsize=SIZE * scale, va="center", weight=weight, family="monospace")
    for edge in picture.edges:
        _draw_arrow(axes, edge, boxes, scale)
    return figure, axes


def _shade(op: int) -> object:
    """Of a box by the last operation: none, up, nop, or another."""
    if op == NONE:
        return NOTHING
    return lighten(COLOURS[{0: 2, NOP: 0}.get(op, 1)], LIGHT)


def _draw_arrow(axes: Axes, edge: Edge, boxes: dict[str, Box], scale: float) -> None:
    """To the right straight, back in a bow above the boxes, downwards from below a box to above the other."""
    a, b = boxes[edge.source], boxes[edge.target]
    rad = 0.0
    if edge.source == edge.target:
        start, end, rad = (a.x, a.y + a.height - 16), (a.x, a.y + 16), -1.2
    elif a.y >= b.y + b.height or (b.x <= a.x and a.y < b.y + b.height and b.y < a.y + a.height):
        start, end, rad = (a.x + a.width / 2, a.y), (b.x + b.width / 2, b.y), 0.12
    elif b.y >= a.y + a.height and b.x < a.x + a.width + TIGHT.gap / 2:
        start, end = (a.x + a.width / 2, a.y + a.height), (b.x + b.width / 2, b.y)
    else:
        down = min(a.height, b.height) / 3
        start, end = (a.x + a.width, a.y + down), (b.x, b.y + down)
    style = "solid" if edge.phase is Phase.SEARCH else (0, (5, 3))
    name = f"arrow-{edge.source}-{edge.target}-{edge.phase.name.lower()}"
    arrow = FancyArrowPatch(
        start,
        end,
        arrowstyle="-|>",
        connectionstyle=f"arc3,rad={rad}",
        shrinkA=0,
        shrinkB=0,
        mutation_scale=11 * scale,
        linewidth=scale,
        color=INK,
        linestyle=style,
        gid=name,
    )
    axes.add_patch(arrow)
    if edge.label:
        place = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2 + 3)
        axes.text(
            *place, edge.label, fontsize=SIZE * scale, color=GREY, ha="center", va="top", family="monospace"
        )
