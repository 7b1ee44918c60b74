"""Concrete runs of a machine along random paths of its environment, each state abstracted and looked up."""

from collections.abc import Hashable
from itertools import pairwise

import numpy as np

from nhc.certify import order, stack
from nhc.certify.cells import Cell, Label, Run
from nhc.certify.decisions import Decisions
from nhc.certify.enclosure import Seen
from nhc.certify.environment import Environment, Rule
from nhc.certify.order import RUN, Order
from nhc.certify.paths import PathProof, explored
from nhc.certify.stack import Frame, Stack
from nhc.program.compiled import CONTENT
from nhc.program.plain import PlainMemory
from nhc.shapes import NONE
from tests.certify.paths import Path, applicable, first_path


def reached_by(
    machine: Order | Stack, most: int
) -> dict[Hashable, order.State] | dict[Hashable, stack.State]:
    """All states of a machine in an environment."""
    if isinstance(machine, Stack):
        return explored(machine.start, machine.successors, most, machine.noted)
    return explored(machine.start, machine.successors, most)


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
    items, runs, words = list[Cell | str](), list[list[Label]](), set[int]()
    for cell, label in enumerate(labels):
        marks = frozenset(mark for mark, at in path.marks.items() if at == cell and mark != "top")
        if marks:
            items.append(Cell(label, marks))
            continue
        if not items or items[-1] != RUN:
            items.append(RUN)
            runs.append([])
        runs[-1].append(label)
        words.add(label.word)
    state = proof.reached.get((path.state, rule.op, tuple(items)))
    assert isinstance(state, order.State), (path, items)
    assert state.memory.sure <= words
    known_runs = [item for item in state.memory.items if isinstance(item, Run)]
    for known, run in zip(known_runs, runs, strict=True):
        assert run[0] in known.firsts and run[-1] in known.lasts and {*pairwise(run)} <= known.pairs


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

    shown = (path.state, rule.op, frame(0), frame(1), NONE if memory.cursor == newest else words[newest])
    state = proof.reached.get(shown)
    popped = {word for cell, word in enumerate(words) if cell not in chain}
    assert isinstance(state, stack.State), (path, shown)
    assert state.sure <= popped <= state.maybe
    for place in range(1, len(chain) - 1):
        upper, lower = frame(place), frame(place + 1)
        assert upper is not None and lower is not None
        assert lower in proof.under[upper]
