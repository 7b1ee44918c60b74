"""Sort: the symbols in rising order, by selection: a pass backwards through memory for each."""

from itertools import permutations

import numpy as np

from nhc.algorithms.protocol import FREE, Lesson
from nhc.algorithms.sequence.algorithm import PATIENT_STEPS, SequenceAlgorithm
from nhc.algorithms.sequence.stream import Symbols, random_symbols
from nhc.algorithms.tape import (
    BLANK,
    DONE,
    LARGEST,
    NOTHING,
    OWN,
    POSITION,
    START,
    Functions,
    Int64,
    Loaded,
    Words,
    loaded,
)

NOP, MIN, EMIT, STOP = range(4)
ENDED, LESS = 1, 2
LEAST, FLAG = OWN, OWN + 1
"""The least word of this pass, and whether the word read last was a new one."""
EMPTY = LARGEST + 1
"""In `LEAST`, more than any symbol."""


def observe_sort(tape: Words, registers: Words) -> tuple[Int64, Int64]:
    """The symbols; then whether the word read last was a new least one."""
    position = registers[POSITION]
    if position < len(tape):
        registers[POSITION] = position + 1
        return 0, tape[position]
    return (ENDED + LESS if registers[FLAG] else ENDED), BLANK


def act_sort(op: int, word: int, tape: Words, registers: Words) -> Int64:
    """Compare the word read with the least so far; write it, and forget that; or stop."""
    registers[FLAG] = 0
    registers[DONE] = op == STOP
    if op == MIN and word < registers[LEAST]:
        registers[LEAST] = word
        registers[FLAG] = 1
    if op == EMIT:
        registers[LEAST] = EMPTY
        return word
    return NOTHING


class Sort(SequenceAlgorithm[Symbols]):
    """x1 .. xn in rising order."""

    name = "sort"
    signals = ("ended", "less")
    ops = ("nop", "min", "emit", "stop")
    sizes = ((4,), (1, 2, 3), (5,))
    defaults = PATIENT_STEPS
    functions = Functions(observe_sort, act_sort)
    control = (
        "passes; a mark on what may be the least, taken from what was; finding it again; one on what is done"
    )
    alu = "says whether the word read last was the least so far; writes the word read"

    def random(self, size: int, rng: np.random.Generator) -> Symbols:
        """Random symbols, some of them equal."""
        return random_symbols(size, rng)

    def ticks(self, size: int) -> int:
        """Words are stored; there is a pass for each symbol, and one that finds none."""
        return 1 + size + (size + 1) * (size + 3)

    def listed(self, size: int) -> list[Symbols]:
        """All orders. Of equal symbols the last counts as the least, so they are one of them."""
        return [*permutations(range(1, size + 1))]

    def load(self, instance: Symbols) -> Loaded:
        """`START` and the symbols."""
        return loaded([START, *instance], EMPTY, 0)

    def teacher(self, instance: Symbols) -> list[Lesson]:
        """Each pass: a cell behind the input, the symbols from the last, `START`, the least one again."""
        lessons, done = [Lesson(NOP, FREE)] * (1 + len(instance)), set[int]()
        while True:
            lessons.append(Lesson(NOP, BLANK))
            least: int | None = None
            for place in range(len(instance) - 1, -1, -1):
                lessons.append(Lesson(NOP if place in done else MIN, instance[place]))
                if place not in done and (least is None or instance[place] < instance[least]):
                    least = place
            lessons.append(Lesson(NOP, START))
            if least is None:
                return [*lessons, Lesson(STOP, FREE)]
            done.add(least)
            lessons.append(Lesson(EMIT, instance[least]))

    def spec(self, instance: Symbols) -> Symbols:
        """Python's own."""
        return tuple(sorted(instance))
