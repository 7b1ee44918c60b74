"""The data of a task's search tree, made ahead of control, many nodes at a time.

A proved machine builds the breadth-first tree whatever the data are: node n has the children 4n+1 .. 4n+4,
one an operation, and control sees of a node only whether it is the goal or the start. So the data can be
computed before control runs, in batches: by the exact rules of the world or by data modules, which are pure
functions. The first node that is taken for the goal is where control then goes.

The children of the last nodes are looked at and not kept: a tree of N nodes takes the memory of N / 4.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, UInt8
from numpy.typing import NDArray

from nhc.algorithms.tree.nodes import path
from nhc.computer.world import Problem
from nhc.data.protocol import DataModules
from nhc.domains.protocol import BRANCHING
from nhc.domains.registry import AnyState
from nhc.domains.sokoban.rules import ARRAY_CELLS, State
from nhc.domains.states import plain
from nhc.errors import ModelError
from nhc.planning.nodes import applied, left_alone
from nhc.planning.states import decoded_states, problem_for
from nhc.tasks.planning import GoalCells, PlanningTask

WAY_BACK = 64
"""Words of the way back that modules check at once: few, since there are few."""

Rows = NDArray[np.uint64] | NDArray[np.uint8]
"""The data of nodes, one a row."""


class RuleData:
    """Nodes by the exact rules of the task's world, on arrays of its states: a column for each field."""

    at_once = 1 << 13
    """Parents in one call."""

    def __init__(self, task: PlanningTask) -> None:
        self._task, self._domain = task, task.world
        self.start: Rows = np.array([list(plain(task.start))], np.uint64)
        """The start's fields."""

    def children(self, parents: Rows) -> Rows:
        """The children of all parents, in the order of their numbers."""
        states = self._batch(parents)
        made = np.empty((self.start.shape[1], len(parents), BRANCHING), np.uint64)
        for op in range(BRANCHING):
            for number, column in enumerate(self._domain.step(states, op)):
                made[number, :, op] = np.asarray(column, np.uint64)
        return made.reshape(len(made), -1).T  # The columns lie in one piece each.

    def at_goal(self, rows: Rows) -> NDArray[np.bool_]:
        """Which nodes meet the goal."""
        goal = self._task.goal
        if isinstance(goal, GoalCells):
            boxes = State._fields.index("boxes")
            return (rows[:, boxes] & ~np.uint64(goal.cells)) == 0
        met, left = np.zeros(len(rows), bool), np.arange(len(rows))
        for number, value in reversed([*enumerate(plain(goal))]):  # in Sokoban the agent leaves few
            left = left[rows[left, number] == np.uint64(int(str(value)))]
        met[left] = True
        return met

    def states(self, rows: Rows, nodes: Sequence[int]) -> list[AnyState]:
        """The states of nodes that control read on its way from the goal to the start."""
        del nodes
        return [plain(self._batch(row)) for row in rows]

    def _batch(self, rows: Rows) -> AnyState:
        return type(self._task.start)(*(rows[..., number] for number in range(rows.shape[-1])))


def fits_arrays(task: PlanningTask) -> bool:
    """Are the states of the task's world numbers of at most 64 bits?"""
    if task.board is not None:
        return task.board.cells <= ARRAY_CELLS
    values = (*plain(task.start), *plain(task.goal))
    return all(isinstance(value, int) and 0 <= value < 2**64 for value in values)


