"""Every decision that a control state takes, with its margin noted."""

from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from nhc.certify.enclosure import (
    DOUBLE_UNIT,
    LARGEST,
    SLACK,
    SMALLEST_NORMAL,
    UNIT,
    Enclosed,
    Network,
    RangeError,
)
from nhc.certify.margins import Margin, Margins, choice, sign_margins
from nhc.machine.layout import MECHANISMS
from nhc.program.table import ControlState, word_code, word_values

CONTENT, FORWARD, BACKWARD, USAGE_FORWARD, USAGE_BACKWARD = range(len(MECHANISMS))
EVERY_MECHANISM = frozenset(range(len(MECHANISMS)))


class Decisions:
    """The decisions of one model. Each method returns what is decided and notes the margin.

    Raises MarginError where rounding could change the decision.
    """

    def __init__(self, network: Network, margins: Margins) -> None:
        self.network, self.margins = network, margins
        self.written = lru_cache(maxsize=None)(self._written)
        self.winner = lru_cache(maxsize=None)(self._winner)
        self.op = lru_cache(maxsize=None)(self._op)
        self.prefers = lru_cache(maxsize=None)(self._prefers)

    def _written(self, state: ControlState) -> tuple[int, int]:
        """Codes of the words that the constrained and the free head write."""
        interface = self.network.at(state).interface
        codes = []
        for head in ("constrained", "write"):
            signs, gaps, bounds = sign_margins(interface[f"{head}.word"])
            for bit, (gap, bound) in enumerate(zip(gaps, bounds, strict=True)):
                self.margins.take("sign", Margin(float(gap), float(bound), f"{state}, {head} bit {bit}"))
            codes.append(word_code(np.where(signs, 1.0, -1.0)))
        return codes[0], codes[1]

    def _winner(self, state: ControlState, present: frozenset[int]) -> int:
        """The strongest mechanism among those that have an address."""
        modes = self.network.at(state).interface["read.modes"]
        best, gap, bound = choice(modes, sorted(present))
        if len(present) > 1:
            self.margins.take("mode", Margin(gap, bound, f"{state}, {MECHANISMS[best]}"))
        return best

    def _op(self, state: ControlState, word: int) -> int:
        """The operation chosen after `word` was read."""
        logits = self.network.op_logits(state, word)
        best, gap, bound = choice(logits, range(5))
        self.margins.take("op", Margin(gap, bound, f"{state}, read {word:08b}, op {best}"))
        return best

    def _prefers(self, state: ControlState, word: int, other: int) -> bool:
        """Does the read key match `word` better than the different word `other`?"""
        gap, bound = score_gap(self.network.at(state).interface["read.key"], word, other)
        self.margins.take("content", Margin(abs(gap), bound, f"{state}, {word:08b} against {other:08b}"))
        return bool(gap > 0)

    def best_word(self, state: ControlState, words: Iterable[int]) -> int:
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
