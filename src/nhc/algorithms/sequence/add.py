"""Add: the sum of two numbers of any lengths in any base, least digit first."""

from collections.abc import Mapping
from itertools import product

import numpy as np

from nhc.algorithms.protocol import FREE, Lesson
from nhc.algorithms.sequence.algorithm import LARGE_STEPS, SequenceAlgorithm
from nhc.algorithms.tape import (
    DONE,
    END,
    NOTHING,
    OWN,
    PLUS,
    POSITION,
    Functions,
    Int64,
    Loaded,
    Words,
    loaded,
)
from nhc.shapes import NONE

NOP, LOAD, ADD, ADD_ONE = range(4)
AT_PLUS, ENDED, CARRIES = 1, 2, 4
BASE, ADDEND, CARRY = OWN, OWN + 1, OWN + 2
BASES = (2, 10, 1000, 65536)
WIDE = 1000
"""The base of listed numbers: all their digits differ."""

Digits = tuple[int, ...]
Numbers = tuple[int, Digits, Digits]
"""The base, and two numbers of at least one digit each, least digit first."""


def observe_add(tape: Words, registers: Words) -> tuple[Int64, Int64]:
    """The digits of the first number, `PLUS`, those of the second; then the carry."""
    position = registers[POSITION]
    if position < len(tape):
        registers[POSITION] = position + 1
        word = tape[position]
        return (AT_PLUS if word == PLUS else 0), word
    return (ENDED + CARRIES if registers[CARRY] else ENDED), END


def act_add(op: int, word: int, tape: Words, registers: Words) -> Int64:
    """Load a digit, or add one to it and write the digit of the sum.

    A word that is no digit counts as 0. The sum of two such ends the run, with a last 1 if asked to add one.
    """
    if op == LOAD:
        registers[ADDEND] = word
    elif op in (ADD, ADD_ONE):
        one, addend = op == ADD_ONE, registers[ADDEND]
        registers[DONE] = addend < 0 and word < 0
        total = max(addend, 0) + max(word, 0) + one
        registers[CARRY] = total >= registers[BASE]
        if one or not registers[DONE]:
            return total % registers[BASE]
    return NOTHING


class Add(SequenceAlgorithm[Numbers]):
    """(10, (9, 9, 9), (1,)) becomes (0, 0, 0, 1)."""

    name = "add"
    signals = ("plus", "ended", "carry")
    ops = ("nop", "load", "add", "add and one")
    sizes = ((1, 2), (3,), (1, 2), (3,), (4,))
    easy_levels = 2
    defaults: Mapping[str, object] = {**LARGE_STEPS, "restart": {"patience": 1000}}
    functions = Functions(observe_add, act_add)
    control = "a digit of each number in turn, of which either may run out; what a carry means"
    alu = "adds two digits; says whether there is a carry; ends when both numbers have run out"

    def random(self, size: int, rng: np.random.Generator) -> Numbers:
        """The longer number has `size` digits; sometimes all digits are large, so a carry runs far."""
        base, other = int(rng.choice(BASES)), int(rng.integers(1, size + 1))
        least = base - 2 if rng.random() < 0.2 else 0
        lengths = rng.permutation([size, size if rng.random() < 0.3 else other])
        first, second = (tuple(rng.integers(least, base, length).tolist()) for length in lengths)
        return base, first, second

    def is_easy(self, instance: Numbers) -> bool:
        """Have both numbers the same length? Then a carry is all that varies."""
        return len(instance[1]) == len(instance[2])

    def listed(self, size: int) -> list[Numbers]:
        """All pairs of lengths, and places that carry."""
        pairs = [(size, other) for other in range(1, size + 1)] + [(other, size) for other in range(1, size)]
        every = [_with_carries(pair, carries) for pair in pairs for carries in product((0, 1), repeat=size)]
        return [numbers for numbers in every if numbers is not None]

    def load(self, instance: Numbers) -> Loaded:
        """The first number, `PLUS` and the second; no carry."""
        base, first, second = instance
        return loaded([*first, PLUS, *second], base, 0, 0)

    def teacher(self, instance: Numbers) -> list[Lesson]:
        """At each place load a digit of the first number, or `PLUS`, and add one of the second, or `END`."""
        base, first, second = instance
        lessons, carry = [Lesson(NOP, FREE)] * (len(first) + 1 + len(second)), 0
        for place in range(max(len(first), len(second))):
            addend = first[place] if place < len(first) else PLUS
            digit = second[place] if place < len(second) else END
            lessons += [Lesson(LOAD, addend), Lesson(ADD_ONE if carry else ADD, digit)]
            carry = max(addend, 0) + max(digit, 0) + carry >= base
        return [*lessons, Lesson(LOAD, PLUS), Lesson(ADD_ONE if carry else ADD, END)]

    def spec(self, instance: Numbers) -> Digits:
        """All places at once. One with a sum of base - 1 passes on the carry of the last that has another."""
        base, *numbers = instance
        sums = np.zeros(max(map(len, numbers)), np.int64)
        for digits in numbers:
            sums[: len(digits)] += digits
        deciding = np.maximum.accumulate(np.where(sums == base - 1, NONE, np.arange(len(sums))))
        carries = (deciding != NONE) & (sums[deciding] >= base)
        sums[1:] += carries[:-1]
        return (*(sums % base).tolist(), *([1] if carries[-1] else []))


def _with_carries(lengths: tuple[int, int], carries: tuple[int, ...]) -> Numbers | None:
    """Numbers of these lengths that carry where they should, None if they cannot."""
    numbers: tuple[list[int], list[int]] = [], []
    before = 0
    for place, carry in enumerate(carries):
        if place < min(lengths):
            small = WIDE // 2 * carry + place
            numbers[0].append(small + 1)
            numbers[1].append(small + 101)
        elif carry > before:  # One digit alone passes a carry on, if it is the largest.
            return None
        else:
            numbers[lengths[1] > lengths[0]].append(WIDE - 1 if carry else place + 1)
        before = carry
    return WIDE, tuple(numbers[0]), tuple(numbers[1])
