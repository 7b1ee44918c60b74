"""Checks a certificate against a model's weights, with arithmetic and rules of its own, to be read in one go.

It shares no code with the prover and needs Python and NumPy only: `python checker.py CERTIFICATE MODEL`. Of
the certificate it believes four things to start from: the task, whether there is a usage link, the number of
nodes to follow one by one, and the texts of `tool`. All else is computed from the weights and then compared.
Until the goal is met, and after, what the weights see is a state: (phase, word read last, operation chosen
last). Tick t writes cell t - 1; b = F_n, the word cell n is written with, decides what node n's ticks do.
"""

import hashlib
import json
import math
import reprlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MECHANISMS = ("content", "temporal forward", "temporal backward", "usage forward", "usage backward")
CONTENT, FORWARD, BACKWARD, USAGE_FORWARD, USAGE_BACKWARD = range(5)
OPS, NOP, NONE = ("up", "right", "down", "left", "nop"), 4, -1
SEARCH, BACK = 0, 1
BREADTH_FIRST = (
    "On every tree and for every goal that first occurs at a node n >= 1, tick t = 1..n reads node "
    "floor((t-1)/4) and applies operation (t-1) mod 4: breadth-first search."
)
STOP = "Tick n+1, the first that sees the goal, chooses nop."
WALK = (
    "From tick n+1 on the machine reads the goal, its parent, and so on up to the start, one a tick, and "
    "chooses nop each time, whatever the depth of the goal."
)
CLAIMS = {"search": [BREADTH_FIRST, STOP], "plan": [BREADTH_FIRST, WALK]}
ASSUMPTIONS = [
    "The memory has a free cell at every tick.",
    "The equality bit is right: the fed word is compared with the goal's, once met with the start's.",
    "Arithmetic is IEEE float32, summed in any order; tanh is within 16 units in the last place of 1.",
]
ROWS = {"strength": 1, "modes": 5, "free_gate": 1, "gate": 1, "allocation": 1}
HEADS = {
    "read": ("key", "strength", "modes", "free_gate"),
    "write": ("key", "strength", "erase", "word", "gate", "allocation"),
    "constrained": ("erase", "word", "gate"),
}
FACTOR, AGREEMENT = 2.0, 1e-6
SINGLE, DOUBLE, TANH_FLOAT32 = 2.0**-24, 2.0**-53, 16 * 2.0**-24
LARGEST, SMALLEST = 2.0**127, 2.0**-126
"""Sums stay below the largest float32; a product, weight or sum below the smallest normal may become 0."""
TANH_DOUBLE, SLACK = 2.0**-52, 1 + 2.0**-40
MOST_NODES, MOST_PAIRS = 256, 1024

Vector = NDArray[np.float64]
Blocks = Mapping[str, NDArray[np.generic]]
State = tuple[int, int, int]
Leaf = Callable[[object], str]


class Rejected(Exception):
    """A step without which the others have no meaning."""


class Ball(NamedTuple):
    """True values are within `radius` of `value`, float32 results within `error` of the true values."""

    value: Vector
    radius: Vector
    error: Vector


class Decision(NamedTuple):
    """Two values compared: their distance, and what float32 may do to each."""

    gap: float
    bound: float
    where: str


def gamma(terms: int, unit: float) -> float:
    """The relative error of a sum of so many products, added in any order."""
    return terms * unit / (1 - terms * unit)


def affine(w: Vector, b: Vector, x: Ball) -> Ball:
    """W x + b. Raises Rejected where float32 could overflow."""
    terms = w.shape[1] + 1
    size = abs(b) + abs(w) @ (abs(x.value) + x.radius + x.error)
    if not (size < LARGEST).all():
        raise Rejected("range: a sum may overflow float32")
    radius = (abs(w) @ x.radius + gamma(terms + 1, DOUBLE) * size) * SLACK
    error = (abs(w) @ x.error + gamma(terms, SINGLE) * size + 4 * terms * SMALLEST) * SLACK
    return Ball(w @ x.value + b, radius, error)


def tanh(x: float) -> float:
    """(1 - t) / (1 + t) with t = exp(-2|x|), off by less than `TANH_DOUBLE`.

    Integers count units of 2^-120. r = 2|x| / 2^8 < 0.16, so that the series exp(-r) is cut after r^20 / 20!
    with a rest below 0.16^21 / 21! < 2^-120; its 20 terms are rounded by less than 2 units each. Each of the
    8 squarings doubles the error and adds a unit: below 2^14 units. Beyond 20, tanh is 1 - 2^-56 or more.
    """
    one = 1 << 120
    r = int(min(abs(x), 20.0) * 2.0**121) >> 8
    term = total = one
    for n in range(1, 21):
        term = -term * r // (n * one)
        total += term
    for _ in range(8):
        total = total * total // one
    return math.copysign((one - total) / (one + total), x)


