"""Tasks as the text that a page takes: what a person writes for a sequence, or a task file for planning."""

import json
import re

from nhc.algorithms.sequence.grammar import NOTATIONS
from nhc.algorithms.sequence.notation import AnyAsked, Text
from nhc.domains.sokoban import State, to_text
from nhc.errors import ConfigError
from nhc.tasks.planning import GoalCells, PlanningTask

START = "######\n#    #\n# @$ #\n#    #\n#    #\n######"
GOAL = "######\n#    #\n#   $#\n# @  #\n#    #\n######"
EXAMPLE = f"{START}\nGoal:\n{GOAL}"
"""Three moves that push a box: 48 ticks to find them."""
JSON_WORLDS = re.compile(r"sokoban-permuted|sliding-3x3|stacking(-[1-9])?|free-tree")
"""Worlds whose tasks the page reads as JSON."""


def planning_text(task: PlanningTask) -> str:
    """A task as the page writes it, without its title.

    Raises ConfigError (`show.world`) for a world that the page does not have.
    """
    board, start, goal = task.board, task.start, task.goal
    if board is not None and isinstance(start, State):
        if isinstance(goal, GoalCells):
            return to_text(board, start, goal.cells)
        assert isinstance(goal, State), "a Sokoban task has a Sokoban goal"
        return f"{to_text(board, start)}\nGoal:\n{to_text(board, goal)}"
    if JSON_WORLDS.fullmatch(task.world.name) is None:
        wanted = "Sokoban, sokoban-permuted, sliding-3x3, stacking or free-tree"
        raise ConfigError("show.world", f"expected a task of {wanted}, found {task.world.name}")
    ends = {"start": task.world.state_to_json(start), "goal": task.world.state_to_json(task.goal)}
    return json.dumps({"domain": task.world.name, **ends})


def sequence_text(name: str, text: Text) -> tuple[str, AnyAsked]:
    """An input as one line, and read; raises InputError (`input.*`) where it is none.

    One argument with blanks that is taken sign by sign stands in quotes on a page.
    """
    asked = NOTATIONS[name].read(text)
    line = " ".join(text.lines)
    return (f'"{line}"' if text.one and " " in line and asked.glue == "" else line), asked
