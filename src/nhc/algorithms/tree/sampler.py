"""Sampling tasks of a curriculum level from a domain, by rejection, with its acceptance rate.

The paper, section "Learning to Search": at level L the goal is first met among the children of node L-1.
So: draw a world, grow its tree, keep the children of node L-1 whose configuration occurs at no earlier
node, choose one uniformly; a world without such a child is drawn again. See docs/decisions.md.
"""

from dataclasses import dataclass
from typing import Generic

import numpy as np
from numpy.typing import NDArray

from nhc.algorithms.traces import ANY, Traces, empty_traces
from nhc.algorithms.tree.algorithm import TreeAlgorithm
from nhc.algorithms.tree.nodes import depths, parent, path_ops, phase_signals
from nhc.domains.protocol import BRANCHING, NOP, Domain, StateT
from nhc.domains.states import picked
from nhc.errors import InputError
from nhc.streams import random_stream

REFILL_WORLDS = 2_000
MOST_WORLDS = 10_000
"""Worlds drawn in vain before a level counts as empty."""
MOST_NODES = 200_000
"""Bounds the trees that are grown at once."""
LEVELS_BELOW = 3
"""Lower levels that are tried in place of an empty one."""


@dataclass(frozen=True)
class Sample(Generic[StateT]):
    """Accepted tasks, the start and goal states behind them, and how many worlds were drawn for them."""

    content: NDArray[np.int32]
    """[i, n]: a number for the configuration of node n of task i, equal exactly if configurations are."""
    goal: NDArray[np.int32]
    """T_e: the node whose configuration is the goal's, and the ticks that the search takes."""
    start_state: StateT
    goal_state: StateT
    worlds: int

    @property
    def size(self) -> int:
        """Number of tasks."""
        return len(self.goal)


def sample_tasks(
    domain: Domain[StateT], level: int, *, rng: np.random.Generator, worlds: int
) -> Sample[StateT]:
    """The tasks of `level` among `worlds` drawn worlds, in drawing order; consumes `rng`."""
    starts = domain.sample(rng, worlds)
    lot = rng.random((worlds, BRANCHING))
    _, straight = walk(domain, starts, path_ops(level - 1))
    starts, lot = picked(starts, straight), lot[straight]

    tree = grow_tree(domain, starts, BRANCHING * level + 1)
    keys = domain.key(tree)
    first = BRANCHING * (level - 1) + 1
    children = range(first, first + BRANCHING)
    fresh = np.stack([(keys[:, :n] != keys[:, n : n + 1]).all(axis=1) for n in children], axis=1)
    accepted = np.flatnonzero(fresh.any(axis=1))
    goal = (first + np.where(fresh, lot, -1.0).argmax(axis=1)[accepted]).astype(np.int32)
    content = content_numbers(keys[accepted])
    return Sample(content, goal, picked(tree, accepted, 0), picked(tree, accepted, goal), worlds)


def tree_traces(content: NDArray[np.int32], goal: NDArray[np.int32], algorithm: TreeAlgorithm) -> Traces:
    """The traces of tasks with these configurations at their nodes and these goal nodes.

    The machine is fed node t - 1 at tick t. From tick T_e + 1 on, where it is fed the goal, it reads the
    goal, its parent, and so on, and is fed what it read.
    """
    end = algorithm.end_ticks(depths(goal))
    made = empty_traces(len(goal), int((goal + end).max(initial=0)), len(algorithm.signals))
    made.main[:], made.length[:] = goal, goal + end
    task = np.arange(len(goal))
    fed, above, second = np.zeros_like(goal), goal.copy(), np.zeros_like(goal)
    for tick in range(made.ticks):
        searching = tick < goal
        word = content[task, np.minimum(fed, content.shape[1] - 1)]
        equal = word == np.where(second > 0, content[:, 0], content[task, goal])
        signals = phase_signals(second, equal.astype(np.int32))
        second = signals[1]
        made.signals[:, tick] = np.stack(signals, axis=1)[:, : made.signals.shape[2]]
        made.stored[:, tick] = word
        made.op[:, tick] = np.where(searching, tick % BRANCHING, NOP)
        wanted = np.where(searching, tick // BRANCHING, above)
        asked = searching | algorithm.backtracks
        made.word[:, tick] = np.where(asked, content[task, np.minimum(wanted, goal)], ANY)
        fed = np.where(searching, tick + 1, wanted)
        above = np.where(searching, goal, np.where(above > 0, parent(above), 0))
    return made


def walk(domain: Domain[StateT], starts: StateT, ops: list[int]) -> tuple[StateT, NDArray[np.intp]]:
    """The states at the end of `ops`, and the rows in which no state came twice on the way.

    A node can only be new if all nodes on its path are: where one repeats an earlier node, the next is a
    child of that earlier node too. So this cheap test spares growing most trees.
    """
    seen = [domain.key(starts)]
    straight = np.ones(len(seen[0]), bool)
    state = starts
    for op in ops:
        state = domain.step(state, op)
        key = domain.key(state)
        straight &= (np.stack(seen) != key).all(axis=0)
        seen.append(key)
    return state, np.flatnonzero(straight)


def grow_tree(domain: Domain[StateT], start: StateT, nodes: int) -> StateT:
    """The first `nodes` nodes of the tree of each start state: a batch with a second axis of nodes."""
    fields = [np.repeat(np.asarray(field)[:, None], nodes, axis=1) for field in start]
    begin, end = 0, 1
    while end < nodes:
        parents = type(start)(*(field[:, begin:end] for field in fields))
        children = [domain.step(parents, op) for op in range(BRANCHING)]
        begin, grown = end, end + BRANCHING * (end - begin)
        upto = min(nodes, grown)
        for field, columns in zip(fields, zip(*children, strict=True), strict=True):
            stacked = np.stack(np.broadcast_arrays(*columns), axis=2).reshape(len(field), grown - begin)
            field[:, begin:upto] = stacked[:, : upto - begin]
        end = upto
    return type(start)(*fields)


def content_numbers(keys: NDArray[np.uint64]) -> NDArray[np.int32]:
    """Per row the rank of each key among the row's distinct keys: small integers, equal as the keys are."""
    order = np.argsort(keys, axis=1, kind="stable")
    ordered = np.take_along_axis(keys, order, axis=1)
    rank = np.zeros(keys.shape, np.int32)
    rank[:, 1:] = np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=1)
    numbers = np.empty_like(rank)
    np.put_along_axis(numbers, order, rank, axis=1)
    return numbers


