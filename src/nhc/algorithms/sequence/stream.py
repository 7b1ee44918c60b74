"""Tasks whose input comes word by word and is answered afterwards: control is told when it ends, no more."""

from abc import abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from nhc.algorithms.protocol import FREE, Lesson
from nhc.algorithms.sequence.algorithm import SequenceAlgorithm
from nhc.algorithms.tape import (
    BLANK,
    DONE,
    NOTHING,
    POSITION,
    Functions,
    Int64,
    Loaded,
    Words,
    loaded,
)

if TYPE_CHECKING:  # This needs JAX, which a command may not need.
    from nhc.algorithms.judge import Judge

NOP, EMIT, STOP = range(3)
ENDED = 1
SYMBOLS = 1_000_000
"""Random symbols are below."""

Symbols = tuple[int, ...]
"""An instance: at least one symbol."""


def observe_stream(tape: Words, registers: Words) -> tuple[Int64, Int64]:
    """The next word of the input; then that it has ended, and `BLANK`."""
    position = registers[POSITION]
    if position < len(tape):
        registers[POSITION] = position + 1
        return 0, tape[position]
    return ENDED, BLANK


def act_stream(op: int, word: int, tape: Words, registers: Words) -> Int64:
    """Write the word read, or stop."""
    registers[DONE] = op == STOP
    return word if op == EMIT else NOTHING


def random_symbols(size: int, rng: np.random.Generator) -> Symbols:
    """`size` symbols, half of the times few different ones; consumes `rng`."""
    largest = SYMBOLS if rng.random() < 0.5 else 2 * size + 1
    return tuple(rng.integers(1, largest, size).tolist())


class StreamAlgorithm(SequenceAlgorithm[Symbols]):
    """Control sees only whether the input has ended, so a length is one task."""

    signals = ("ended",)
    ops = ("nop", "emit", "stop")
    sizes = tuple((size,) for size in range(1, 11))
    fitnesses = ("steps", "answer")
    functions = Functions(observe_stream, act_stream)

    def judge(self, fitness: str) -> "Judge":
        """`answer` judges the words written."""
        from nhc.algorithms.sequence.answers import Written

        return super().judge(fitness) if fitness == "steps" else Written(EMIT, STOP)

    @abstractmethod
    def lessons(self, symbols: Symbols) -> list[Lesson]:
        """What the ticks between the input and the last one must do."""

    def random(self, size: int, rng: np.random.Generator) -> Symbols:
        """Random symbols."""
        return random_symbols(size, rng)

    def listed(self, size: int) -> list[Symbols]:
        """The one task of that length."""
        return [tuple(range(1, size + 1))]

    def load(self, instance: Symbols) -> Loaded:
        """The symbols."""
        return loaded(instance)

    def teacher(self, instance: Symbols) -> list[Lesson]:
        """Let the input come, answer, stop."""
        return [Lesson(NOP, FREE)] * len(instance) + self.lessons(instance) + [Lesson(STOP, FREE)]
