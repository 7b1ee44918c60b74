"""Rigorous values of the network at one control state: enclosures and float32 error bounds.

Inputs of the control are 0 and ±1, so only tanh needs care: it is computed from float64 operations whose
rounding is bounded (`tanh`). Linear maps are evaluated in float64 and widened by its rounding. Beside each
true value stands a bound on what float32 arithmetic may make of it: for any order of summation, with or
without fused operations, the error of a sum of n terms is at most γ_n Σ|terms|, γ_n = n u / (1 - n u),
u = 2^-24 (Higham 2002, Lemma 3.1), plus what may underflow; sums that could overflow are refused. tanh is
granted 16 u = 2^-20.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nhc.machine.config import refuse_ablations
from nhc.machine.layout import interface_blocks
from nhc.model import Model
from nhc.program.table import SIGNALS, ControlState, word_values
from nhc.shapes import NONE

UNIT, DOUBLE_UNIT = 2.0**-24, 2.0**-53
TANH_ULPS = 16
LARGEST, SMALLEST_NORMAL = 2.0**127, 2.0**-126
TANH_ERROR, TINY = 32 * 2.0**-53, 2.0**-1000
SLACK = 1 + 2.0**-40
"""Covers the rounding of the error bounds themselves, which are computed in float64."""

Vector = NDArray[np.float64]


class RangeError(Exception):
    """Weights so large that float32 sums may overflow."""


class Enclosed(NamedTuple):
    """True values lie in [low, high]; float32 results differ from the true value by at most `error`."""

    low: Vector
    high: Vector
    error: Vector


class Seen(NamedTuple):
    """What control sees at a tick of any algorithm: signals, word read last, operation chosen last."""

    signals: tuple[int, ...]
    word: int
    op: int

    def __str__(self) -> str:
        word = "none" if self.word == NONE else f"{self.word:08b}"
        op = "none" if self.op == NONE else self.op
        return f"signals {''.join(map(str, self.signals))} word {word} op {op}"


AnyState: TypeAlias = Seen | ControlState
"""What control sees, of any algorithm or of search and planning."""


class StateValues(NamedTuple):
    """The network at one control state, as far as it does not depend on the word that will be read."""

    hidden: Enclosed
    interface: dict[str, Enclosed]
    signals: Vector


class Network:
    """The weights of a model in float64, and rigorous evaluation at control states; evaluations are kept."""

    def __init__(self, model: Model) -> None:
        refuse_ablations(model.config, "proofs and programs")
        self.config = model.config
        parameters = model.parameters
        self._controller = _matrix(parameters.controller.w, parameters.controller.b)
        self._interface = _matrix(parameters.interface.w, parameters.interface.b)
        self._transform = _matrix(parameters.transform_c.w, parameters.transform_c.b)
        self._values: dict[AnyState, StateValues] = {}

    def at(self, state: AnyState) -> StateValues:
        """Controller and memory interface at a state."""
        if state not in self._values:
            self._values[state] = self._evaluate(state)
        return self._values[state]

    def op_logits(self, state: AnyState, word: int) -> Enclosed:
        """Transform_C at a state, where `word` was read."""
        values = self.at(state)
        bits = word_values(word, self.config.word_size)
        exact = np.concatenate([bits, values.signals])
        inputs = _stacked(values.hidden, _exact(exact))
        return _linear(*self._transform, inputs)

    def _evaluate(self, state: AnyState) -> StateValues:
        shown = state.signals if isinstance(state, Seen) else SIGNALS[state.phase][: self.config.signals]
        signals = np.array(shown, np.float64)
        word = word_values(state.word, self.config.word_size)
        last_op = np.zeros(self.config.ops)
        if state.op != NONE:
            last_op[state.op] = 1.0
        before = _linear(*self._controller, _exact(np.concatenate([signals, word, last_op])))
        hidden = _tanh(before)
        vector = _linear(*self._interface, _stacked(_exact(signals), hidden))
        parts, row = {}, 0
        for block in interface_blocks(self.config):
            rows = slice(row, row + block.rows)
            parts[block.name.removeprefix("interface.")] = Enclosed(*(column[rows] for column in vector))
            row += block.rows
        return StateValues(hidden, parts, signals)


def _matrix(w: object, b: object) -> tuple[Vector, Vector]:
    return np.asarray(w, np.float64), np.asarray(b, np.float64)


def _exact(values: Vector) -> Enclosed:
    return Enclosed(values, values, np.zeros_like(values))


def _stacked(first: Enclosed, second: Enclosed) -> Enclosed:
    return Enclosed(*(np.concatenate(pair) for pair in zip(first, second, strict=True)))


def _linear(w: Vector, b: Vector, inputs: Enclosed) -> Enclosed:
    """W x + b with its enclosure and float32 error bound.

    The enclosure is float64's result widened by float64's own rounding, and by the inputs' widths.
    """
    middle = (inputs.low + inputs.high) / 2
    radius = (inputs.high - inputs.low) / 2 + abs(middle) * DOUBLE_UNIT
    terms = w.shape[1] + 2
    gamma = terms * DOUBLE_UNIT / (1 - terms * DOUBLE_UNIT)
    widened = (gamma * (abs(b) + abs(w) @ abs(middle)) + abs(w) @ radius) * SLACK
    value = w @ middle + b
    return Enclosed(value - widened, value + widened, linear_error(w, b, inputs))


def linear_error(w: Vector, b: Vector, inputs: Enclosed) -> Vector:
    """Bound on the float32 error of W x + b for inputs that may be off themselves."""
    magnitude = np.maximum(abs(inputs.low), abs(inputs.high)) + inputs.error
    terms = w.shape[1] + 1
    gamma = terms * UNIT / (1 - terms * UNIT)
    size = abs(b) + abs(w) @ magnitude
    if not (size < LARGEST).all():
        raise RangeError("sums may overflow in float32")
    lost = 4 * terms * SMALLEST_NORMAL  # Below it float32 may lose everything.
    return (gamma * size + abs(w) @ inputs.error + lost) * SLACK


def _tanh(before: Enclosed) -> Enclosed:
    """tanh of enclosed values; it is monotone and its slope at most 1, so errors do not grow."""
    low, high = tanh(before.low), tanh(before.high)
    low, high = low - (TANH_ERROR * abs(low) + TINY) * SLACK, high + (TANH_ERROR * abs(high) + TINY) * SLACK
    error = (before.error + TANH_ULPS * UNIT) * SLACK
    return Enclosed(np.nextafter(low, -np.inf), np.nextafter(high, np.inf), error)


def tanh(x: Vector) -> Vector:
    """tanh in float64, from +, *, / alone, off by at most `TANH_ERROR` of itself, or `TINY`.

    tanh(2y) = 2 tanh(y) / (1 + tanh(y)^2), eight times, from |y| <= 1/8. There Lambert's continued fraction
    y / (1 + y^2 / (3 + y^2 / (5 + ... 11))) is off by less than 1e-19 of itself, and its value in float64 by
    3 units of 2^-53: terms are positive, and y^2 <= 1/64 damps the errors of those below. A doubling does not
    enlarge a relative error, for t f'(t) / f(t) = (1 - t^2) / (1 + t^2), and adds at most 2.5 units: half a
    one for t^2, one for the sum, one for the quotient. Together 23 units. Beyond 32, tanh is within 1e-27
    of ±1.
    """
    y = np.clip(x, -32.0, 32.0) / 256
    square, below = y * y, np.full_like(y, 11.0)
    for odd in (9.0, 7.0, 5.0, 3.0, 1.0):
        below = odd + square / below
    value = y / below
    for _ in range(8):
        value = 2 * value / (1 + value * value)
    return value