class ModuleData:
    """Nodes by data modules: packed words, and what Input says of them."""

    at_once = 512
    """Parents in one call, which is compiled for that many."""

    def __init__(self, task: PlanningTask, modules: DataModules) -> None:
        self._domain, self._modules, self._problem = task.world, modules, problem_for(task)
        self.start: Rows = np.packbits(np.asarray(self._problem.start))[None]
        """The start's word."""

    def children(self, parents: Rows) -> Rows:
        """See `RuleData`."""
        made = applied(self._modules, _bytes(parents), tuple(range(BRANCHING)), self.at_once)
        return made.reshape(-1, parents.shape[1])

    def at_goal(self, rows: Rows) -> NDArray[np.bool_]:
        """See `RuleData`."""
        # One shape is compiled.
        words = np.zeros((BRANCHING * self.at_once, self._modules.word_bits), np.uint8)
        words[: len(rows)] = self._words(rows)
        return np.asarray(_met(self._modules, self._problem, jnp.asarray(words)))[: len(rows)]

    def states(self, rows: Rows, nodes: Sequence[int]) -> list[AnyState]:
        """See `RuleData`; of a complete way back only node 0 is the start, and `nop` leaves all alone.

        Raises ModelError (`modules.fault`) if the modules say otherwise: control would then not see what the
        tree promises.
        """
        words = self._words(rows)
        right = left_alone(self._modules, _bytes(rows), WAY_BACK)
        if nodes[-1] == 0:
            starts = jnp.broadcast_to(self._problem.start, words.shape)
            right &= np.asarray(self._modules.equal(jnp.asarray(words), starts)) == (np.array(nodes) == 0)
        if not right.all():
            raise ModelError("modules.fault", f"{self._modules.name} errs on the way back from the goal")
        return decoded_states(self._domain, words)

    def _words(self, rows: Rows) -> NDArray[np.uint8]:
        return np.unpackbits(_bytes(rows), axis=1, count=self._modules.word_bits)


def _bytes(rows: Rows) -> NDArray[np.uint8]:
    return rows.astype(np.uint8, copy=False)


@eqx.filter_jit
def _met(modules: DataModules, problem: Problem, words: UInt8[Array, "n word"]) -> Bool[Array, " n"]:
    """Which words meet the goal."""
    return jax.vmap(lambda word: problem.goal.met(modules, word))(words)


TreeData = RuleData | ModuleData


@dataclass
class Tree:
    """The nodes that have children in the tree, and the first goal."""

    data: TreeData
    parts: list[Rows]
    firsts: list[int] = field(default_factory=lambda: [0])
    """The first node of each part."""
    nodes: int = 1
    """Nodes made, whether kept or not."""
    goal: int | None = None
    """The last node made, if it meets the goal."""

    def states(self, nodes: Sequence[int]) -> list[AnyState]:
        """The states of nodes on the way back. Raises ModelError (`modules.fault`)."""
        rows = [self._row(node) for node in nodes]
        return self.data.states(cast(Rows, np.concatenate(rows)), nodes) if rows else []

    def _row(self, node: int) -> Rows:
        part = bisect_right(self.firsts, node) - 1
        place = node - self.firsts[part]
        if place < len(self.parts[part]):
            return self.parts[part][place : place + 1]
        above, *_ = path(node)[1:]
        return self.data.children(self._row(above))[(node - 1) % BRANCHING :][:1]


def grow(data: TreeData, *, most_nodes: int, on_progress: Callable[[int], None]) -> Tree:
    """The tree up to the first goal, or of `most_nodes` nodes; `on_progress` gets the nodes made so far.

    The start itself is not the goal.
    """
    tree, last_parent = Tree(data, [data.start]), (most_nodes - 2) // BRANCHING
    for part in tree.parts:  # grows meanwhile
        for begin in range(0, len(part), data.at_once):
            children = data.children(part[begin : begin + data.at_once])[: most_nodes - tree.nodes]
            met = np.flatnonzero(data.at_goal(children))
            kept = children[: max(0, last_parent + 1 - tree.nodes)]
            if len(kept):
                tree.parts.append(kept)
                tree.firsts.append(tree.nodes)
            if len(met):
                tree.goal = tree.nodes + int(met[0])
                tree.nodes = tree.goal + 1
            else:
                tree.nodes += len(children)
            on_progress(tree.nodes)
            if len(met) or tree.nodes >= most_nodes:
                return tree
    return tree
