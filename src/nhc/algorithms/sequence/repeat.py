"""Repeat: the input as many times as a counter says, also not at all."""

import numpy as np

from nhc.algorithms.protocol import FREE, Lesson
from nhc.algorithms.sequence.algorithm import LARGE_STEPS, SequenceAlgorithm
from nhc.algorithms.sequence.stream import Symbols, random_symbols
from nhc.algorithms.tape import (
    BLANK,
    DONE,
    NOTHING,
    OWN,
    POSITION,
    Functions,
    Int64,
    Loaded,
    Words,
    loaded,
)

NOP, EMIT, DEC, STOP = range(4)
ENDED, ZERO = 1, 2
COUNTER = OWN
MOST_LISTED, MOST_RANDOM = 5, 9

Repetition = tuple[Symbols, int]
"""At least one symbol, and how often they are wanted."""


def observe_repeat(tape: Words, registers: Words) -> tuple[Int64, Int64]:
    """The next word of the input, then `BLANK`; also, whether the counter is at 0."""
    zero = ZERO if registers[COUNTER] == 0 else 0
    position = registers[POSITION]
    if position < len(tape):
        registers[POSITION] = position + 1
        return zero, tape[position]
    return ENDED + zero, BLANK


def act_repeat(op: int, word: int, tape: Words, registers: Words) -> Int64:
    """Write the word read, count down, or stop."""
    if op == DEC:
        registers[COUNTER] -= 1
    registers[DONE] = op == STOP
    return word if op == EMIT else NOTHING


class Repeat(SequenceAlgorithm[Repetition]):
    """x1 .. xn and k become x1 .. xn, k times."""

    name = "repeat"
    signals = ("ended", "counter at 0")
    ops = ("nop", "emit", "dec", "stop")
    sizes = ((1, 2, 3, 4), (5,), (6,))
    defaults = LARGE_STEPS
    functions = Functions(observe_repeat, act_repeat)
    control = "where the input ends, at each pass; the way back to its beginning, with cells as they were"
    alu = "writes the word read; counts passes"

    def random(self, size: int, rng: np.random.Generator) -> Repetition:
        """Random symbols up to `MOST_RANDOM` times."""
        return random_symbols(size, rng), int(rng.integers(MOST_RANDOM + 1))

    def listed(self, size: int) -> list[Repetition]:
        """Not at all, and up to `MOST_LISTED` times."""
        return [(tuple(range(1, size + 1)), times) for times in range(MOST_LISTED + 1)]

    def load(self, instance: Repetition) -> Loaded:
        """The symbols, and the counter."""
        symbols, times = instance
        return loaded(symbols, times)

    def teacher(self, instance: Repetition) -> list[Lesson]:
        """Let the input come; each pass writes all words and counts; stop."""
        symbols, times = instance
        one = [*(Lesson(EMIT, symbol) for symbol in symbols), Lesson(DEC, FREE)]
        return [Lesson(NOP, FREE)] * len(symbols) + one * times + [Lesson(STOP, FREE)]

    def spec(self, instance: Repetition) -> Symbols:
        """The symbol of each place."""
        symbols, times = instance
        return tuple(symbols[place % len(symbols)] for place in range(times * len(symbols)))
