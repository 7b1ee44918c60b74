"""State diagrams: every step of a run is an arrow, and the picture has room for everything."""

import re
import xml.etree.ElementTree as ET
from functools import cache
from itertools import combinations, pairwise

import numpy as np
import pytest
from nhc.program.diagram_layout import CHARACTER, Box, Layout, Path, Point, Text, column_of, layout
from nhc.program.svg import joined_pieces, svg_text

from nhc.domains.protocol import NOP, OPS
from nhc.program.diagram import END, UNTIL, Diagram, Edge, Node, diagram, dot_text
from nhc.program.interpreter import Machine
from nhc.program.listing import START, Listing, Situation
from nhc.program.minimize import minimized
from nhc.program.table import Phase
from nhc.program.text import read_text
from tests.program.learned import (
    NAMES,
    looking_up,
    other_goal_reads,
    other_last_reads,
    proved,
    two_kinds_of_nodes,
)

SVG = "{http://www.w3.org/2000/svg}"
CASES = (*NAMES, "looking up", "two kinds", *(f"search {n}" for n in range(4)), "plan 1", "plan 2")


@cache
def rules_of(case: str) -> Listing:
    """Minimal listings: of proved machines, and with other reads, which need more boxes."""
    if case in NAMES:
        return minimized(proved(case))
    if case == "looking up":
        return minimized(looking_up())
    if case == "two kinds":
        return minimized(two_kinds_of_nodes())
    kind, number = case.split()
    rng = np.random.default_rng(int(number))
    return minimized(other_last_reads(rng) if kind == "search" else other_goal_reads("plan", rng))


def placed(case: str) -> tuple[Diagram, Layout]:
    picture = diagram(rules_of(case))
    return picture, layout(picture, case)


def box_of(picture: Diagram, word: str, op: int) -> Node:
    """The box of a situation, by its title."""
    titles = {word, f"{word},", f"or {word}"}
    found = [n for n in picture.nodes if n.op == op and titles & set(n.title[:-1] or ("",)) and n.key != END]
    return found[0] if word else picture.nodes[0]


@pytest.mark.parametrize("case", CASES)
def test_every_step_of_a_run_is_an_arrow(case: str) -> None:
    rules = rules_of(case)
    picture = diagram(rules)
    arrows = {edge[:3] for edge in picture.edges}
    taken = set()
    for goal in range(1, 41):
        machine, before = Machine(rules), picture.nodes[0]
        for phase in [Phase.SEARCH] * goal + [Phase.BACK] * (3 if rules.task == "plan" else 1):
            if machine.cursor == 0 and machine.op == NOP:
                assert Edge(before.key, END, Phase.BACK, UNTIL) in picture.edges
                break
            machine.tick(phase)
            word = machine.words[machine.cursor]
            if rules.task == "search" and machine.op == NOP:
                after = picture.node(END)
            else:
                after = box_of(picture, word, machine.op)
            assert (before.key, after.key, phase) in arrows
            taken.add((before.key, after.key, phase))
            before = after
    end = {(edge.source, edge.target, edge.phase) for edge in picture.edges if edge.label == UNTIL}
    # At nodes with rare words an arrow can wait for its run; all others were taken.
    assert len(arrows - end - taken) <= 2 and taken | end <= arrows


@pytest.mark.parametrize("case", CASES)
def test_boxes_say_what_the_rules_say(case: str) -> None:
    rules = rules_of(case)
    picture = diagram(rules)
    said = set()
    for situation, rule in rules.rules.items():
        node = box_of(picture, situation.word, situation.op)
        lines = next(part.lines for part in node.parts if part.phase is situation.phase)
        text = " ".join(" ".join(lines).split())
        mark = f"mark {rule.mark} " if rule.mark else ""
        assert text == f"{mark}add {rule.add} {read_text(rule.sources)} do {OPS[rule.choices[0].op]}"
        assert node.title[-1] == ("start" if situation == START else f"after {OPS[situation.op]}")
        said.add((node.key, situation.phase))
    assert said == {(node.key, part.phase) for node in picture.nodes for part in node.parts}


