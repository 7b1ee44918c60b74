"""Sampled planning tasks: of a curriculum level, or with the goal at one node of the search tree.

A node is a goal only where its configuration occurs at no earlier node. In worlds with many ways to one
state that is rare for deep nodes, so `task_at_node` searches worlds, within a bound.
"""

from collections import deque

from nhc.algorithms.tree.nodes import child, path_ops
from nhc.algorithms.tree.sampler import (
    MOST_WORLDS,
    level_is_empty,
    nearest_level,
    sample_tasks,
    walk,
    worlds_at_once,
)
from nhc.domains.free_tree import FreeTree, TreeState
from nhc.domains.protocol import BRANCHING
from nhc.domains.registry import AnyDomain, AnyState, any_domain
from nhc.domains.states import picked, plain
from nhc.errors import InputError
from nhc.planning.budget import DEFAULT_WORLDS
from nhc.streams import random_stream
from nhc.tasks.planning import PlanningTask

WORLDS_A_DRAW = 2_000


def task_of_level(domain: AnyDomain, level: int, *, seed: int) -> PlanningTask:
    """A random task of a level. Raises InputError (`task.level`) if the level seems to be empty."""
    level = nearest_level(domain, level)
    rng = random_stream(seed, "level", level)
    worlds = worlds_at_once(level)
    for _ in range(0, MOST_WORLDS, worlds):
        sample = sample_tasks(domain, level, rng=rng, worlds=worlds)
        if sample.size:
            start, goal = picked(sample.start_state, 0), picked(sample.goal_state, 0)
            return sampled_task(domain, start, goal, f"level {level}, seed {seed}")
    raise level_is_empty(domain.name, level)


def task_at_node(domain: AnyDomain, node: int, *, seed: int, worlds: int = DEFAULT_WORLDS) -> PlanningTask:
    """A random task whose goal is first met at `node` of the tree.

    Raises InputError: `task.node` if none of `worlds` drawn worlds has such a goal.
    """
    if domain.name == FreeTree.name:  # Every node is new: there is nothing to search.
        return sampled_task(domain, TreeState(0), TreeState(node), f"node {node}")
    rng = random_stream(seed, "node", node)
    for _ in range(0, worlds, WORLDS_A_DRAW):
        starts = domain.sample(rng, WORLDS_A_DRAW)
        ends, straight = walk(domain, starts, path_ops(node))
        for row in map(int, straight):
            start, goal = plain(picked(starts, row)), plain(picked(ends, row))
            if first_nodes(domain, start, node).get(goal) == node:
                return sampled_task(domain, start, goal, f"node {node}, seed {seed}")
    message = f"none of {worlds:,} drawn worlds of {domain.name} first meets a goal at node {node}"
    raise InputError("task.node", message)


def far_task(domain: AnyDomain, last: int, *, seed: int) -> PlanningTask:
    """A random world with the goal that is met last among all whose node is at most `last`.

    Worlds whose last goal comes before node `last` / 2 are drawn again.
    """
    rng = random_stream(seed, "far", last)
    while True:
        start = plain(picked(domain.sample(rng, 1), 0))
        goal, node = max(first_nodes(domain, start, last).items(), key=lambda item: item[1])
        if node > last / 2:
            return sampled_task(domain, start, goal, f"node {node}, seed {seed}")


def first_nodes(domain: AnyDomain, start: AnyState, last: int) -> dict[AnyState, int]:
    """Each configuration that occurs among the nodes 0..last, with the first node that has it.

    A configuration's first node is a child of its parent configuration's first node, so a search that
    expands each configuration once, in the order of first nodes, finds them all.
    """
    first = {start: 0}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        for op in range(BRANCHING):
            node = child(first[state], op)
            after = plain(domain.step(state, op))
            if node <= last and after not in first:
                first[after] = node
                queue.append(after)
    return first


def sampled_task(domain: AnyDomain, start: AnyState, goal: AnyState, title: str) -> PlanningTask:
    """The task to get from one drawn state to another."""
    start, goal = plain(start), plain(goal)
    name = f"{domain.name} {title}"
    return PlanningTask(any_domain(domain), start, goal, name, name)
