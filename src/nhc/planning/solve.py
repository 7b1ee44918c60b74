"""Solving one planning task with a trained machine, and checking what it found before saying so."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from nhc.algorithms.tree.algorithm import tree_algorithm
from nhc.algorithms.tree.environment import Status
from nhc.data.protocol import DataModules
from nhc.domains.free_tree import TreeState
from nhc.domains.protocol import BRANCHING
from nhc.domains.registry import AnyDomain, AnyState
from nhc.domains.sokoban.plan_check import check_plan
from nhc.domains.sokoban.rules import State
from nhc.domains.states import plain
from nhc.errors import ConfigError
from nhc.model import Model
from nhc.planning.budget import DEFAULT_BUDGET, Budget
from nhc.planning.engines import Ended, Engine, NetworkEngine
from nhc.tasks.planning import GoalCells, PlanningTask


class Ending(StrEnum):
    """How an attempt ended."""

    SOLVED = "solved"
    ALREADY_SOLVED = "already solved"
    FOUND = "goal found"
    """By a Search machine, which does not tell the way."""
    UNSOLVABLE = "unsolvable"
    """By an argument that needs no search, such as the parity of a sliding puzzle; see `Solution.fault`."""
    BUDGET_EXHAUSTED = "budget exhausted"
    STOPPED = "stopped without goal"
    WRONG = "wrong plan"


@dataclass(frozen=True)
class Solution:
    """What came of one task."""

    ending: Ending
    ticks: int
    states: tuple[AnyState, ...] = ()
    """From start to goal."""
    ops: tuple[int, ...] = ()
    """The plan: one operation less than states."""
    fault: str | None = None
    """What the referee objects to, or why there is no plan."""

    @property
    def solved(self) -> bool:
        """Did the machine do what it was trained for?"""
        return self.ending in (Ending.SOLVED, Ending.ALREADY_SOLVED, Ending.FOUND)


def solve(
    model: Model,
    task: PlanningTask,
    *,
    budget: Budget = DEFAULT_BUDGET,
    engine: Engine | None = None,
    modules: DataModules | None = None,
    on_progress: Callable[[int], None] = lambda ticks: None,
) -> Solution:
    """Run the machine with data in the loop on `task`; a plan is replayed by an independent referee.

    A task that its world can tell to be unsolvable is not run. The engine is the network itself, with
    `modules` or the exact ones of the world, unless another is given. Raises ConfigError (`solve.budget`) if
    the budget does not cover a single tick.
    """
    if task.is_met(task.start):
        return Solution(Ending.ALREADY_SOLVED, 0, (task.start,))
    if task.unsolvable is not None:
        return Solution(Ending.UNSOLVABLE, 0, fault=task.unsolvable)
    engine = NetworkEngine(model, modules) if engine is None else engine
    max_ticks = budget.ticks_within(engine.bytes_per_tick(task))
    if max_ticks < 1:
        raise ConfigError("solve.budget", "the budget does not cover a single tick")
    outcome = engine.run(task, max_ticks, on_progress)
    if outcome.status == Status.RUNNING:
        return Solution(Ending.BUDGET_EXHAUSTED, outcome.ticks)
    if outcome.status != Status.FINISHED:
        return Solution(Ending.STOPPED, outcome.ticks)
    if not tree_algorithm(model.algorithm).backtracks:
        return Solution(Ending.FOUND, outcome.ticks)
    return checked_plan(task, outcome)


def checked_plan(task: PlanningTask, outcome: Ended) -> Solution:
    """The plan behind the emitted states, if it leads from start to goal by the rules."""
    domain = task.world
    states = tuple(reversed(outcome.emitted))
    ops: list[int] = []
    for before, after in pairwise(states):
        op = connecting_op(domain, before, after)
        if op is None:
            gap = f"no operation leads from state {len(ops)} of the plan to the next"
            return Solution(Ending.WRONG, outcome.ticks, states, tuple(ops), gap)
        ops.append(op)
    fault = plan_fault(task, ops, states)
    ending = Ending.SOLVED if fault is None else Ending.WRONG
    return Solution(ending, outcome.ticks, states, tuple(ops), fault)


def connecting_op(domain: AnyDomain, before: AnyState, after: AnyState) -> int | None:
    """The operation that makes `after` of `before`, if there is one."""
    for op in range(BRANCHING):
        if plain(domain.step(before, op)) == plain(after):
            return op
    return None


def referee_of(task: PlanningTask) -> str:
    """Who replays the plans of a task, see `plan_fault`."""
    own = task.board is not None or isinstance(task.start, TreeState)
    return "an independent checker" if own else "the rules of the world"


def plan_fault(task: PlanningTask, ops: list[int], states: tuple[AnyState, ...]) -> str | None:
    """The referee's objection to a plan.

    In Sokoban and on the free tree it shares no code with the rules that made the states; elsewhere it
    replays the operations by the world's rules on plain integers.
    """
    if task.board is not None and isinstance(task.start, State):
        goal = task.goal.cells if isinstance(task.goal, GoalCells) else task.goal
        assert isinstance(goal, int | State), "a Sokoban task has a Sokoban goal"
        return check_plan(task.board, task.start, ops, goal).fault
    if isinstance(task.start, TreeState):
        node = int(task.start.node)
        for op in ops:
            node = BRANCHING * node + 1 + op
        return None if states and tuple(states[-1]) == (node,) and task.is_met(states[-1]) else "wrong node"
    state, domain = plain(task.start), task.world
    for op in ops:
        state = plain(domain.step(state, op))
    ends = bool(states) and state == plain(states[-1]) and task.is_met(state)
    return None if ends else "the operations do not lead from the start to the goal"