def hidden_units(x: Ball) -> Ball:
    """tanh of a ball: its slope is at most 1."""
    value = np.array([tanh(float(v)) for v in x.value])
    return Ball(value, x.radius + TANH_DOUBLE, (x.error + TANH_FLOAT32) * SLACK)


def bits(word: int, size: int) -> Vector:
    """±1 by the bits of a word, the lowest first; zeros for no word."""
    return np.zeros(size) if word == NONE else np.where(word >> np.arange(size) & 1, 1.0, -1.0)


def said(state: State) -> str:
    """A state in words."""
    phase, word, op = state
    text = "none" if word == NONE else f"{word:08b}"
    return f"{('search', 'back')[phase]} word {text} op {'none' if op == NONE else OPS[op]}"


class Control:
    """What the weights decide in each state. The decisions that a proof uses are noted with their margins."""

    def __init__(self, blocks: Blocks, machine: Mapping[str, int]) -> None:
        self.blocks = {name: np.asarray(array, np.float64) for name, array in blocks.items()}
        self.signals, self.size = machine["signals"], machine["word_size"]
        self.usage_link = bool(machine["usage_link"])
        self.noted: dict[str, dict[object, Decision]] = {}
        self._known: dict[State, dict[str, Ball]] = {}

    def at(self, state: State) -> dict[str, Ball]:
        """Controller and memory interface in a state."""
        if state not in self._known:
            phase, word, op = state
            signals = self._exact(np.eye(3)[phase][: self.signals])
            last_op = self._exact(np.arange(5) == op)
            inputs = joined(signals, self._exact(bits(word, self.size)), last_op)
            hidden = hidden_units(self._layer("controller", inputs))
            values = {"hidden": hidden, "signals": signals}
            for name in ("read.key", "read.modes", "write.word", "constrained.word"):
                values[name] = self._layer(f"interface.{name}", joined(signals, hidden))
            self._known[state] = values
        return self._known[state]

    def words(self, state: State) -> tuple[int, int]:
        """What the constrained and the free head write."""
        heads = [self.at(state)[f"{head}.word"].value > 0 for head in ("constrained", "write")]
        first, second = (sum(1 << j for j in range(self.size) if signs[j]) for signs in heads)
        return first, second

    def written(self, state: State) -> tuple[int, int]:
        """The same, noted."""
        for head in ("constrained", "write"):
            ball = self.at(state)[f"{head}.word"]
            for j, (value, radius, error) in enumerate(zip(*ball, strict=True)):
                gap = float(max(abs(value) - radius, 0))
                self._note("sign", (state, head, j), gap, error, f"{said(state)}, {head} bit {j}")
        return self.words(state)

    def mechanisms(self) -> list[int]:
        """Those that have an address when the cell read last is not cell 0."""
        return [*range(5)] if self.usage_link else [CONTENT, FORWARD, BACKWARD]

    def winner(self, state: State, present: Iterable[int]) -> int:
        """The strongest of the mechanisms that have an address."""
        chosen = tuple(sorted(present))
        best, gap, bound = strongest(self.at(state)["read.modes"], chosen)
        if len(chosen) > 1:
            self._note("mode", (state, chosen), gap, bound, f"{said(state)}, {MECHANISMS[best]}")
        return best

    def op(self, state: State, word: int) -> int:
        """The operation chosen in a state in which `word` is read."""
        values = self.at(state)
        inputs = joined(values["hidden"], self._exact(bits(word, self.size)), values["signals"])
        best, gap, bound = strongest(self._layer("transform_c", inputs), range(5))
        self._note("op", (state, word), gap, bound, f"{said(state)}, read {word:08b}, op {best}")
        return best

    def prefers(self, state: State, word: int, other: int) -> bool:
        """Does the read key match `word` better than `other`?"""
        key = self.at(state)["read.key"]
        step, size = bits(word, self.size) - bits(other, self.size), abs(key.value) + key.radius
        gap = float(step @ key.value)
        doubt = float(abs(step) @ (key.radius + gamma(self.size + 2, DOUBLE) * size)) * SLACK
        bound = float(key.error.sum() + gamma(self.size, SINGLE) * (size + key.error).sum()) * SLACK
        where = f"{said(state)}, {word:08b} against {other:08b}"
        self._note("content", (state, word, other), max(abs(gap) - doubt, 0.0), bound, where)
        return gap > 0

    def best_word(self, state: State, words: Iterable[int]) -> int:
        """The word that the key matches best: each, by increasing code, against the best so far."""
        best, *others = sorted(set(words))
        for other in others:
            best = best if self.prefers(state, best, other) else other
        return best

    def _layer(self, name: str, x: Ball) -> Ball:
        return affine(self.blocks[f"{name}.w"], self.blocks[f"{name}.b"], x)

    def _exact(self, values: NDArray[np.generic]) -> Ball:
        return Ball(values.astype(np.float64), np.zeros(len(values)), np.zeros(len(values)))

    def _note(self, kind: str, key: object, gap: float, bound: float, where: str) -> None:
        self.noted.setdefault(kind, {})[key] = Decision(gap, float(bound), where)
