"""The state diagram of a program: what the boxes and arrows are, as Graphviz text and as a picture.

A box stands for situations, told by the cursor's word and the last operation, in which the same happens;
it says what. Arrows lead to the situations that can follow.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, NamedTuple

from nhc.algorithms.tree.algorithm import TREES
from nhc.domains.protocol import BRANCHING, NOP, OPS
from nhc.program.compiled import CONTENT
from nhc.program.listing import START, Listing, Rule, Situation
from nhc.program.table import Phase
from nhc.program.text import do_text, read_lines
from nhc.shapes import NONE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHADES = ("#eef1f4", "#dcefdc", "#fdebd0", "#fdebd0", "#fdebd0", "#dbe9f6")
"""Of boxes by the last operation: none, up, right, down, left, nop."""
SIZE, LINE, CHARACTER = 9.0, 12.0, 0.61
"""Points of the font and between lines; width of a sign in units of the font size, as in DejaVu Sans Mono."""
GAP, MARGIN, TOP = 54.0, 18.0, 150.0
"""Points between boxes, around the picture, and above the boxes for title and long arrows."""
LEGEND = (
    "Box: the word under the cursor, the last operation, and what the next tick does.",
    "Solid arrows: the goal was not met; dashed arrows: the goal was met.",
    "first W: the first cell with the word W; next, previous: the cell added after, before the cursor;",
    "child: the cell that this tick adds; parent: where the cursor was when this cell was added.",
)

READ_WIDTH = 24
"""Longer reads go on in a new line."""
CAPTIONS = {Phase.SEARCH: "goal not met", Phase.BACK: "goal met"}
END = "end"
UNTIL = "the start was read"


class Part(NamedTuple):
    """What a box's situations do under one value of the signals."""

    phase: Phase
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Node:
    """A box."""

    key: str
    title: tuple[str, ...]
    parts: tuple[Part, ...]
    op: int
    """The last operation of its situations; NONE for the start, and `nop` for the end too."""


class Edge(NamedTuple):
    """An arrow, taken under the signals of `phase`."""

    source: str
    target: str
    phase: Phase
    label: str = ""


@dataclass(frozen=True)
class Diagram:
    """Boxes in reading order, and arrows."""

    task: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    def node(self, key: str) -> Node:
        """The box with a key. Raises KeyError."""
        return {node.key: node for node in self.nodes}[key]


Group = list[tuple[str, int]]
"""Words under the cursor, each with the last operation, in which the same happens."""


def diagram(rules: Listing) -> Diagram:
    """The diagram of a listing; of the minimised one it has six boxes or a few more."""
    groups = _groups(rules)
    keys = {situation: f"n{number}" for number, group in enumerate(groups) for situation in group}
    nodes = [_node(rules, f"n{number}", group) for number, group in enumerate(groups)]
    edges = [edge for group in groups for edge in _edges(rules, keys, group)]
    end = Node(END, (END,), (), NOP)
    return Diagram(rules.task, (*nodes, end), tuple(dict.fromkeys(edges)))


def _groups(rules: Listing) -> list[Group]:
    groups: dict[tuple[int, tuple[Rule | None, ...]], Group] = {}
    for word, op in dict.fromkeys((s.word, s.op) for s in rules.rules):
        what = tuple(rules.rules.get(Situation(phase, word, op)) for phase in Phase)
        groups.setdefault((op, what), []).append((word, op))
    return list(groups.values())


def _node(rules: Listing, key: str, group: Group) -> Node:
    (first, op), *others = group
    parts = [
        Part(phase, tuple(_rule_lines(rules.rules[Situation(phase, first, op)])))
        for phase in Phase
        if Situation(phase, first, op) in rules.rules
    ]
    if (first, op) == START[1:]:
        return Node(key, ("start",), tuple(parts), op)
    words = [first + ("," if others else ""), *(f"{word}," for word, _ in others[:-1])]
    words += [f"or {word}" for word, _ in others[-1:]]
    return Node(key, (*words, f"after {OPS[op]}"), tuple(parts), op)


def _rule_lines(rule: Rule) -> Sequence[str]:
    mark = [f"mark {rule.mark}"] if rule.mark else []
    return [*mark, f"add {rule.add}", *read_lines(rule.sources, READ_WIDTH), do_text(rule.choices)]


def _edges(rules: Listing, keys: dict[tuple[str, int], str], group: Group) -> list[Edge]:
    found: list[Edge] = []
    word, op = group[0]
    for phase in Phase:
        rule = rules.rules.get(Situation(phase, word, op))
        if rule is None:
            continue
        source = keys[group[0]]
        found += [Edge(source, keys[target], phase) for target in _following(rules, phase, rule)]
        if phase is Phase.BACK and not TREES[rules.task].backtracks:
            found.append(Edge(source, END, phase))
        elif phase is Phase.BACK and op == NOP:
            found.append(Edge(source, END, phase, UNTIL))
    return found


def _following(rules: Listing, phase: Phase, rule: Rule) -> list[tuple[str, int]]:
    """Words that can be read and operations that can be chosen, as far as the rule says."""
    ops = {choice.op for choice in rule.choices}
    known = all(source.mechanism == CONTENT for source in rule.sources)
    words = {word for source in rule.sources for word in source.words}
    return [
        (s.word, s.op)
        for s in rules.rules
        if s.phase is phase and s.op in ops and (not known or s.word in words) and s != START
    ]


