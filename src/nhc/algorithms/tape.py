"""Algorithms whose data side is two functions over a tape and registers, in plain Python here.

The functions of an algorithm are written once. They touch nothing but 64-bit integers and call no others, so
they can be compiled; `TapeSide` calls them as they are.
"""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nhc.algorithms.protocol import FREE, Algorithm, InstanceT, Word

Words: TypeAlias = NDArray[np.int64]
"""A tape or registers."""

Int64: TypeAlias = int | np.int64
"""A word, as these functions give it."""

LARGEST = 2**61
"""Symbols and numbers are words from -LARGEST to LARGEST, so no sum of two words leaves 64 bits."""
BLANK, START, END, NIL, PLUS, MINUS, TIMES, NOTHING = range(-(2**62), -(2**62) + 8)
"""Words that are no symbols; `NOTHING` is what `act` returns when it writes nothing."""

DONE, POSITION, OVERFLOW, OWN = range(4)
"""Registers: has the run ended, how much of the tape was shown, did a number get too large; then its own."""

Written: TypeAlias = tuple[int, ...]
"""All that a run wrote."""
Observe: TypeAlias = Callable[[Words, Words], tuple[Int64, Int64]]
"""(tape, registers) to (signals, word to store): signal k is bit k. Registers may change."""
Act: TypeAlias = Callable[[int, int, Words, Words], Int64]
"""(operation, word read, tape, registers) to the word written or `NOTHING`. Registers change."""


class Functions(NamedTuple):
    """Both, as they can be compiled."""

    observe: Observe
    act: Act


class Loaded(NamedTuple):
    """An instance in the form that the functions take."""

    tape: Words
    registers: Words


def loaded(tape: Sequence[int], *registers: int) -> Loaded:
    """A tape, and registers of which the algorithm's own come last, in its order."""
    return Loaded(np.array(tape, np.int64), np.array([0, 0, 0, *registers], np.int64))


class TapeSide:
    """One run in plain Python. Words that are free count as 0."""

    def __init__(
        self, instance: Loaded, functions: Functions, signals: int, answer: Callable[[Written], object]
    ) -> None:
        self._tape, self._registers = instance
        self._functions, self._answer = functions, answer
        self._signals = range(signals)
        self._written: list[int] = []

    @property
    def done(self) -> bool:
        """Has the run ended?"""
        return bool(self._registers[DONE])

    @property
    def result(self) -> object:
        """What the words written mean, None if a number got too large."""
        return None if self._registers[OVERFLOW] else self._answer(tuple(self._written))

    def observe(self) -> tuple[Sequence[float], Word]:
        """The bits of the signals, and the word to store."""
        bits, word = self._functions.observe(self._tape, self._registers)
        return tuple(float(int(bits) >> number & 1) for number in self._signals), int(word)

    def act(self, op: int, word: Word) -> None:
        """Write what the operation writes."""
        read = 0 if word is FREE else word
        if not isinstance(read, int):
            raise TypeError(f"words of a tape are whole numbers, found {read!r}")
        written = self._functions.act(op, read, self._tape, self._registers)
        if written != NOTHING:
            self._written.append(int(written))


class TapeAlgorithm(Algorithm[InstanceT]):
    """An algorithm with such a data side: it can run as a program, in compiled code."""

    functions: Functions
    """The data side."""

    @abstractmethod
    def load(self, instance: InstanceT) -> Loaded:
        """The tape and the registers before the first tick."""

    @abstractmethod
    def examples(self) -> list[InstanceT]:
        """Instances that show what a machine learned: small ones, and some larger; always the same."""

    def answer(self, written: Written) -> object:
        """What the words that a run wrote mean."""
        return written

    def begin(self, instance: InstanceT) -> TapeSide:
        """The tape, with nothing of it shown."""
        return TapeSide(self.load(instance), self.functions, len(self.signals), self.answer)
