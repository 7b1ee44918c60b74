"""Counts: does a word consist of some a, as many b and as many c, in this order?

No stack can tell, and no register counts: a pointer that goes forward through memory does. Words stored are
the places of the symbols.
"""

import numpy as np

from nhc.algorithms.protocol import FREE, Lesson
from nhc.algorithms.sequence.algorithm import LARGE_STEPS, SequenceAlgorithm
from nhc.algorithms.tape import (
    BLANK,
    DONE,
    NOTHING,
    POSITION,
    START,
    Functions,
    Int64,
    Loaded,
    Words,
    Written,
    loaded,
)

NOP, ACCEPT, TOO_MANY, TOO_FEW = range(4)
LETTERS = "abc"
END_SIGNAL = 8


def observe_counts(tape: Words, registers: Words) -> tuple[Int64, Int64]:
    """Which letter comes, and its place."""
    position = registers[POSITION]
    if position == len(tape):
        return END_SIGNAL, BLANK
    registers[POSITION] = position + 1
    letter = tape[position]
    if letter == START:
        return 0, START
    return 1 << letter, position


def act_counts(op: int, word: int, tape: Words, registers: Words) -> Int64:
    """Nothing; or write 1 or 0, which ends the run."""
    registers[DONE] = op != NOP
    return NOTHING if op == NOP else int(op == ACCEPT)


class Counts(SequenceAlgorithm[str]):
    """A word of the letters a, b and c becomes True or False; the empty word is one of them."""

    name = "counts"
    signals = ("a", "b", "c", "end")
    ops = ("nop", "accept", "too many", "too few")
    sizes = ((0, 1, 2, 3, 4), (5, 6), (7,), (8,), (9,))
    defaults = LARGE_STEPS
    functions = Functions(observe_counts, act_counts)
    control = "all of it: a pointer that stays before the first a, and then goes along with the letters"
    alu = "nothing"

    def random(self, size: int, rng: np.random.Generator) -> str:
        """`size` letters: in order, of nearly equal numbers, and perhaps with one of them changed."""
        first, second = (max(0, size // 3 + int(rng.integers(-1, 2))) for _ in range(2))
        letters = list(("a" * first + "b" * second + "c" * size)[:size])
        if size % 3 == 0 and rng.random() < 0.5:
            letters = list("a" * (size // 3) + "b" * (size // 3) + "c" * (size // 3))
        if size and rng.random() < 0.3:
            letters[int(rng.integers(size))] = LETTERS[int(rng.integers(3))]
        return "".join(letters)

    def listed(self, size: int) -> list[str]:
        """Words that may still become right, or whose last letter alone makes them wrong."""
        if not size:
            return [""]
        return [text + letter for text in _beginnings(size - 1) for letter in LETTERS]

    def load(self, instance: str) -> Loaded:
        """`START` and the letters."""
        return loaded([START, *map(LETTERS.index, instance)])

    def answer(self, written: Written) -> bool:
        """Was the word accepted?"""
        return written == (1,)

    def teacher(self, instance: str) -> list[Lesson]:
        """`START` while a comes; then the cell after the one read last, so a letter has one partner.

        A letter that comes out of order, or has no partner, is one too many. If what stands before the
        partner of a c, or of the end, is not done with, there were too few of the letter before.
        """
        lessons, seen = [Lesson(NOP, START)], dict.fromkeys(LETTERS, 0)
        for place, letter in enumerate(instance, 1):
            seen[letter] += 1
            a, b, c = seen.values()
            right = {"a": b + c == 0, "b": c == 0 and b <= a, "c": c <= a == b}[letter]
            if not right:
                few = letter == "c" and c == 1 and b < a
                return [*lessons, Lesson(TOO_FEW if few else TOO_MANY, FREE)]
            lessons.append(Lesson(NOP, START if letter == "a" else place - a))
        return [*lessons, Lesson(ACCEPT if len({*seen.values()}) == 1 else TOO_FEW, FREE)]

    def spec(self, instance: str) -> bool:
        """The only word of its length."""
        third = len(instance) // 3
        return instance == "a" * third + "b" * third + "c" * third


def _beginnings(size: int) -> list[str]:
    """What a^n b^n c^n begins with, for some n: all such words of that length."""
    texts = {("a" * n + "b" * n + "c" * n)[:size] for n in range(size + 1) if 3 * n >= size}
    return sorted(texts)
