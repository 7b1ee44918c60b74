"""Where boxes, texts and arrows of a state diagram stand, for what programs of this machine look like.

The start, then a column for each operation of the expansion of a node, below them the way back and the
end. Arrows run between the columns and rows, so that none crosses a box or a text.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from nhc.domains.protocol import NOP
from nhc.program.control import Phase
from nhc.program.diagram import CAPTIONS, END, Diagram, Edge, Node

CHARACTER = 0.61
"""Width of a sign in units of the font size: the common monospace fonts have 0.6."""
SIZE, TITLE_SIZE, LINE = 12.0, 16.0, 16.0
PADDING, BAND = 10.0, 8.0
GAP, ROW_GAP, MARGIN = 60.0, 26.0, 24.0
BUS = 26.0
"""Height of the free strips above and below the columns, where long arrows run."""
END_RADIUS, LOOP = 20.0, 22.0
COLUMNS = NOP + 1
"""The start and the four operations; the way back and the end stand below."""
INK, GREY = "#222", "#667"
LEGEND = (
    "Box: the word of the cell read last (the cursor), the last operation, and what the next tick does.",
    "Solid arrows: the goal was not met; dashed arrows: the goal was met.",
)
KEY = {
    "first": "first W: the first cell with the word W",
    "next": "next: the cell added after the cursor",
    "previous": "previous: the cell added before the cursor",
    "child": "child: the cell that this tick adds",
    "parent": "parent: where the cursor was when this cell was added",
}


class Point(NamedTuple):
    """A place in the picture."""

    x: float
    y: float


class Box(NamedTuple):
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height


class Text(NamedTuple):
    """One line of text; `x`, `y` are the start of its base line."""

    x: float
    y: float
    text: str
    size: float = SIZE
    bold: bool = False
    colour: str = INK

    @property
    def box(self) -> Box:
        """The space that it takes."""
        return Box(self.x, self.y - self.size, len(self.text) * CHARACTER * self.size, 1.25 * self.size)


class Path(NamedTuple):
    """An arrow along horizontal and vertical pieces."""

    points: tuple[Point, ...]
    phase: Phase


@dataclass
class Layout:
    """Where everything stands."""

    boxes: dict[str, Box] = field(default_factory=dict)
    """By node."""
    parts: dict[tuple[str, Phase], Box] = field(default_factory=dict)
    """The compartments of the boxes, below the title."""
    texts: list[Text] = field(default_factory=list)
    paths: list[Path] = field(default_factory=list)
    width: float = 0.0
    height: float = 0.0


def layout(picture: Diagram, title: str) -> Layout:
    """Places for boxes, texts and arrows."""
    placed = Layout()
    placed.texts.append(Text(MARGIN, MARGIN + TITLE_SIZE, title, TITLE_SIZE, bold=True))
    notes = [*LEGEND, *_key(picture)]
    for number, line in enumerate(notes):
        placed.texts.append(Text(MARGIN, MARGIN + 40 + LINE * number, line, colour=GREY))
    top = MARGIN + 36 + LINE * len(notes) + BUS
    columns, bottom = _place_columns(picture, placed, top)
    placed.height = _place_below(picture, placed, columns[2], bottom + BUS) + MARGIN
    for edge in picture.edges:
        placed.paths.append(_path(picture, placed, edge, top - BUS / 2, bottom + BUS / 2))
    placed.width = max(_extents(placed)) + MARGIN
    return placed


def _key(picture: Diagram) -> list[str]:
    """What the ways to read mean that the picture mentions, two a line."""
    lines = [line for node in picture.nodes for part in node.parts for line in part.lines]
    words = {word for line in lines if not line.startswith(("mark", "add", "do")) for word in line.split()}
    notes = [note for word, note in KEY.items() if word in words]
    return ["; ".join(notes[first : first + 2]) + "." for first in range(0, len(notes), 2)]


def _extents(placed: Layout) -> Iterable[float]:
    yield from (box.right for box in placed.boxes.values())
    yield from (text.box.right for text in placed.texts)
    yield from (point.x for path in placed.paths for point in path.points)


def column_of(node: Node) -> int:
    """0 for the start, 1 to 4 for the operations, `COLUMNS` for what stands below."""
    return node.op + 1


def _place_columns(picture: Diagram, placed: Layout, top: float) -> tuple[list[float], float]:
    """Returns the left edges of the columns and the lower edge of all."""
    expanding = [node for node in picture.nodes if 0 < column_of(node) < COLUMNS]
    x, edges, bottom = MARGIN, [], top
    for column in range(COLUMNS):
        nodes = [node for node in picture.nodes if column_of(node) == column]
        y, width = top, max(map(_width, nodes if column == 0 else expanding), default=0.0)
        for node in nodes:
            y = _place(node, placed, x, y, width).bottom + ROW_GAP
        bottom = max(bottom, y - ROW_GAP)
        edges.append(x)
        x += width + GAP
    return edges, bottom


def _place_below(picture: Diagram, placed: Layout, x: float, top: float) -> float:
    """The way back and the end; returns the lower edge."""
    bottom = top + 2 * END_RADIUS
    for node in picture.nodes:
        if column_of(node) == COLUMNS and node.key != END:
            box = _place(node, placed, x, top, _width(node))
            bottom = max(bottom, box.bottom)
            label = max((len(edge.label) for edge in picture.edges if edge.source == node.key), default=0)
            x = box.right + LOOP + label * CHARACTER * SIZE + 2 * PADDING
    middle = (top + bottom) / 2
    placed.boxes[END] = Box(x, middle - END_RADIUS, 2 * END_RADIUS, 2 * END_RADIUS)
    width = len(END) * CHARACTER * SIZE
    placed.texts.append(Text(x + END_RADIUS - width / 2, middle + SIZE / 3, END, bold=True))
    for edge in picture.edges:
        if edge.label:
            right = placed.boxes[edge.source].right
            placed.texts.append(Text(right + PADDING, middle - SIZE / 2, edge.label, colour=GREY))
    return bottom


def _width(node: Node) -> float:
    lines = [*node.title, *(line for part in node.parts for line in _part_lines(node, part.phase))]
    return max(map(len, lines)) * CHARACTER * SIZE + 2 * PADDING


def _part_lines(node: Node, phase: Phase) -> list[str]:
    """What a compartment says, with a caption unless it is the only one."""
    lines = next(part.lines for part in node.parts if part.phase is phase)
    return [f"{CAPTIONS[phase]}:", *lines] if len(node.parts) > 1 else list(lines)


def _place(node: Node, placed: Layout, x: float, y: float, width: float) -> Box:
    """A box: its title, and a compartment for each part."""
    below = _place_lines(placed, node.title, x, y, bold=True)
    for part in node.parts:
        above, below = below, _place_lines(placed, _part_lines(node, part.phase), x, below)
        placed.parts[node.key, part.phase] = Box(x, above, width, below - above)
    placed.boxes[node.key] = Box(x, y, width, below - y)
    return placed.boxes[node.key]


def _place_lines(placed: Layout, lines: Sequence[str], x: float, y: float, *, bold: bool = False) -> float:
    y += BAND / 2
    for line in lines:
        text = line.lstrip()
        indent = (len(line) - len(text)) * CHARACTER * SIZE
        colour = GREY if text.endswith(":") else INK
        placed.texts.append(Text(x + PADDING + indent, y + SIZE, text, bold=bold, colour=colour))
        y += LINE
    return y + BAND / 2


def _lane(picture: Diagram, edge: Edge) -> float:
    """Where in the gap an arrow to the next column runs, as a share: each target has a place of its own."""
    column = column_of(picture.node(edge.target))
    targets = [node.key for node in picture.nodes if column_of(node) == column]
    return 0.4 + 0.2 * targets.index(edge.target) / max(1, len(targets) - 1)


def _path(picture: Diagram, placed: Layout, edge: Edge, above: float, below: float) -> Path:
    source, target = (column_of(picture.node(key)) for key in edge[:2])
    a, b = placed.boxes[edge.source], placed.boxes[edge.target]
    leave = placed.parts[edge.source, edge.phase]
    y, entry = leave.y + leave.height / 2, b.y + BAND / 2 + LINE / 2
    corners: list[tuple[float, float]]
    if edge.source == edge.target:
        corners = [(a.x, y + LINE), (a.x - LOOP, y + LINE), (a.x - LOOP, y - LINE), (a.x, y - LINE)]
    elif source == COLUMNS:
        corners = [(a.right, b.y + b.height / 2), (b.x, b.y + b.height / 2)]
    elif target == COLUMNS:
        lane, x = a.right + 0.25 * GAP, b.x + b.width / 2
        corners = [(a.right, y), (lane, y), (lane, below), (x, below), (x, b.y)]
    elif target > source:
        lane = b.x - GAP + _lane(picture, edge) * GAP
        corners = [(a.right, y), (lane, y), (lane, entry), (b.x, entry)]
    else:
        out, back = a.right + 0.6 * GAP, b.x - 0.3 * GAP
        corners = [(a.right, y), (out, y), (out, above), (back, above), (back, entry), (b.x, entry)]
    return Path(tuple(Point(*corner) for corner in corners), edge.phase)
