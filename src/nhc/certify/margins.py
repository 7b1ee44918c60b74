"""Decisions and their margins: a decision counts only if rounding on no platform can change it.

The real-valued gap of each decision must exceed twice the float32 error bound of what is compared. The
smallest ratio of gap to bound is kept for each kind of decision.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.certify.enclosure import Enclosed, Vector

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
