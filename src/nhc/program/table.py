"""The program of a machine: for every control state a run can be in, what the machine does; as JSON too.

Until the goal is met the control signals are (1, 0, 0), afterwards (0, 1, 0), and control words are finitely
many, so what a machine does is a finite table. Words are codes: bit j is set where value j is +1.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.domains.protocol import OPS
from nhc.shapes import NONE

SCHEMA = 1

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


def word_signs(code: int, size: int) -> str:
    """The word as people read it: `+` where it is 1."""
    return "".join("+" if code >> bit & 1 else "-" for bit in range(size))


class Row(NamedTuple):
    """What happens in one control state."""

    constrained: int
    """Code of the word that replaces the one in the cell read last."""
    fresh: int
    """Code of the word that the new cell gets."""
    mechanisms: tuple[int, ...]
    """The five read mechanisms, strongest first; the first that has an address wins."""
    preference: tuple[int, ...]
    """Words that may be in memory, in the order in which a lookup by content prefers them.

    Empty where no run reads by content.
    """
    ops: dict[int, int]
    """Word read -> operation, for the words that can be read here."""


@dataclass(frozen=True)
class Program:
    """What a machine's weights amount to. `rows` has every state that a run can reach on any task."""

    task: str
    """`search` or `plan`."""
    word_size: int
    rows: dict[ControlState, Row]

    @property
    def first(self) -> Row:
        """What the first tick does."""
        return self.rows[FIRST_STATE]


def program_json(program: Program) -> dict[str, object]:
    """A program as plain JSON values; words are codes, bit j set where value j is +1."""
    states = [
        {
            "phase": state.phase.name.lower(),
            "word": state.word,
            "op": state.op,
            "constrained": row.constrained,
            "fresh": row.fresh,
            "mechanisms": list(row.mechanisms),
            "preference": list(row.preference),
            "ops": [[word, op] for word, op in sorted(row.ops.items())],
        }
        for state, row in sorted(program.rows.items())
    ]
    return {"schema": SCHEMA, "task": program.task, "word_size": program.word_size, "states": states}
