"""State diagrams: every step of a run is an arrow, and the picture has room for everything."""

import re
import xml.etree.ElementTree as ET
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from nhc.domains.protocol import NOP, OPS
from nhc.program.diagram import (
    END,
    UNTIL,
    Diagram,
    Edge,
    Node,
    diagram,
    dot_text,
    node_lines,
)
from nhc.program.diagram_figure import SIZE, TIGHT, WIDE, Spacing, placed, svg_text
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
            if machine.memory.cursor == 0 and machine.op == NOP:
                assert Edge(before.key, END, Phase.BACK, UNTIL) in picture.edges
                break
            machine.tick(phase)
            word = machine.memory.words[machine.memory.cursor]
            if rules.task == "search" and machine.op == NOP:
                after = picture.nodes[-1]
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


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("room", (WIDE, TIGHT))
def test_boxes_do_not_overlap_and_have_room_for_their_text(case: str, room: Spacing) -> None:
    picture = diagram(rules_of(case))
    boxes = placed(picture, room)
    assert boxes.keys() == {node.key for node in picture.nodes}
    for a, b in combinations(boxes.values(), 2):
        level = a.x + a.width < b.x or b.x + b.width < a.x
        assert level or a.y + a.height < b.y or b.y + b.height < a.y
    for node in picture.nodes:
        lines = [*node.title, *(line for part in node.parts for line in part.lines)]
        assert boxes[node.key].width > max(map(len, lines)) * 0.602 * SIZE
        assert boxes[node.key].height > len(lines) * SIZE


@pytest.mark.parametrize("case", ("hand", "two kinds"))
def test_the_svg_is_complete_and_stands_alone(case: str) -> None:
    picture = diagram(rules_of(case))
    text = svg_text(picture, "a <b> & $c$")
    assert text == svg_text(diagram(rules_of(case)), "a <b> & $c$")
    root = ET.fromstring(text)
    shown = ["".join(element.itertext()).strip() for element in root.iter(f"{SVG}text")]
    assert shown[0] == "a <b> & $c$"
    for node in picture.nodes:
        assert {line.strip() for line in node_lines(node)} <= set(shown)
    assert {edge.label for edge in picture.edges} - {""} <= set(shown)
    arrows = [group for group in root.iter(f"{SVG}g") if "arrow" in str(group.get("id"))]
    assert len(arrows) == len(picture.edges)
    assert "script" not in text and "<image" not in text


def test_situations_with_the_same_rules_share_a_box() -> None:
    hand = rules_of("hand")
    first = Situation(Phase.SEARCH, "FRESH", 0)
    twin = {s._replace(word="TWIN"): hand.rules[s] for s in hand.rules if (s.word, s.op) == ("FRESH", 0)}
    picture = diagram(Listing(hand.task, {**hand.rules, **twin}))
    assert picture.nodes[1].title == ("FRESH,", "or TWIN", "after up")
    assert len(picture.nodes) == len(diagram(hand).nodes)
    other = {**twin, first._replace(word="TWIN"): hand.rules[first]._replace(add="TWIN")}
    assert len(diagram(Listing(hand.task, {**hand.rules, **other})).nodes) == len(picture.nodes) + 1
