"""Sokoban tasks between two full configurations: a start board and a goal board with the same walls."""

import hashlib

from nhc.domains.sokoban import Level, Note, level_id
from nhc.domains.sokoban.cells import Cell
from nhc.domains.sokoban.region import Region
from nhc.errors import InputError
from nhc.tasks.planning import GoalCells, PlanningTask

ID_DIGITS = 16


def configuration_task(start: Region, goal: Region, title: str | None) -> PlanningTask:
    """The task to get from one board to the other.

    Raises InputError: `task.size_differs`, `task.walls_differ`, `task.boxes_differ` (numbers of boxes), with
    the place in the goal's board.
    """
    _check_same_world(start, goal)
    ids = [level_id(region.board, region.state, 0) for region in (start, goal)]
    return PlanningTask(
        domain=domain_name(start.board.width, start.board.height),
        start=start.state,
        goal=goal.state,
        task_id=hashlib.sha256(" ".join(ids).encode()).hexdigest()[:ID_DIGITS],
        board=start.board,
        title=title,
        warnings=(*start.notes, *_notes(start), *goal.notes, *_notes(goal)),
    )


def level_task(level: Level) -> PlanningTask:
    """The task of a level: all boxes on goals."""
    return PlanningTask(
        domain=domain_name(level.board.width, level.board.height),
        start=level.state,
        goal=GoalCells(level.goals),
        task_id=level.level_id,
        board=level.board,
        title=level.title,
        warnings=level.warnings,
    )


def domain_name(width: int, height: int) -> str:
    """The name of the Sokoban domain of this size."""
    return f"sokoban-{width}x{height}"


def _check_same_world(start: Region, goal: Region) -> None:
    first = goal.grid.place((0, 0))
    if goal.board != start.board:
        sizes = [domain_name(region.board.width, region.board.height) for region in (start, goal)]
        raise InputError("task.size_differs", f"the start is {sizes[0]}, the goal {sizes[1]}", first)
    different = int(start.state.walls) ^ int(goal.state.walls)
    if different:
        cell = start.board.place((different & -different).bit_length() - 1)
        message = "the goal must have the walls of the start, but here only one of them has a wall"
        raise InputError("task.walls_differ", message, goal.grid.place(cell))
    counts = [int(region.state.boxes).bit_count() for region in (start, goal)]
    if counts[0] != counts[1]:
        message = f"the goal must have as many boxes as the start, {counts[0]}, but has {counts[1]}"
        raise InputError("task.boxes_differ", message, first)


def _notes(region: Region) -> list[Note]:
    notes = [
        Note("xsb.unreachable_box", "a box out of reach was made a wall", region.grid.place(cell))
        for cell in region.outside(Cell.BOX)
    ]
    if region.goals:
        message = "goal signs mean nothing in a full configuration and were ignored"
        notes.append(Note("task.goal_signs", message, region.grid.place(region.within(Cell.GOAL)[0])))
    return notes
