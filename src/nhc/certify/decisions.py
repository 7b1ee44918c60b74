"""Every decision that a control state takes, with its margin: rounding on no platform can change it.

The real-valued gap of each decision must exceed twice the float32 error bound of what is compared. The
smallest ratio of gap to bound is kept for each kind of decision.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.certify.enclosure import (
    DOUBLE_UNIT,
    LARGEST,
    SLACK,
    SMALLEST_NORMAL,
    UNIT,
    AnyState,
    Enclosed,
    Network,
    RangeError,
    Vector,
)
from nhc.machine.layout import MECHANISMS
from nhc.program.compiled import CONTENT, USAGE_BACKWARD, USAGE_FORWARD
from nhc.program.table import word_code, word_values
from nhc.shapes import NONE

FACTOR = 2.0


class Margin(NamedTuple):
    """A decision's gap and the float32 error bound of the values compared."""

    gap: float
    bound: float
    where: str

    @property
    def ratio(self) -> float:
        """Certified decisions have more than `FACTOR`."""
        return self.gap / self.bound if self.bound > 0 else np.inf


class MarginError(Exception):
    """A decision that rounding could change."""

    def __init__(self, kind: str, margin: Margin) -> None:
        super().__init__(f"{kind} at {margin.where}: gap {margin.gap:.3g}, bound {margin.bound:.3g}")
        self.kind, self.margin = kind, margin


@dataclass
class Margins:
    """The smallest margin of each kind of decision taken so far, and how many were taken."""

    strict: bool = True
    """Raise where a gap is too small."""
    smallest: dict[str, Margin] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def take(self, kind: str, margin: Margin) -> None:
        """Note a decision. Raises MarginError if its gap is not large enough."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if kind not in self.smallest or margin.ratio < self.smallest[kind].ratio:
            self.smallest[kind] = margin
        if self.strict and not margin.gap > FACTOR * margin.bound:
            raise MarginError(kind, margin)


def sign_margins(values: Enclosed) -> tuple[NDArray[np.bool_], Vector, Vector]:
    """Signs (of the middle), gaps to zero and bounds, value by value."""
    gap = np.where(values.low > 0, values.low, np.where(values.high < 0, -values.high, 0.0))
    return values.low + values.high > 0, gap, values.error


def choice(values: Enclosed, candidates: Sequence[int]) -> tuple[int, float, float]:
    """The largest of some values, the earlier on ties; its gap to the next, and the larger error bound."""
    middles = [values.low[i] + values.high[i] for i in candidates]
    best = candidates[int(np.argmax(middles))]
    others = [i for i in candidates if i != best]
    if not others:
        return best, np.inf, 0.0
    gaps = [values.low[best] - values.high[i] for i in others]
    closest = int(np.argmin(gaps))
    bound = max(float(values.error[i]) for i in (best, *others))
    return best, float(gaps[closest]), bound


class Decisions:
    """The decisions of one model. Each method returns what is decided and notes the margin.

    Raises MarginError where rounding could change the decision.
    """

    def __init__(self, network: Network, margins: Margins) -> None:
        self.network, self.margins = network, margins
        linked = () if network.config.usage_link else (USAGE_FORWARD, USAGE_BACKWARD)
        self.mechanisms = frozenset(range(len(MECHANISMS))) - {*linked}
        """Those that have an address once the cell read last is not cell 0."""
        self.written = lru_cache(maxsize=None)(self._written)
        self.winner = lru_cache(maxsize=None)(self._winner)
        self.op = lru_cache(maxsize=None)(self._op)
        self.prefers = lru_cache(maxsize=None)(self._prefers)
        self.reads: dict[AnyState, set[int]] = {}
        """The words after whose reading an operation was asked for."""
        self.lookups: set[AnyState] = set()
        """States in which content was found to be the strongest mechanism."""

    def _written(self, state: AnyState) -> tuple[int, int]:
        """Codes of the words that the constrained and the free head write, `NONE` for a closed gate."""
        interface = self.network.at(state).interface
        if self.network.config.write_gate == "learned":
            (is_open,), (gap,), (bound,) = sign_margins(interface["write.gate"])
            self.margins.take("gate", Margin(float(gap), float(bound), f"{state}, write gate"))
        else:
            is_open = True
        codes = []
        for head in ("constrained", "write") if is_open else ("constrained",):
            signs, gaps, bounds = sign_margins(interface[f"{head}.word"])
            for bit, (gap, bound) in enumerate(zip(gaps, bounds, strict=True)):
                self.margins.take("sign", Margin(float(gap), float(bound), f"{state}, {head} bit {bit}"))
            codes.append(word_code(np.where(signs, 1.0, -1.0)))
        return codes[0], codes[1] if is_open else NONE

    def _winner(self, state: AnyState, present: frozenset[int]) -> int:
        """The strongest mechanism among those that have an address."""
        modes = self.network.at(state).interface["read.modes"]
        best, gap, bound = choice(modes, sorted(present))
        if len(present) > 1:
            self.margins.take("mode", Margin(gap, bound, f"{state}, {MECHANISMS[best]}"))
        if best == CONTENT:
            self.lookups.add(state)
        return best

    def _op(self, state: AnyState, word: int) -> int:
        """The operation chosen after `word` was read."""
        self.reads.setdefault(state, set()).add(word)
        logits = self.network.op_logits(state, word)
        best, gap, bound = choice(logits, range(self.network.config.ops))
        self.margins.take("op", Margin(gap, bound, f"{state}, read {word:08b}, op {best}"))
        return best

    def _prefers(self, state: AnyState, word: int, other: int) -> bool:
        """Does the read key match `word` better than the different word `other`?"""
        gap, bound = score_gap(self.network.at(state).interface["read.key"], word, other)
        self.margins.take("content", Margin(abs(gap), bound, f"{state}, {word:08b} against {other:08b}"))
        return bool(gap > 0)

    def best_word(self, state: AnyState, words: Iterable[int]) -> int:
        """The word that the read key matches best."""
        best, *others = sorted(set(words))
        for other in others:
            best = best if self.prefers(state, best, other) else other
        return best


def score_gap(key: Enclosed, word: int, other: int) -> tuple[float, float]:
    """Σ_j key_j (word_j - other_j), rounded towards zero, and the float32 bound of one score."""
    size = len(key.low)
    step = word_values(word, size) - word_values(other, size)
    middle, radius = (key.low + key.high) / 2, (key.high - key.low) / 2
    gap = float(step @ middle)
    magnitude = abs(middle) + radius
    slack = float(abs(step) @ (radius + 4 * size * DOUBLE_UNIT * magnitude)) * SLACK
    inner = max(abs(gap) - slack, 0.0)
    gamma = size * UNIT / (1 - size * UNIT)
    total = float((magnitude + key.error).sum())
    if not total < LARGEST:
        raise RangeError("content scores may overflow in float32")
    lost = 4 * size * SMALLEST_NORMAL
    bound = (float(key.error.sum()) + gamma * total + lost) * SLACK
    return np.copysign(inner, gap), bound
