"""Sampled planning tasks: of a curriculum level, or with the goal at one node of the search tree.

A node is a goal only where its configuration occurs at no earlier node. In worlds with many ways to one
state that is rare for deep nodes, so `task_at_node` searches worlds, within a bound.
"""

import numpy as np
from numpy.typing import NDArray

from nhc.domains.protocol import BRANCHING
from nhc.domains.registry import AnyDomain, AnyState
from nhc.domains.sokoban.world import Sokoban
from nhc.domains.states import picked, plain
from nhc.errors import InputError
from nhc.tasks.algorithm import PLAN
from nhc.tasks.planning import PlanningTask
from nhc.tasks.sampler import MOST_WORLDS, level_is_empty, sample_tasks
from nhc.tasks.tree import path

WORLDS_A_DRAW = 2_000
DEFAULT_WORLDS = 400_000


def task_of_level(domain: AnyDomain, level: int, *, seed: int) -> PlanningTask:
    """A random task of a level. Raises InputError (`task.level`) if the level seems to be empty."""
    rng = np.random.default_rng([seed, level])
    for _ in range(MOST_WORLDS // WORLDS_A_DRAW):
        sample = sample_tasks(domain, level, PLAN, rng=rng, worlds=WORLDS_A_DRAW)
        if sample.tasks.size:
            start, goal = picked(sample.start, 0), picked(sample.goal, 0)
            return sampled_task(domain, start, goal, f"level {level}, seed {seed}")
    raise level_is_empty(domain.name, level)


def task_at_node(domain: AnyDomain, node: int, *, seed: int, worlds: int = DEFAULT_WORLDS) -> PlanningTask:
    """A random task whose goal is first met at `node` of the tree.

    Raises InputError: `task.node` if none of `worlds` drawn worlds has such a goal.
    """
    ops = [(n - 1) % BRANCHING for n in reversed(path(node)[:-1])]
    rng = np.random.default_rng([seed, node])
    for _ in range(0, worlds, WORLDS_A_DRAW):
        starts = domain.sample(rng, WORLDS_A_DRAW)
        along, promising = _walk(domain, starts, ops)
        for row in np.flatnonzero(promising):
            start, goal = (plain(picked(states, int(row))) for states in (starts, along))
            if first_node(domain, start, goal, node) == node:
                return sampled_task(domain, start, goal, f"node {node}, seed {seed}")
    raise InputError(
        "task.node", f"none of {worlds:,} drawn worlds of {domain.name} first meets a goal at node {node}"
    )


def _walk(domain: AnyDomain, starts: AnyState, ops: list[int]) -> tuple[AnyState, NDArray[np.bool_]]:
    """The last states of walking `ops`, and in which worlds no state came twice: a cheap necessary test."""
    seen = [domain.key(starts)]
    fresh = np.ones(len(seen[0]), bool)
    state = starts
    for op in ops:
        state = domain.step(state, op)
        key = domain.key(state)
        fresh &= (np.stack(seen) != key).all(axis=0)
        seen.append(key)
    return state, fresh


def first_node(domain: AnyDomain, start: AnyState, goal: AnyState, bound: int) -> int | None:
    """The first node of the tree with the configuration `goal`, None if that is beyond node `bound`.

    The first node of a configuration is a child of its parent configuration's first node, so a search that
    expands each configuration once, in the order of first nodes, finds it.
    """
    first = {tuple(start): 0}
    queue = [start]
    while queue:
        following: list[AnyState] = []
        for state in queue:
            for op in range(BRANCHING):
                node = BRANCHING * first[tuple(state)] + 1 + op
                after = plain(domain.step(state, op))
                if tuple(after) not in first and node <= bound:
                    first[tuple(after)] = node
                    following.append(after)
        if tuple(goal) in first:
            return first[tuple(goal)]
        queue = following
    return None


def sampled_task(domain: AnyDomain, start: AnyState, goal: AnyState, title: str) -> PlanningTask:
    """The task to get from one drawn state to another."""
    start, goal = plain(start), plain(goal)
    board = domain.board if isinstance(domain, Sokoban) else None
    name = f"{domain.name} {title}"
    return PlanningTask(domain.name, start, goal, name, board, name)
