"""Planning tasks as graphs, with plans written and judged as their worlds do it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, cast

import numpy as np

from nhc.domains.local import FiniteWorld
from nhc.domains.protocol import BRANCHING
from nhc.domains.registry import AnyState
from nhc.domains.sliding import Tiles
from nhc.domains.sokoban.plan_check import check_plan
from nhc.domains.sokoban.pushes import after_pushes, moves_for
from nhc.domains.sokoban.rules import Board, State, solved
from nhc.domains.sokoban.spaces import Packing, move_space, push_space
from nhc.domains.sokoban.text import write_moves
from nhc.domains.sokoban.world import SokobanGame
from nhc.domains.space import GraphTask, Row, Space
from nhc.domains.stacking import Stacks
from nhc.domains.states import plain
from nhc.domains.world_spaces import sliding_space, stacking_space, table_space
from nhc.errors import ConfigError
from nhc.planning.solution import plan_fault
from nhc.tasks.planning import GoalCells, PlanningTask

COSTS = ("moves", "pushes")
Pack: TypeAlias = Callable[[AnyState], Row]
Packed: TypeAlias = tuple[int, ...]
"""A row as plain integers."""


@dataclass(frozen=True, eq=False)
class OperationGraph:
    """A task by the operations of its world; labels are their numbers."""

    task: PlanningTask
    space: Space
    unit: str

    @property
    def name(self) -> str:
        """The task's title, or its identity."""
        return self.task.title or self.task.task_id

    def plan_text(self, labels: list[int]) -> str:
        """As the world writes it."""
        return self.task.world.plan_text(self.task.start, labels)

    def plan_fault(self, labels: list[int]) -> str | None:
        """That of `nhc.planning.solution.plan_fault`: in Sokoban of an independent referee."""
        state = plain(self.task.start)
        for op in labels:
            state = plain(self.task.world.step(state, op))
        return plan_fault(self.task, labels, (state,))


@dataclass(frozen=True, eq=False)
class SteppedGraph(OperationGraph):
    """A task whose rows can be read as states: the world's own `step` then says what follows them."""

    pack: Pack
    unpack: Callable[[Row], AnyState]

    def successors(self, state: Packed) -> dict[int, Packed]:
        """See `nhc.planning.witness.OwnRules`."""
        before = self.unpack(np.array(state))
        after = [plain(self.task.world.step(before, op)) for op in range(BRANCHING)]
        return {op: tuple(self.pack(made).tolist()) for op, made in enumerate(after)}

    def is_goal(self, state: Packed) -> bool:
        """See `nhc.planning.witness.OwnRules`."""
        return self.task.is_met(self.unpack(np.array(state)))


@dataclass(frozen=True, eq=False)
class PushGraph(OperationGraph):
    """A Sokoban level by pushes; labels are as in `nhc.domains.sokoban.pushes.Push`."""

    board: Board
    start: State
    goals: int
    """The goal cells, a bit board."""
    packing: Packing

    def plan_text(self, labels: list[int]) -> str:
        """All moves in LURD letters, pushes as capitals, with shortest walks between pushes.

        Raises ValueError if the agent cannot walk to a push.
        """
        return write_moves(self.board, self.start, moves_for(self.board, self.start, labels))

    def plan_fault(self, labels: list[int]) -> str | None:
        """That of the independent referee who plays all moves, and who must count as many pushes."""
        try:
            moves = moves_for(self.board, self.start, labels)
        except ValueError as error:
            return str(error)
        verdict = check_plan(self.board, self.start, moves, self.goals)
        if verdict.fault is None and verdict.pushes != len(labels):
            return f"the plan has {len(labels)} pushes, but {verdict.pushes} were played"
        return verdict.fault

    def successors(self, state: Packed) -> dict[int, Packed]:
        """See `nhc.planning.witness.OwnRules`."""
        before = self.packing.state(np.array(state))
        after = after_pushes(self.board, before)
        return {push.label: tuple(self.packing.region_row(made).tolist()) for push, made in after.items()}

    def is_goal(self, state: Packed) -> bool:
        """See `nhc.planning.witness.OwnRules`."""
        return bool(solved(self.packing.state(np.array(state)), self.goals))


def graph_task(task: PlanningTask, cost: str = "moves") -> GraphTask:
    """The task as a graph, where `cost` says what a plan should have least of: `moves` or `pushes`.

    In worlds that are no Sokoban, moves are the operations. Raises ConfigError: `graph.cost` for another
    cost, `graph.pushes` for pushes in another world or for a goal that is a full configuration (the last
    steps of its plans are no pushes), `graph.world` for a world of which no graph is made; and the
    InputErrors of `table_space`.
    """
    if cost not in COSTS:
        raise ConfigError("graph.cost", f"expected one of {', '.join(COSTS)}; found {cost!r}")
    world: object = task.world
    start, goal = plain(task.start), task.goal
    if isinstance(world, SokobanGame) and isinstance(start, State):
        packing = Packing(world.board, int(cast("int", start.walls)))
        if cost == "pushes" and isinstance(goal, GoalCells):
            space = push_space(world.board, start, goal.cells)
            return PushGraph(task, space, "push", world.board, start, goal.cells, packing)
        if cost == "moves" and isinstance(goal, GoalCells | State):
            space = move_space(world.board, start, goal.cells if isinstance(goal, GoalCells) else goal)
            return SteppedGraph(task, space, "move", cast(Pack, packing.state_row), packing.state)
    if cost == "pushes":
        raise ConfigError("graph.pushes", "pushes are counted in Sokoban levels with goal cells only")
    if isinstance(start, Tiles) and isinstance(goal, Tiles):
        space = sliding_space(start, goal)
        return SteppedGraph(task, space, "action", _code_row, lambda row: Tiles(int(row[0])))
    if isinstance(start, Stacks) and isinstance(goal, Stacks):
        space = stacking_space(start, goal)
        return SteppedGraph(task, space, "action", _code_row, lambda row: Stacks(int(row[0])))
    if isinstance(world, FiniteWorld) and not isinstance(goal, GoalCells):
        return OperationGraph(task, table_space(world, start, goal), "action")
    raise ConfigError("graph.world", f"no graph is made of the world {task.world.name}")


def _code_row(state: AnyState) -> Row:
    """The row of a state that is one code."""
    return np.array(state, np.int64)


def operations(task: GraphTask, labels: list[int]) -> list[int]:
    """A plan as operations of its world: moves in Sokoban, also for a plan of pushes."""
    return moves_for(task.board, task.start, labels) if isinstance(task, PushGraph) else labels