def node_lines(node: Node) -> list[str]:
    """What a box says: its title, then what happens, under both values of the signals where it knows both."""
    lines = [*node.title]
    for part in node.parts:
        caption = [] if node.op < 0 else [f"-- {CAPTIONS[part.phase]}:"]
        lines += [*caption, *part.lines]
    return lines


def dot_text(picture: Diagram) -> str:
    """The diagram for Graphviz: solid arrows while the goal is not met, dashed ones afterwards."""
    lines = [
        f"digraph {picture.task} {{",
        "  rankdir=LR;",
        '  node [shape=box, style=rounded, fontname="monospace", fontsize=10];',
        '  edge [fontname="monospace", fontsize=9];',
    ]
    for node in picture.nodes:
        text = node_lines(node)
        label = "".join(f"{line}\\l" for line in text) if len(text) > 1 else text[0]
        lines.append(f'  {node.key} [label="{label}"];')
    for edge in picture.edges:
        style = "solid" if edge.phase is Phase.SEARCH else "dashed"
        label = f', label="{edge.label}"' if edge.label else ""
        lines.append(f"  {edge.source} -> {edge.target} [style={style}{label}];")
    return "\n".join([*lines, "}"]) + "\n"


class Box(NamedTuple):
    """A rectangle in points, from the upper left corner of the picture."""

    x: float
    y: float
    width: float
    height: float


def placed(picture: Diagram) -> dict[str, Box]:
    """The start, a column for each operation of an expansion, below them the way back and the end."""
    boxes: dict[str, Box] = {}
    x, bottom = MARGIN, TOP
    for op in range(NONE, BRANCHING):
        y, width = TOP, 0.0
        for node in (node for node in picture.nodes if node.op == op):
            boxes[node.key] = _box(node, x, y)
            y, width = y + boxes[node.key].height + GAP / 2, max(width, boxes[node.key].width)
        x, bottom = x + width + GAP, max(bottom, y)
    x = boxes[picture.nodes[0].key].width + 2 * GAP
    for node in (node for node in picture.nodes if node.op == NOP):
        boxes[node.key] = _box(node, x, bottom + GAP)
        label = max((len(edge.label) for edge in picture.edges if edge.source == node.key), default=0)
        x += boxes[node.key].width + 2 * GAP + label * CHARACTER * SIZE
    return boxes


def _box(node: Node, x: float, y: float) -> Box:
    lines = node_lines(node)
    return Box(x, y, max(map(len, lines)) * CHARACTER * SIZE + 12, len(lines) * LINE + 10)


def svg_text(picture: Diagram, title: str) -> str:
    """The picture as a complete SVG document; equal diagrams and titles give equal text."""
    from matplotlib import rc_context

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "nhc", "font.family": "monospace"}):
        figure, text = _drawn(picture, title), StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None, "Title": title})
    return text.getvalue()


def _drawn(picture: Diagram, title: str) -> "Figure":
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    boxes = placed(picture)
    width = max(box.x + box.width for box in boxes.values()) + MARGIN
    height = max(box.y + box.height for box in boxes.values()) + MARGIN
    figure = Figure(figsize=(width / 72, height / 72))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()
    axes.text(MARGIN, MARGIN + 8, title, fontsize=14, weight="bold", parse_math=False)
    axes.text(MARGIN, MARGIN + 18, "\n".join(LEGEND), fontsize=SIZE, color="#667", va="top")
    for node in picture.nodes:
        x, y, *size = boxes[node.key]
        axes.add_patch(Rectangle((x, y), *size, ec="#222", fc=SHADES[node.op + 1], zorder=2))
        for number, line in enumerate(node_lines(node)):
            style = "bold" if number < len(node.title) else "normal"
            axes.text(x + 6, y + 5 + LINE * (number + 0.5), line, fontsize=SIZE, va="center", weight=style)
    for edge in picture.edges:
        _draw_arrow(axes, edge, boxes)
    return figure


def _draw_arrow(axes: "Axes", edge: Edge, boxes: dict[str, Box]) -> None:
    """To the right straight, back in a bow above the boxes, downwards from below a box to above the other."""
    from matplotlib.patches import FancyArrowPatch

    a, b = boxes[edge.source], boxes[edge.target]
    rad = 0.0
    if edge.source == edge.target:
        start, end, rad = (a.x, a.y + a.height - 16), (a.x, a.y + 16), -1.2
    elif a.y >= b.y + b.height or (b.x <= a.x and a.y < b.y + b.height and b.y < a.y + a.height):
        start, end, rad = (a.x + a.width / 2, a.y), (b.x + b.width / 2, b.y), 0.12
    elif b.y >= a.y + a.height and b.x < a.x + a.width + GAP / 2:
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
        mutation_scale=11,
        color="#222",
        linestyle=style,
        gid=name,
    )
    axes.add_patch(arrow)
    if edge.label:
        place = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2 - 6)
        axes.text(*place, edge.label, fontsize=SIZE, color="#667", ha="center")
