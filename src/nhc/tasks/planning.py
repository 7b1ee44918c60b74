"""One planning task that a user brings: a domain, a start, and a goal of one of two kinds.

The paper's goals are full configurations; level files of Sokoban mean a set of configurations, all with
every box on a goal cell.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from nhc.domains.registry import AnyReadable, AnyState, any_domain, make_domain
from nhc.domains.sokoban import Board, Note, Sokoban, State


class GoalCells(NamedTuple):
    """The goal `every box on one of these cells`, a bit board."""

    cells: int


@dataclass(frozen=True)
class PlanningTask:
    """A start and a goal, as plain integers."""

    domain: str
    """Name of the domain, for example `sokoban-6x6` or `free-tree`."""
    start: AnyState
    goal: AnyState | GoalCells
    """A full configuration, or (Sokoban only) goal cells."""
    task_id: str
    """Equal for equal tasks, however their files look."""
    board: Board | None = None
    """The size of the board; None unless the domain is `sokoban-WxH`."""
    title: str | None = None
    warnings: tuple[Note, ...] = ()
    world: AnyReadable | None = field(default=None, compare=False, repr=False)
    """The domain itself, for one that `make_domain` does not know by name."""

    def is_met(self, state: AnyState) -> bool:
        """Does this state of the task's domain satisfy the goal?"""
        if isinstance(self.goal, GoalCells):
            return isinstance(state, State) and int(state.boxes) & ~self.goal.cells == 0
        return state == self.goal


def domain_of(task: PlanningTask) -> AnyReadable:
    """The domain of a task; boards of a level file may have any size.

    Raises what `make_domain` raises.
    """
    if task.world is not None:
        return task.world
    return make_domain(task.domain) if task.board is None else any_domain(Sokoban(task.board))