def test_the_textbook_program_has_seven_boxes() -> None:
    picture = diagram(rules_of("hand"))
    titles = [node.title for node in picture.nodes]
    assert titles[:2] == [("start",), ("FRESH", "after up")]
    assert titles[5:] == [("GOAL,", "FOUND-AT,", "or DONE", "after nop"), ("end",)]
    solid = [(edge.source, edge.target) for edge in picture.edges if edge.phase is Phase.SEARCH]
    assert solid == [("n0", "n1"), ("n1", "n2"), ("n2", "n3"), ("n3", "n4"), ("n4", "n1")]
    dashed = [(edge.source, edge.target) for edge in picture.edges if edge.phase is Phase.BACK]
    assert dashed == [("n1", "n5"), ("n2", "n5"), ("n3", "n5"), ("n4", "n5"), ("n5", "n5"), ("n5", "end")]
    assert [edge.label for edge in picture.edges if edge.label] == [UNTIL]


@pytest.mark.parametrize("case", CASES)
def test_dot_has_every_box_and_arrow(case: str) -> None:
    picture = diagram(rules_of(case))
    text = dot_text(picture)
    assert text.startswith(f"digraph {picture.task} {{\n") and text.endswith("}\n")
    boxes = dict(re.findall(r'^  (\w+) \[label="([^"]*)"\];$', text, re.M))
    assert boxes.keys() == {node.key for node in picture.nodes}
    for node in picture.nodes:
        lines = boxes[node.key].removesuffix("\\l").split("\\l")
        assert lines[: len(node.title)] == list(node.title)
        assert [line for part in node.parts for line in part.lines] == [
            line for line in lines[len(node.title) :] if not line.startswith("--")
        ]
    arrows = re.findall(r'^  (\w+) -> (\w+) \[style=(solid|dashed)(?:, label="([^"]*)")?\];$', text, re.M)
    styles = {Phase.SEARCH: "solid", Phase.BACK: "dashed"}
    assert arrows == [(e.source, e.target, styles[e.phase], e.label) for e in picture.edges]
    assert len(text.splitlines()) == len(boxes) + len(arrows) + 5


def apart(a: Box, b: Box) -> bool:
    return a.right <= b.x or b.right <= a.x or a.bottom <= b.y or b.bottom <= a.y


def within(inner: Box, outer: Box) -> bool:
    return (
        outer.x <= inner.x
        and inner.right <= outer.right
        and outer.y <= inner.y
        and inner.bottom <= outer.bottom
    )


def as_box(a: Point, b: Point) -> Box:
    """A straight piece as a box without width or height."""
    return Box(min(a.x, b.x), min(a.y, b.y), abs(a.x - b.x), abs(a.y - b.y))


@pytest.mark.parametrize("case", CASES)
def test_nothing_overlaps(case: str) -> None:
    _, place = placed(case)
    boxes, texts = list(place.boxes.values()), [text.box for text in place.texts]
    paper = Box(0, 0, place.width, place.height)
    assert all(apart(a, b) for a, b in combinations(boxes, 2))
    assert all(apart(a, b) for a, b in combinations(texts, 2))
    assert all(within(box, paper) for box in (*boxes, *texts))
    for text in texts:
        around = [box for box in boxes if not apart(text, box)]
        assert len(around) <= 1 and all(within(text, box) for box in around)
    for key, phase in place.parts:
        assert within(place.parts[key, phase], place.boxes[key])
    assert all(apart(a, b) for a, b in combinations(place.parts.values(), 2))


@pytest.mark.parametrize("case", CASES)
def test_arrows_run_between_boxes_and_texts(case: str) -> None:
    picture, place = placed(case)
    assert len(place.paths) == len(picture.edges)
    for edge, path in zip(picture.edges, place.paths, strict=True):
        source, target = place.boxes[edge.source], place.boxes[edge.target]
        assert path.phase is edge.phase
        assert on_border(path.points[0], source) and on_border(path.points[-1], target)
        part = place.parts[edge.source, edge.phase]
        assert part.y <= path.points[0].y <= part.bottom
        for a, b in pairwise(path.points):
            assert (a.x == b.x) != (a.y == b.y), "pieces are level or upright"
            piece = as_box(a, b)
            assert all(apart(piece, box) for box in place.boxes.values())
            assert all(apart(piece, text.box) for text in place.texts)
            assert within(piece, Box(0, 0, place.width, place.height))


