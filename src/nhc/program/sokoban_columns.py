"""Sokoban data words in columns, packed exactly: 9 bytes each, for boards of up to 64 cells."""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray


class SokobanCells(NamedTuple):
    """Data words of Sokoban: boxes as a bit board, and the agent's cell."""

    boxes: NDArray[np.uint64]
    agent: NDArray[np.uint8]


class SokobanTask(NamedTuple):
    """What the data in a Sokoban run are compared with.

    The goal is met where boxes and `boxes` agree in the bits of `care`, and the agent stands on `agent` if
    that is a cell.
    """

    width: int
    walls: np.uint64
    boxes: np.uint64
    care: np.uint64
    agent: int


SokobanData: TypeAlias = tuple[SokobanCells, SokobanTask]
