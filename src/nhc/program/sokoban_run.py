"""Sokoban as data of a run: boards of up to 64 cells, packed exactly into 9 bytes a state."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.domains.sokoban.rules import ARRAY_CELLS, Board, State
from nhc.errors import ConfigError
from nhc.program import runtime
from nhc.program.compiled import Tables
from nhc.program.jit import compiled
from nhc.program.memory import Memory, grown
from nhc.program.registers import Log, Registers
from nhc.program.sokoban_columns import SokobanCells, SokobanTask
from nhc.shapes import NONE
from nhc.tasks.planning import GoalCells

STATE_BYTES = 8 + 1
NOWHERE = 255
"""An agent cell that no board has."""


class SokobanColumns(NamedTuple):
    """States, and what they are compared with."""

    cells: SokobanCells
    task: SokobanTask

    def grown(self, capacity: int) -> "SokobanColumns":
        """Room for `capacity` ticks and their last output; uses up these columns."""
        boxes, agent = self.cells
        cells = SokobanCells(grown(boxes, capacity + 1), grown(agent, capacity + 1))
        return self._replace(cells=cells)

    def advance(self, tables: Tables, memory: Memory, run: Registers, limit: int, log: Log) -> Registers:
        """Run the compiled loop."""
        loop = compiled(runtime.sokoban_loop)
        return loop(tables, memory, (self.cells, self.task), run, limit, log)

    def states(self, addresses: NDArray[np.int64]) -> State:
        """The states in these cells, a batch."""
        agent = np.uint64(1) << self.cells.agent[addresses].astype(np.uint64)
        return State(np.full(len(addresses), self.task.walls), self.cells.boxes[addresses], agent)


def sokoban_columns(board: Board, start: State, goal: State | GoalCells) -> SokobanColumns:
    """A run from `start` before its first tick.

    Raises ConfigError (`program.board`) for boards of over 64 cells.
    """
    if board.cells > ARRAY_CELLS:
        message = f"programs run on boards of up to {ARRAY_CELLS} cells, this one has {board.cells}"
        raise ConfigError("program.board", message)
    cells = SokobanCells(np.array([start.boxes], np.uint64), np.array([_cell(start)], np.uint8))
    walls = np.uint64(start.walls)
    if isinstance(goal, GoalCells):
        elsewhere = np.uint64(board.full & ~goal.cells)
        return SokobanColumns(cells, SokobanTask(board.width, walls, np.uint64(0), elsewhere, NONE))
    # Walls never change: a goal with other walls is not met, wherever boxes and agent are.
    agent = _cell(goal) if int(goal.walls) == int(start.walls) else NOWHERE
    boxes, everywhere = np.uint64(goal.boxes), np.uint64(2**64 - 1)
    return SokobanColumns(cells, SokobanTask(board.width, walls, boxes, everywhere, agent))


def _cell(state: State) -> int:
    return int(state.agent).bit_length() - 1
