"""Concrete runs of a machine along random paths of its environment, each state abstracted and looked up."""

from itertools import pairwise

import numpy as np

from nhc.certify.cells import REST, Cell, Item
from nhc.certify.decisions import Decisions
from nhc.certify.enclosure import Seen
from nhc.certify.environment import Environment, Rule
from nhc.certify.explore import Key
from nhc.certify.paths import PathProof
from nhc.certify.regions import Label, Run
from nhc.certify.stack import Frame, Stacked
from nhc.program.compiled import CONTENT
from nhc.program.plain import PlainMemory
from nhc.shapes import NONE
from tests.certify.paths import Path, applicable, first_path


def followed(
    decisions: Decisions, environment: Environment, proof: PathProof, rng: np.random.Generator, ticks: int
) -> int:
    """Ticks of a random path; fails where a state is not among those of the proof, or a read is wrong."""
    path, memory, parents = first_path(environment), PlainMemory[int](), list[str]()
    seen = Seen((), NONE, NONE)
    for tick in range(1, ticks + 1):
        choices = list(applicable(environment, path))
        rule, moved = choices[int(rng.integers(len(choices)))]
        if rule.ends and tick < ticks // 2 and len(choices) > 1:
            continue
        seen = seen._replace(signals=rule.signals)
        parent, stores = parent_code(moved, memory.cursor, environment), decisions.written(seen)[1] != NONE
        parents += [parent] * stores
        memory.write(*decisions.written(seen))
        if rule.op == NONE:
            return tick
        assert rule.stores in (None, stores)
        links = {way: cell for way, cell in memory.links().items() if way in decisions.mechanisms}
        winner = decisions.winner(seen, frozenset({CONTENT, *links}))
        memory.cursor = links.get(winner, NONE)
        if winner == CONTENT:
            memory.cursor = memory.first([decisions.best_word(seen, memory.words)])
        word = memory.words[memory.cursor]
        assert memory.cursor in moved.targets(rule)
        assert decisions.op(seen, word) == rule.op
        if rule.ends:
            return tick
        path, seen = moved.ticked(rule, memory.cursor, stores=stores), Seen((), word, rule.op)
        if proof.abstraction.memory == "stack":
            require_stack(path, memory, proof, rule)
        else:
            require_known(path, memory, parents, proof, rule)
    return ticks


def parent_code(path: Path, cursor: int, environment: Environment) -> str:
    """What a proof knows of the parent of the cell that is being written."""
    if cursor == NONE:
        return "?"
    if cursor == path.mark("newest") and not environment.names_parents:
        return "before"
    if cursor == 0 and not environment.names_parents:
        return "first"
    fixed = [mark for mark, cell in path.marks.items() if cell == cursor and mark in environment.fixed]
    return min(fixed, default="?")


def require_known(
    path: Path, memory: PlainMemory[int], parents: list[str], proof: PathProof, rule: Rule
) -> None:
    """Fails unless a state of the proof covers this one."""
    labels = [Label(*known) for known in zip(memory.words, parents, path.ghosts, strict=True)]
    after = path.mark("after")
    items, runs, rest = list[Item](), list[list[Label]](), set[int]()
    for cell, label in enumerate(labels):
        marks = frozenset(mark for mark, at in path.marks.items() if at == cell and mark != "top")
        if marks:
            items.append(Cell(label, marks))
        elif after is not None and cell > after:
            rest.add(label.word)
            items += [REST] if items[-1] != REST else []
        elif items and isinstance(items[-1], Run):
            runs[-1].append(label)
            items[-1] = items[-1]._replace(last=label, labels=items[-1].labels | {label})
        else:
            runs.append([label])
            items.append(Run(label, label, frozenset({label}), frozenset()))
    found = [
        facts
        for gaps in shapes_of(items)
        if (facts := proof.reached.get(Key(path.state, rule.op, gaps))) is not None
        and facts.sure <= rest <= facts.maybe
        and all(
            known[0] <= {*run} and {*pairwise(run)} <= known[1]
            for known, run in zip(facts.runs, runs, strict=True)
        )
    ]
    assert found, (path, items)


def shapes_of(items: list[Item]) -> list[tuple[Item, ...]]:
    """With and without gaps in the rest: a gap of a proof may be empty."""
    if not any(isinstance(item, Cell) and "after" in item.marks for item in items):
        return [tuple(items)]
    found: list[tuple[Item, ...]] = [()]
    behind = False
    for item in items:
        if behind and item != REST:
            gaps = [(*shape, REST) for shape in found if shape[-1] != REST]
            found = [(*shape, item) for shape in [*found, *gaps]]
        else:
            found = [(*shape, item) for shape in found]
        behind = behind or (isinstance(item, Cell) and "after" in item.marks)
    return found


def require_stack(path: Path, memory: PlainMemory[int], proof: PathProof, rule: Rule) -> None:
    """Fails unless a state of the proof covers this one."""
    words, newest = memory.words, len(memory.words) - 1
    chain = [memory.cursor]
    while chain[-1] > 0:
        chain.append(path.parents[chain[-1]])

    def frame(place: int) -> Frame | None:
        if place >= len(chain):
            return None
        cell, parent = chain[place], path.parents[chain[place]]
        above = chain[place - 1] if place else NONE
        had_child = cell < newest and above != cell + 1 and path.parents[cell + 1] == cell
        adjoins = cell > 0 and parent == cell - 1
        return Frame(
            words[cell],
            path.ghosts[cell],
            cell == 0,
            adjoins,
            words[cell + 1] if had_child else NONE,
            NONE if adjoins or cell == 0 else words[cell - 1],
        )

    shown = Stacked(frame(0), frame(1), NONE if memory.cursor == newest else words[newest])
    facts = proof.reached.get(Key(path.state, rule.op, (shown,)))
    popped = {word for cell, word in enumerate(words) if cell not in chain}
    assert facts is not None, (path, shown)
    assert facts.sure <= popped <= facts.maybe
    for place in range(1, len(chain) - 1):
        upper, lower = frame(place), frame(place + 1)
        assert upper is not None and lower is not None
        assert lower in proof.under[upper]
