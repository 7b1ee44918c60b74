"""State diagrams as SVG; no other program is needed to draw them."""

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from nhc.program.control import Phase
from nhc.program.diagram import END, Diagram, Node
from nhc.program.diagram_layout import END_RADIUS, INK, Layout, Path, Point, Text, column_of, layout

FONT = "DejaVu Sans Mono, Menlo, Consolas, Liberation Mono, monospace"
FILLS = ("#eef1f4", "#dcefdc", "#fdebd0", "#fdebd0", "#fdebd0", "#dbe9f6")
"""Titles by column: start, fresh, expanding, way back."""
SHADES = {Phase.SEARCH: "white", Phase.BACK: "#f4f6fb"}
ARROW = 8.0


def svg_text(picture: Diagram, title: str) -> str:
    """The picture of a minimal listing's diagram, a complete SVG document; equal diagrams give equal text."""
    placed = layout(picture, title)
    size = f'width="{placed.width:g}" height="{placed.height:g}"'
    box = f'viewBox="0 0 {placed.width:g} {placed.height:g}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} font-family="{FONT}">',
        f"<title>{escape(title)}</title>",
        f'<rect {size} fill="white"/>',
        *(line for node in picture.nodes for line in _node_svg(node, placed)),
        *_arrows_svg(placed.paths),
        *(_text_svg(text) for text in placed.texts),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _arrows_svg(paths: Sequence[Path]) -> Iterator[str]:
    """Lines and arrowheads; what several arrows share is drawn once, or dashes would fill each other."""
    for phase in Phase:
        of_phase = [path for path in paths if path.phase is phase]
        dashes = "" if phase is Phase.SEARCH else ' stroke-dasharray="6 4"'
        for a, b in joined_pieces(of_phase):
            line = f'x1="{a.x:g}" y1="{a.y:g}" x2="{b.x:g}" y2="{b.y:g}"'
            yield f'<line {line} stroke="{INK}" stroke-width="1.4"{dashes}/>'
    for before, tip in dict.fromkeys(path.points[-2:] for path in paths):
        yield f'<polygon points="{_head(before, tip)}" fill="{INK}"/>'


def joined_pieces(paths: Sequence[Path]) -> list[tuple[Point, Point]]:
    """The straight pieces of all paths, overlapping ones joined."""
    rows: dict[tuple[bool, float], list[tuple[float, float]]] = {}
    for path in paths:
        for a, b in zip(path.points, path.points[1:], strict=False):
            level = a.y == b.y
            ends = sorted((a.x, b.x) if level else (a.y, b.y))
            rows.setdefault((level, a.y if level else a.x), []).append((ends[0], ends[1]))
    pieces = []
    for (level, at), spans in rows.items():
        joined: list[tuple[float, float]] = []
        for low, high in sorted(spans):
            if joined and low <= joined[-1][1]:
                joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
            else:
                joined.append((low, high))
        pieces += [(Point(x, at), Point(y, at)) if level else (Point(at, x), Point(at, y)) for x, y in joined]
    return pieces


def _head(before: Point, tip: Point) -> str:
    length = abs(tip.x - before.x) + abs(tip.y - before.y)
    dx, dy = ARROW * (tip.x - before.x) / length, ARROW * (tip.y - before.y) / length
    sides = [(tip.x - dx - side * dy / 2, tip.y - dy + side * dx / 2) for side in (1, -1)]
    return " ".join(f"{x:g},{y:g}" for x, y in [tip, *sides])


def _node_svg(node: Node, placed: Layout) -> Iterator[str]:
    box, line = placed.boxes[node.key], f'stroke="{INK}" stroke-width="1.2"'
    if node.key == END:
        for radius in (END_RADIUS, END_RADIUS - 4):
            place = f'cx="{box.x + END_RADIUS:g}" cy="{box.y + END_RADIUS:g}" r="{radius:g}"'
            yield f'<circle {place} fill="white" {line}/>'
        return
    fill = FILLS[column_of(node)]
    shades = [(box, fill), *((placed.parts[node.key, p.phase], SHADES[p.phase]) for p in node.parts)]
    for part, shade in shades:
        size = f'width="{part.width:g}" height="{part.height:g}"'
        yield f'<rect x="{part.x:g}" y="{part.y:g}" {size} fill="{shade}" {line}/>'


def _text_svg(text: Text) -> str:
    weight = ' font-weight="bold"' if text.bold else ""
    place = f'x="{text.x:g}" y="{text.y:g}" font-size="{text.size:g}" fill="{text.colour}"'
    return f"<text {place}{weight}>{escape(text.text)}</text>"
