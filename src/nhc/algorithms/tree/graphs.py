"""Tasks for GraphPlan, many at once: searches with a closed list up to the goal, and their traces.

Nodes have numbers in the order in which a search makes them, so that node k is the k-th of the queue.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.algorithms.traces import Traces, empty_traces
from nhc.algorithms.tree.sampler import MOST_NODES, MOST_WORLDS
from nhc.domains.protocol import BRANCHING, NOP, Domain, StateT
from nhc.domains.states import picked
from nhc.streams import random_stream

REFILL_TASKS = 1_000


class Drawn(NamedTuple):
    """Searches, one a row; tick t applies operation t mod 4 to node t div 4."""

    made: NDArray[np.int32]
    """[i, t]: the node that tick t makes."""
    new: NDArray[np.bool_]
    """Was it made for the first time?"""
    goal_tick: NDArray[np.int32]
    """T_e: ticks up to the one that makes the goal, which is new."""


def draw(level: int, count: int, rng: np.random.Generator) -> Drawn:
    """`count` random searches of a level; consumes `rng`.

    Each graph has its own rate at which operations make new nodes. Where the queue would run dry too early,
    one operation makes one.
    """
    made = np.zeros((count, BRANCHING * level), np.int32)
    new = np.zeros(made.shape, bool)
    nodes, rate = np.ones(count, np.int64), rng.random((count, 1))
    for node in range(level):
        fresh = rng.random((count, BRANCHING)) < rate
        needed = nodes + fresh.sum(axis=1) <= node + 1 if node < level - 1 else ~fresh.any(axis=1)
        rows = np.flatnonzero(needed)
        fresh[rows, rng.integers(BRANCHING, size=len(rows))] = True
        known = nodes[:, None] + fresh.cumsum(axis=1)  # after each operation
        old = (rng.random(fresh.shape) * known).astype(np.int64)
        ticks = slice(BRANCHING * node, BRANCHING * (node + 1))
        made[:, ticks], new[:, ticks] = np.where(fresh, known - 1, old), fresh
        nodes = known[:, -1]
    return Drawn(made, new, goal_ticks(new[:, -BRANCHING:], level, rng))


def goal_ticks(fresh: NDArray[np.bool_], level: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """One of the new nodes that the last node of the level makes."""
    lot = np.where(fresh, rng.random(fresh.shape), -1.0)
    return (BRANCHING * (level - 1) + lot.argmax(axis=1) + 1).astype(np.int32)


def searched(domain: Domain[StateT], level: int, *, rng: np.random.Generator, worlds: int) -> Drawn:
    """The searches of a level among `worlds` drawn worlds; consumes `rng`."""
    start = domain.sample(rng, worlds)
    fields = [np.repeat(np.asarray(f)[:, None], BRANCHING * level + 1, axis=1) for f in start]
    keys = np.zeros((worlds, BRANCHING * level + 1), np.uint64)
    keys[:, 0] = domain.key(start)
    made = np.zeros((worlds, BRANCHING * level), np.int32)
    new = np.zeros(made.shape, bool)
    nodes, row = np.ones(worlds, np.int64), np.arange(worlds)
    for node in range(level):
        parents = type(start)(*(field[:, node] for field in fields))
        for op in range(BRANCHING):
            tick = BRANCHING * node + op
            state = domain.step(parents, op)
            key = domain.key(state)
            same = (keys == key[:, None]) & (np.arange(keys.shape[1]) < nodes[:, None])
            fresh = ~same.any(axis=1)
            made[:, tick], new[:, tick] = np.where(fresh, nodes, same.argmax(axis=1)), fresh
            keys[row, nodes] = key
            for field, column in zip(fields, state, strict=True):
                field[row, nodes] = column
            nodes += fresh
        alive = np.flatnonzero(nodes > node + 1 if node < level - 1 else new[:, -BRANCHING:].any(axis=1))
        made, new, keys, nodes, row = made[alive], new[alive], keys[alive], nodes[alive], row[: len(alive)]
        fields = [field[alive] for field in fields]
        start = picked(start, alive)
    return Drawn(made, new, goal_ticks(new[:, -BRANCHING:], level, rng))


def graph_traces(drawn: Drawn) -> Traces:
    """The traces of these searches with their ways back.

    The machine is fed what it made. From tick T_e + 1 on, where it is fed the goal, it reads the goal, its
    parent, and so on, and is fed what it read.
    """
    made, new, end = drawn
    count, ticks = made.shape
    parents = np.zeros((count, ticks + 1), np.int32)
    row, tick = np.nonzero(new)
    parents[row, made[row, tick]] = tick // BRANCHING
    task = np.arange(count)
    goal = made[task, end - 1]
    depth, node = np.zeros_like(goal), goal
    while (node > 0).any():
        depth, node = depth + (node > 0), parents[task, node]
    traces = empty_traces(count, int((end + depth + 1).max(initial=0)), 3)
    traces.main[:], traces.length[:] = end, end + depth + 1
    fed, seen, back = np.zeros_like(goal), np.zeros(count, bool), goal
    for now in range(traces.ticks):
        searching = now < end
        traces.signals[:, now] = np.stack([searching, ~searching, seen], axis=1)
        traces.stored[:, now] = fed
        traces.op[:, now] = np.where(searching, now % BRANCHING, NOP)
        traces.word[:, now] = np.where(searching, now // BRANCHING, back)
        here = min(now, ticks - 1)
        fed = np.where(searching, made[:, here], back)
        seen = np.where(searching, ~new[:, here], True)
        back = np.where(searching, goal, parents[task, back])
    return traces


class GraphSupply:
    """Tasks of any level, of random graphs or of a world's. Implements `nhc.algorithms.supply.Supply`."""

    def __init__(self, world: str, seed: int) -> None:
        """`world` is the name of a domain, or empty. Raises what `make_domain` raises."""
        from nhc.domains.registry import make_domain

        self._domain = make_domain(world) if world else None
        self._seed = seed
        self._newest: dict[int, tuple[int, Traces]] = {}

    def refill(self, level: int, index: int) -> Traces:
        """See `Supply`."""
        newest = self._newest.get(level)
        if newest is None or newest[0] != index:
            rng = random_stream(self._seed, "graphs", level, index)
            if self._domain is None:
                drawn = draw(level, REFILL_TASKS, rng)
            else:
                worlds = min(MOST_WORLDS // 5, MOST_NODES // level)
                drawn = searched(self._domain, level, rng=rng, worlds=worlds)
            self._newest[level] = newest = (index, graph_traces(drawn))
        return newest[1]
