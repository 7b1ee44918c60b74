"""Intersect: which of some queries occur in a list? Each is looked up from the beginning."""

from collections.abc import Mapping
from itertools import product

import numpy as np

from nhc.algorithms.protocol import FREE, Lesson
from nhc.algorithms.sequence.algorithm import LARGE_STEPS, SequenceAlgorithm
from nhc.algorithms.sequence.stream import SYMBOLS, Symbols
from nhc.algorithms.tape import (
    BLANK,
    DONE,
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

NOP, EMIT, SKIP, STOP = range(4)
ENDED, EQUAL, NO_MORE = 1, 2, 4
STORED, READ, ASKED = OWN, OWN + 1, OWN + 2
"""How much of the tape is stored before queries come; the word read last; has the first query come?"""
MOST_LISTED, MOST_RANDOM = 2, 5

Lookup = tuple[Symbols, Symbols]
"""At least one symbol, and queries."""


def observe_lookup(tape: Words, registers: Words) -> tuple[Int64, Int64]:
    """The words to store; then whether the word read last equals the query, or no query is left."""
    position = registers[POSITION]
    if position < registers[STORED]:
        registers[POSITION] = position + 1
        return 0, tape[position]
    registers[ASKED] = 1
    if position == len(tape):
        return ENDED + NO_MORE, BLANK
    return (ENDED + EQUAL if tape[position] == registers[READ] else ENDED), BLANK


def act_intersect(op: int, word: int, tape: Words, registers: Words) -> Int64:
    """Keep the word read for a query; write or skip the query, and take the next; or stop."""
    position = registers[POSITION]
    registers[READ] = word if registers[ASKED] else BLANK
    registers[DONE] = op == STOP
    if registers[ASKED] and op in (EMIT, SKIP) and position < len(tape):
        registers[POSITION] = position + 1
        if op == EMIT:
            return tape[position]
    return NOTHING


class Intersect(SequenceAlgorithm[Lookup]):
    """A list and queries become the queries that are in the list, in their order."""

    name = "intersect"
    signals = ("ended", "equal", "no more")
    ops = ("nop", "emit", "skip", "stop")
    sizes = ((3,), (1, 2), (4,))
    defaults: Mapping[str, object] = {name: LARGE_STEPS[name] for name in ("budget", "es")}
    functions = Functions(observe_lookup, act_intersect)
    control = "the way through the list, its end, and back to its beginning at a tick that shows too late"
    alu = "says whether the word read last is the query; writes the query"

    def random(self, size: int, rng: np.random.Generator) -> Lookup:
        """Up to `MOST_RANDOM` queries, more than half of them from the list."""
        symbols = tuple((1 + rng.choice(SYMBOLS, size, replace=False)).tolist())
        count = int(rng.integers(1, MOST_RANDOM + 1))
        known, other = rng.choice(symbols, count), rng.integers(1, SYMBOLS, count)
        return symbols, tuple(np.where(rng.random(count) < 0.6, known, other).tolist())

    def listed(self, size: int) -> list[Lookup]:
        """Up to `MOST_LISTED` queries, for each symbol or for none; one more in short lists."""
        symbols, most = tuple(range(1, size + 1)), MOST_LISTED + (size < 3)
        return [(symbols, q) for count in range(most + 1) for q in product(range(size + 1), repeat=count)]

    def load(self, instance: Lookup) -> Loaded:
        """`START`, the symbols, the queries; nothing was read."""
        symbols, queries = instance
        return loaded([START, *symbols, *queries], 1 + len(symbols), BLANK, 0)

    def teacher(self, instance: Lookup) -> list[Lesson]:
        """For each query the symbols in turn. That one was equal shows a tick late, at `START` again."""
        symbols, queries = instance
        lessons = [Lesson(NOP, FREE)] * (1 + len(symbols)) + [Lesson(NOP, START)]
        for query in queries:
            found = query in symbols
            passed = symbols[: symbols.index(query) + 1] if found else (*symbols, BLANK)
            lessons += [*(Lesson(NOP, symbol) for symbol in passed), Lesson(EMIT if found else SKIP, START)]
        return [*lessons, Lesson(STOP, FREE)]

    def spec(self, instance: Lookup) -> Symbols:
        """By a set."""
        symbols, queries = instance
        return tuple(filter({*symbols}.__contains__, queries))
