"""Control states: all that the weights see of a run.

Until the goal is met the control signals are (1, 0, 0), afterwards (0, 1, 0), and control words are finitely
many, so what a machine does is a function of finitely many states. Words are codes: bit j is set where
value j is +1.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.domains.protocol import OPS
from nhc.shapes import NONE

NO_WORD = NONE
"""The zero vector that stands for a word before the first tick."""


class Phase(IntEnum):
    """What the control signals say."""

    SEARCH = 0
    """(1, 0, 0): the goal was not met."""
    BACK = 1
    """(0, 1, 0): the goal was met, now or before."""


SIGNALS = {Phase.SEARCH: (1.0, 0.0, 0.0), Phase.BACK: (0.0, 1.0, 0.0)}


class ControlState(NamedTuple):
    """The input of the controller at one tick: signals, the word read last, the operation chosen last."""

    phase: Phase
    word: int
    op: int

    def __str__(self) -> str:
        word = "none" if self.word == NO_WORD else f"{self.word:08b}"
        op = "none" if self.op == NONE else OPS[self.op]
        return f"{self.phase.name.lower()} word {word} op {op}"


FIRST_STATE = ControlState(Phase.SEARCH, NO_WORD, NONE)


def word_values(code: int, size: int) -> NDArray[np.float64]:
    """The ±1 values of a word code, zeros for `NO_WORD`."""
    if code == NO_WORD:
        return np.zeros(size)
    return np.where((code >> np.arange(size)) & 1, 1.0, -1.0)


def word_code(values: NDArray[np.float64]) -> int:
    """The code of ±1 values: bit j is set where value j is positive."""
    return int(((values > 0) << np.arange(len(values))).sum())
