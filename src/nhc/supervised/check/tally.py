"""What a check counted, module by module; sums over chunks, kept as JSON."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nhc.supervised.check.plain import Symbols

MODULES = ("transform_d", "alu", "output", "composed")
"""Transform_D, ALU, Output, and the three in a row."""

LOW_MARGIN = 0.05
"""Cases decided by less are run again in float64."""
COUNTEREXAMPLES = 20_000


@dataclass(frozen=True)
class Counterexample:
    """A case that a module gets wrong."""

    state: int
    """Its number in the order of the family; for the ALU that of the view."""
    op: int
    """-1 for Transform_D, which sees none."""
    symbols: tuple[int, ...]
    """The word, or the view, cell by cell."""


@dataclass
class Tally:
    """Of one module."""

    cases: int = 0
    errors: int = 0
    failing: int = 0
    """States with an error."""
    margin: float = float("inf")
    """The smallest; wrong decisions have margins of at most 0."""
    repeated: int = 0
    """Cases with a margin under 0.05, run again in float64."""
    disagreements: int = 0
    """Those that float64 judges otherwise."""
    wrong: list[Counterexample] = field(default_factory=list)

    def add(self, other: "Tally") -> None:
        """Count what another part of the family gave."""
        self.cases += other.cases
        self.errors += other.errors
        self.failing += other.failing
        self.margin = min(self.margin, other.margin)
        self.repeated += other.repeated
        self.disagreements += other.disagreements
        self.wrong += other.wrong[: COUNTEREXAMPLES - len(self.wrong)]

    @property
    def passed(self) -> bool:
        """No error, and float64 agrees."""
        return self.errors == 0 and self.disagreements == 0

    def as_json(self) -> dict[str, object]:
        """Plain values; counterexamples as number, operation and hexadecimal symbols."""
        return {
            "cases": self.cases,
            "errors": self.errors,
            "failing": self.failing,
            "margin": None if self.margin == float("inf") else self.margin,
            "repeated": self.repeated,
            "disagreements": self.disagreements,
            "wrong": [[case.state, case.op, bytes(case.symbols).hex()] for case in self.wrong],
        }


def tally_from(values: Mapping[str, object]) -> Tally:
    """The inverse of `as_json`. Raises KeyError, TypeError or ValueError for other values."""
    counts = ("cases", "errors", "failing", "repeated", "disagreements")
    numbers = {name: _number(values[name]) for name in counts}
    margin, wrong = values["margin"], values["wrong"]
    if not isinstance(wrong, list):
        raise TypeError("expected counterexamples")
    cases = [Counterexample(int(state), int(op), tuple(bytes.fromhex(word))) for state, op, word in wrong]
    limit = float("inf") if margin is None else margin
    if not isinstance(limit, float | int):
        raise TypeError("expected a margin")
    return Tally(margin=float(limit), wrong=cases, **numbers)


def counterexamples(
    states: NDArray[np.integer], ops: NDArray[np.integer], words: Symbols
) -> list[Counterexample]:
    """The first 20,000 of them."""
    rows = zip(*(column[:COUNTEREXAMPLES].tolist() for column in (states, ops, words)), strict=True)
    return [Counterexample(state, op, tuple(word)) for state, op, word in rows]


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("expected a whole number")
    return value
