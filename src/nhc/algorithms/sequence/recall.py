"""Recall: the values of some keys, in a list of keys and values of which any may look like any other."""

from itertools import product

import numpy as np

from nhc.algorithms.protocol import FREE, Lesson
from nhc.algorithms.sequence.algorithm import PATIENT_STEPS, SequenceAlgorithm
from nhc.algorithms.sequence.intersect import ASKED, READ, observe_lookup
from nhc.algorithms.sequence.stream import SYMBOLS, Symbols
from nhc.algorithms.tape import (
    BLANK,
    DONE,
    NIL,
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

NOP, EMIT, FAIL, STOP = range(4)
MOST_RANDOM = 12
"""Queries of a random instance."""
MOST_LISTED = {1: 4, 2: 3}
"""Queries of a listed instance, by its size; else two. What one leaves in memory shows at a later one."""
FEW = 2
"""Queries at the first levels."""

Pairs = tuple[tuple[int, int], ...]
Question = tuple[Pairs, Symbols]
"""At least one key with its value, and the keys that are asked for."""


def act_recall(op: int, word: int, tape: Words, registers: Words) -> Int64:
    """Keep the word read for a query; write it or, for no value, `NIL`, and take the next query; or stop."""
    registers[READ] = word if registers[ASKED] else BLANK
    registers[DONE] = op == STOP
    if op in (EMIT, FAIL):
        if registers[ASKED] and registers[POSITION] < len(tape):
            registers[POSITION] += 1
        return word if op == EMIT else NIL
    return NOTHING


class Recall(SequenceAlgorithm[Question]):
    """Keys with values and queries become the values, None for a key that is missing."""

    name = "recall"
    signals = ("ended", "equal", "no more")
    ops = ("nop", "emit", "fail", "stop")
    sizes = ((1, 2), (3,), (1, 2))
    easy_levels = 2
    defaults = PATIENT_STEPS
    functions = Functions(observe_lookup, act_recall)
    control = "as for intersect, and which words are keys: a value may equal the query"
    alu = "says whether the word read last is the query; writes the word read"

    def random(self, size: int, rng: np.random.Generator) -> Question:
        """Half of the time from few symbols, so that values equal keys; up to `MOST_RANDOM` queries."""
        largest = SYMBOLS if rng.random() < 0.5 else 2 * size + 1
        keys = (1 + rng.choice(largest, size, replace=False)).tolist()
        pairs = tuple(zip(keys, rng.integers(1, largest + 1, size).tolist(), strict=True))
        queries = list[int]()
        for _ in range(int(rng.integers(1, MOST_RANDOM + 1))):
            key, value = pairs[int(rng.integers(size))]
            queries.append(int(rng.choice([key, key, key, value, rng.integers(1, largest + 1)])))
        return pairs, tuple(queries)

    def listed(self, size: int) -> list[Question]:
        """Queries for keys or for none; values are like any query, or like no other word."""
        keys, missing = range(1, size + 1), (-1, -2)
        found = dict[object, Question]()
        for count in range(MOST_LISTED.get(size, FEW) + 1):
            for queries in product((*keys, *missing), repeat=count):
                for like in product((None, *sorted({*queries})), repeat=size):
                    values = [
                        100 + key if value is None else value for key, value in zip(keys, like, strict=True)
                    ]
                    question = tuple(zip(keys, values, strict=True)), queries
                    found.setdefault(self.shown(question), question)
        return [*found.values()]

    def is_easy(self, instance: Question) -> bool:
        """Are there few queries?"""
        return len(instance[1]) <= FEW

    def load(self, instance: Question) -> Loaded:
        """`START`, the pairs, the queries; nothing was read."""
        pairs, queries = instance
        stored = [START, *(word for pair in pairs for word in pair)]
        return loaded([*stored, *queries], len(stored), BLANK, 0)

    def answer(self, written: Written) -> tuple[int | None, ...]:
        """None for `NIL`."""
        return tuple(None if word == NIL else word for word in written)

    def teacher(self, instance: Question) -> list[Lesson]:
        """For each query `START` and all words in turn, until a key was equal: that shows at its value."""
        pairs, queries = instance
        lessons = [Lesson(NOP, FREE)] * (1 + 2 * len(pairs))
        for query in queries:
            lessons.append(Lesson(NOP, START))
            for key, value in pairs:
                lessons += [Lesson(NOP, key), Lesson(EMIT if key == query else NOP, value)]
                if key == query:
                    break
            else:
                lessons.append(Lesson(FAIL, BLANK))
        return [*lessons, Lesson(STOP, FREE)]

    def spec(self, instance: Question) -> tuple[int | None, ...]:
        """By a dictionary, in which the first of equal keys stays."""
        pairs, queries = instance
        return tuple(map(dict(reversed(pairs)).get, queries))
