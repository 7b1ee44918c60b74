"""The state diagram of a program: what the boxes and arrows are, and the same as Graphviz text.

A box stands for situations, told by the cursor's word and the last operation, in which the same happens;
it says what. Arrows lead to the situations that can follow.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from nhc.algorithms.tree.algorithm import TREES
from nhc.domains.protocol import NOP, OPS
from nhc.program.compiled import CONTENT
from nhc.program.listing import START, Listing, Rule, Situation
from nhc.program.table import Phase
from nhc.program.text import do_text, read_lines

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
