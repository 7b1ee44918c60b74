"""The program: a finite table that says, for every control state a run can be in, what the machine does."""

from dataclasses import dataclass
from typing import NamedTuple

from nhc.program.control import FIRST_STATE, ControlState, Phase


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
    def words(self) -> tuple[int, ...]:
        """Every control word that is ever written, in increasing order of code."""
        written = {word for row in self.rows.values() for word in (row.constrained, row.fresh)}
        return tuple(sorted(written))

    def row(self, phase: Phase, state: ControlState) -> Row:
        """The row for a tick that follows `state` with the signals of `phase`. Raises KeyError."""
        return self.rows[ControlState(phase, state.word, state.op)]

    @property
    def first(self) -> Row:
        """What the first tick does."""
        return self.rows[FIRST_STATE]
