"""What came of a task, and the referee who replays a plan before anybody calls it one. Needs no JAX."""

from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from nhc.domains.free_tree import TreeState
from nhc.domains.protocol import BRANCHING
from nhc.domains.registry import AnyState
from nhc.domains.sokoban.plan_check import check_plan
from nhc.domains.sokoban.rules import State
from nhc.domains.states import plain
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
    """The plan as numbers of operations, one less than states."""
    plan: str = ""
    """The same as the world writes it: `ddlUrrdr` in Sokoban, names of operations elsewhere."""
    fault: str | None = None
    """What the referee objects to, or why there is no plan."""

    @property
    def solved(self) -> bool:
        """Did the machine do what it was trained for?"""
        return self.ending in (Ending.SOLVED, Ending.ALREADY_SOLVED, Ending.FOUND)


def checked_plan(task: PlanningTask, emitted: list[AnyState], ticks: int) -> Solution:
    """The plan behind the emitted states, goal first, if it leads from start to goal by the rules."""
    domain = task.world
    states = tuple(reversed(emitted))
    ops: list[int] = []
    fault: str | None = None
    for before, after in pairwise(states):
        op = next((op for op in range(BRANCHING) if plain(domain.step(before, op)) == plain(after)), None)
        if op is None:
            fault = f"no operation leads from state {len(ops)} of the plan to the next"
            break
        ops.append(op)
    fault = fault or plan_fault(task, ops, states)
    ending = Ending.SOLVED if fault is None else Ending.WRONG
    return Solution(
        ending, ticks, states, tuple(ops), domain.plan_text(states[0], ops) if states else "", fault
    )


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
