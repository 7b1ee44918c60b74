"""One planning task that a user brings: a world, a start, and a goal of one of two kinds.

The paper's goals are full configurations; level files of Sokoban mean a set of configurations, all with
every box on a goal cell.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import NamedTuple

from nhc.domains.protocol import DecidingDomain, ReadableDomain, StateT
from nhc.domains.registry import AnyReadable, AnyState, any_domain
from nhc.domains.sokoban import Board, Level, Sokoban, State, level_id, solved, to_text
from nhc.domains.sokoban.grid import Region
from nhc.domains.sokoban.legends import Cell
from nhc.errors import InputError, Note

ID_DIGITS = 16


class GoalCells(NamedTuple):
    """The goal `every box on one of these cells`, a bit board."""

    cells: int


@dataclass(frozen=True)
class PlanningTask:
    """A start and a goal, as plain integers."""

    world: AnyReadable
    start: AnyState
    goal: AnyState | GoalCells
    """A full configuration, or (Sokoban only) goal cells."""
    task_id: str
    """Equal for equal tasks, however their files look."""
    title: str | None = None
    warnings: tuple[Note, ...] = ()

    @property
    def board(self) -> Board | None:
        """The size of the board in Sokoban; None in other worlds, also in Sokoban's other encoding."""
        world: object = self.world
        return world.board if isinstance(world, Sokoban) else None

    @property
    def unsolvable(self) -> str | None:
        """Why no plan exists, such as `parity`, where the world can tell without a search; else None."""
        world: object = self.world
        if isinstance(self.goal, GoalCells) or not isinstance(world, DecidingDomain):
            return None
        reason: str | None = world.unsolvable(self.start, self.goal)
        return reason

    def is_met(self, state: AnyState) -> bool:
        """Does this state of the task's world satisfy the goal?"""
        if isinstance(self.goal, GoalCells):
            return isinstance(state, State) and bool(solved(state, self.goal.cells))
        return state == self.goal


def draw(task: PlanningTask, state: AnyState) -> str:
    """A state of a task's world as text; in Sokoban with the goal cells, where the task has such."""
    if task.board is not None and isinstance(state, State) and isinstance(task.goal, GoalCells):
        return to_text(task.board, state, task.goal.cells)
    return task.world.draw(state)


def task_between(
    world: ReadableDomain[StateT], start: object, goal: object, title: str | None = None
) -> PlanningTask:
    """The task to get from `start` to `goal`, each written as the world's `state_from_json` reads it.

    The world need not have a name that `make_domain` knows. Raises InputError (`task.json`) for what is no
    state.
    """
    readable = any_domain(world)
    first, last = (readable.state_from_json(state) for state in (start, goal))
    return world_task(readable, first, last, title)


def world_task(world: AnyReadable, start: AnyState, goal: AnyState, title: str | None) -> PlanningTask:
    """The task to get from one state of a world to another, both in plain integers."""
    forms = [world.state_to_json(state) for state in (start, goal)]
    if all(isinstance(form, int) for form in forms):
        identity = f"{forms[0]}-{forms[1]}"
    else:
        identity = _digest(json.dumps(forms, sort_keys=True))
    return PlanningTask(world, start, goal, f"{world.name}-{identity}", title)


def level_task(level: Level) -> PlanningTask:
    """The task of a level: all boxes on goals."""
    world = any_domain(Sokoban(level.board))
    goal = GoalCells(level.goals)
    return PlanningTask(world, level.state, goal, level.level_id, level.title, level.warnings)


def configuration_task(start: Region, goal: Region, title: str | None) -> PlanningTask:
    """The task to get from one Sokoban board to the other.

    Raises InputError: `task.size_differs`, `task.walls_differ`, `task.boxes_differ` (numbers of boxes), with
    the place in the goal's board.
    """
    worlds = [Sokoban(region.board) for region in (start, goal)]
    first = goal.grid.place((0, 0))
    if worlds[0] != worlds[1]:
        message = f"the start is {worlds[0].name}, the goal {worlds[1].name}"
        raise InputError("task.size_differs", message, first)
    different = int(start.state.walls) ^ int(goal.state.walls)
    if different:
        cell = start.board.place((different & -different).bit_length() - 1)
        message = "the goal must have the walls of the start, but here only one of them has a wall"
        raise InputError("task.walls_differ", message, goal.grid.place(cell))
    counts = [int(region.state.boxes).bit_count() for region in (start, goal)]
    if counts[0] != counts[1]:
        message = f"the goal must have as many boxes as the start, {counts[0]}, but has {counts[1]}"
        raise InputError("task.boxes_differ", message, first)
    ids = [level_id(region.board, region.state, 0) for region in (start, goal)]
    notes = (*start.notes, *_ignored(start), *goal.notes, *_ignored(goal))
    return PlanningTask(any_domain(worlds[0]), start.state, goal.state, _digest(" ".join(ids)), title, notes)


def _ignored(region: Region) -> list[Note]:
    """What a full configuration has and the task has not."""
    notes = [
        Note("xsb.unreachable_box", "a box out of reach was made a wall", region.grid.place(cell))
        for cell in region.outside(Cell.BOX)
    ]
    if region.goals:
        message = "goal signs mean nothing in a full configuration and were ignored"
        notes.append(Note("task.goal_signs", message, region.grid.place(region.within(Cell.GOAL)[0])))
    return notes


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:ID_DIGITS]