def on_border(point: Point, box: Box) -> bool:
    level = box.x <= point.x <= box.right and point.y in (box.y, box.bottom)
    return level or (box.y <= point.y <= box.bottom and point.x in (box.x, box.right))


@pytest.mark.parametrize("case", CASES)
def test_arrows_to_different_boxes_share_no_upright_piece(case: str) -> None:
    """Or nobody could tell which leads where."""
    picture, place = placed(case)
    pieces: dict[tuple[float, Phase], set[str]] = {}
    for edge, path in zip(picture.edges, place.paths, strict=True):
        for a, b in pairwise(path.points):
            if a.x == b.x and column_of(picture.node(edge.target)) > column_of(picture.node(edge.source)):
                pieces.setdefault((a.x, path.phase), set()).add(edge.target)
    assert all(len(targets) == 1 for targets in pieces.values())


@pytest.mark.parametrize("case", CASES)
def test_the_svg_is_complete_and_stands_alone(case: str) -> None:
    picture, place = placed(case)
    text = svg_text(picture, "a <b> & c")
    assert text == svg_text(diagram(rules_of(case)), "a <b> & c")
    root = ET.fromstring(text)
    assert root.tag == f"{SVG}svg"
    assert (root.get("width"), root.get("height")) == (f"{place.width:g}", f"{place.height:g}")
    shown = [element.text for element in root.iter(f"{SVG}text")]
    assert shown[0] == root.findtext(f"{SVG}title") == "a <b> & c"
    assert shown[1:] == [line.text for line in place.texts[1:]]
    for node in picture.nodes:
        assert {*node.title} <= set(shown)
        assert {line.strip() for part in node.parts for line in part.lines} <= set(shown)
    heads = {path.points[-2:] for path in place.paths}
    assert len(list(root.iter(f"{SVG}polygon"))) == len(heads)
    assert "href" not in text and "script" not in text
    drawn = {(r.get("x"), r.get("y")) for r in root.iter(f"{SVG}rect")}
    assert {(f"{box.x:g}", f"{box.y:g}") for key, box in place.boxes.items() if key != END} <= drawn


def test_only_what_a_program_uses_is_explained() -> None:
    notes = "\n".join(text.text for text in placed("hand")[1].texts[1:6])
    assert "child:" in notes and "parent:" in notes and "next:" in notes and "previous:" not in notes
    assert "next:" not in "\n".join(text.text for text in placed("looking up")[1].texts)


def test_pieces_are_joined_so_that_dashes_do_not_fill_each_other() -> None:
    a = Path((Point(0, 0), Point(10, 0), Point(10, 5)), Phase.BACK)
    b = Path((Point(4, 0), Point(20, 0), Point(20, 5)), Phase.BACK)
    c = Path((Point(25, 0), Point(30, 0)), Phase.BACK)
    pieces = {frozenset(piece) for piece in joined_pieces([a, b, c])}
    ends = [((0, 0), (20, 0)), ((25, 0), (30, 0)), ((10, 0), (10, 5)), ((20, 0), (20, 5))]
    assert pieces == {frozenset((Point(*p), Point(*q))) for p, q in ends}


def test_the_space_of_a_text() -> None:
    box = Text(3, 20, "four", size=10).box
    assert (box.x, box.y, box.width) == (3, 10, 4 * 10 * CHARACTER)
    assert box.bottom > 20, "letters reach below the base line"
    assert CHARACTER >= 1233 / 2048, "the advance of DejaVu Sans Mono, the widest of the fonts named"


def test_situations_with_the_same_rules_share_a_box() -> None:
    hand = rules_of("hand")
    first = Situation(Phase.SEARCH, "FRESH", 0)
    twin = {s._replace(word="TWIN"): hand.rules[s] for s in hand.rules if (s.word, s.op) == ("FRESH", 0)}
    picture = diagram(Listing(hand.task, {**hand.rules, **twin}))
    assert picture.nodes[1].title == ("FRESH,", "or TWIN", "after up")
    assert len(picture.nodes) == len(diagram(hand).nodes)
    other = {**twin, first._replace(word="TWIN"): hand.rules[first]._replace(add="TWIN")}
    assert len(diagram(Listing(hand.task, {**hand.rules, **other})).nodes) == len(picture.nodes) + 1
