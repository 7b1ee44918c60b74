"""Machines given by tables instead of weights: every decision of a made-by-hand machine is overruled.

Nodes have classes; a node's class says which words its cell holds in turn, and the classes of its children.
So words may tell, for instance, how deep a node is, and what goes wrong may do so at any depth.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tests.certify.mutants import Mutant
from tests.oracles.brute_force import (
    BACK,
    CONTENT,
    FORWARD,
    SEARCH,
    USAGE_BACKWARD,
    USAGE_FORWARD,
    Changes,
    State,
)
from tests.oracles.free_tree import breadth_first_weights
from tests.oracles.machine import NOP
from tests.oracles.teacher import search_weights

TOP = 255
"""The word that matches every key best; no cell ever holds it."""


MET = 254
"""What stays in the goal's parent."""


class NodeClass(NamedTuple):
    """What happens at a node."""

    words: tuple[int, int, int, int, int]
    """Its cell is written with the first; the last stays."""
    children: tuple[int, int, int, int]
    """Their classes."""
    goals: tuple[int, int, int, int]
    """The word that each child gets when it is the goal."""
    arrives_by_content: bool = False
    """Is the node after it found by its word, which is then supposed to be of the class of child 1?"""
    goal_by_content: bool = False


def table_machine(name: str, classes: Sequence[NodeClass], algorithm: str = "plan", met: int = MET) -> Mutant:
    """A machine for these classes; the start has class 0. `met` stays in the goal's parent."""
    weights = breadth_first_weights()
    weights["interface.read.key.b"][:] = 2.0 ** np.arange(8)  # no two words match alike
    first = State(SEARCH, -1, -1)
    changes: dict[tuple[object, ...], int] = {("fresh", first): classes[0].words[0]}
    changes["op", first, classes[0].words[0]] = 0
    for one in classes:
        _add(changes, _searching(one, classes))
        _add(changes, _meeting(one, classes, met, plan=algorithm == "plan"))
    if algorithm == "plan":
        changes |= _stepping_back(met, {one.words[4] for one in classes})
        for one in classes:
            for goal in one.goals:
                changes |= _stepping_back(goal, {met})
            changes |= _stepping_back(one.words[4], {other.words[4] for other in classes})
    return Mutant(name, weights if algorithm == "plan" else search_weights(weights), algorithm, changes)


def _add(changes: dict[tuple[object, ...], int], more: Changes) -> None:
    """Where classes share a word, the later one counts; no two words of a state match alike."""
    asked = {state for kind, state, *_ in more if kind == "above"}
    for key in [key for key in changes if key[0] == "above" and key[1] in asked]:
        del changes[key]
    changes |= more


def _searching(one: NodeClass, classes: Sequence[NodeClass]) -> Changes:
    changes: dict[tuple[object, ...], int] = {}
    for op in range(4):
        state, following = State(SEARCH, one.words[op], op), one.words[op + 1]
        changes["constrained", state] = following
        changes["fresh", state] = classes[one.children[op]].words[0]
        if op < 3:
            changes["winner", state] = CONTENT
            changes["above", state, following] = TOP
            changes["op", state, following] = op + 1
        else:
            changes["winner", state] = CONTENT if one.arrives_by_content else FORWARD
            changes["above", state, classes[one.children[0]].words[0]] = TOP
            changes |= {("op", state, other.words[0]): 0 for other in classes}
    return changes


def _meeting(one: NodeClass, classes: Sequence[NodeClass], met: int, *, plan: bool) -> Changes:
    changes: dict[tuple[object, ...], int] = {}
    for op in range(4):
        state, goal = State(BACK, one.words[op], op), one.goals[op]
        changes["constrained", state] = met
        changes["fresh", state] = goal
        changes["winner", state] = CONTENT if one.goal_by_content else USAGE_FORWARD
        changes["above", state, goal] = TOP
        changes["op", state, goal] = NOP
        if not plan:
            every = {met, goal}.union(*({*other.words} for other in classes))
            changes |= {("op", state, word): NOP for word in every}
    return changes


def _stepping_back(word: int, above: set[int]) -> Changes:
    state = State(BACK, word, NOP)
    changes: dict[tuple[object, ...], int] = {("winner", state): USAGE_BACKWARD}
    return changes | {("op", state, parent): NOP for parent in above}


def depth_machine(depths: int = 8, algorithm: str = "plan", shared: dict[int, int] | None = None) -> Mutant:
    """Words tell how deep a node is, up to depths - 1; `shared` replaces words by others."""
    shared = shared or {}
    classes = []
    for depth in range(depths):
        words = tuple(shared.get(word, word) for word in range(10 * depth, 10 * depth + 9))
        children = (min(depth + 1, depths - 1),) * 4
        classes.append(NodeClass(words[:5], children, words[5:]))
    return table_machine(f"depth machine {depths}", classes, algorithm)


def random_table_machine(rng: np.random.Generator, algorithm: str) -> Mutant:
    """A machine with up to five classes whose words are drawn from few, so that many are wrong somewhere."""
    count = int(rng.integers(1, 6))
    pool = rng.permutation(250)[: int(rng.integers(8, 60))]
    content = rng.random() < 0.2

    def drawn(size: int) -> tuple[int, ...]:
        return tuple(int(word) for word in rng.choice(pool, size, replace=False))

    classes = [
        NodeClass(
            drawn(5),
            tuple(int(rng.integers(count)) for _ in range(4)),
            (drawn(1) * 4) if rng.random() < 0.7 else drawn(4),
            content,
            bool(rng.random() < 0.2),
        )
        for _ in range(count)
    ]
    return table_machine("random table", classes, algorithm, int(rng.choice([MET, *pool])))