def worlds_at_once(level: int) -> int:
    """Worlds to draw in one call, such that their trees fit into memory."""
    return max(1, min(MOST_WORLDS // 5, MOST_NODES // level))


def nearest_level(domain: Domain[StateT], level: int) -> int:
    """The level itself or, where the domain has no task of it, the nearest lower one that has.

    Some levels are empty because the parent undoes an operation (sliding puzzle: 8, 13, 14, 19). Raises
    InputError (`task.level`) if the next lower ones are empty too.
    """
    for candidate in range(level, max(0, level - LEVELS_BELOW - 1), -1):
        rng = random_stream(0, "levels", candidate)
        worlds = worlds_at_once(candidate)
        for _ in range(0, MOST_WORLDS, worlds):
            if sample_tasks(domain, candidate, rng=rng, worlds=worlds).size:
                return candidate
    raise level_is_empty(domain.name, level)


def level_is_empty(domain_name: str, level: int) -> InputError:
    """The error for a level of which no task was found."""
    return InputError(
        "task.level",
        f"level {level} of {domain_name}: expected a task within {MOST_WORLDS:,} drawn worlds, found none",
    )


class WorldSupply(Generic[StateT]):
    """Tasks of any level between configurations of a world. Implements `nhc.algorithms.supply.Supply`."""

    def __init__(self, domain: Domain[StateT], algorithm: TreeAlgorithm, *, seed: int) -> None:
        self._domain, self._algorithm, self._seed = domain, algorithm, seed
        self._newest: dict[int, tuple[int, Sample[StateT], Traces]] = {}
        self._behind: dict[int, int] = {}

    @property
    def domain_name(self) -> str:
        """The domain that tasks come from."""
        return self._domain.name

    def level_behind(self, level: int) -> int:
        """The level that tasks of `level` are drawn from: another only where the domain has none."""
        if level not in self._behind:
            self._behind[level] = nearest_level(self._domain, level)
        return self._behind[level]

    def refill(self, level: int, index: int) -> Traces:
        """Refill `index` of `level` as traces."""
        return self._filled(level, index)[1]

    def sample(self, level: int, index: int) -> Sample[StateT]:
        """Refill `index` of `level` with its configurations."""
        return self._filled(level, index)[0]

    def acceptance_rate(self, level: int) -> float:
        """Share of drawn worlds that hold a task of `level`, measured on its first refill."""
        sample = self.sample(level, 0)
        return sample.size / sample.worlds

    def _filled(self, level: int, index: int) -> tuple[Sample[StateT], Traces]:
        newest = self._newest.get(level)
        if newest is None or newest[0] != index:
            rng = random_stream(self._seed, "tasks", level, index)
            sample = sample_tasks(self._domain, self.level_behind(level), rng=rng, worlds=REFILL_WORLDS)
            traces = tree_traces(sample.content, sample.goal, self._algorithm)
            self._newest[level] = newest = (index, sample, traces)
        return newest[1], newest[2]
