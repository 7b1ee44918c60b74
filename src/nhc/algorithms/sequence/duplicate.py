"""Duplicate: each word of the input twice."""

from nhc.algorithms.protocol import Lesson
from nhc.algorithms.sequence.stream import EMIT, StreamAlgorithm, Symbols


class Duplicate(StreamAlgorithm):
    """x1 .. xn becomes x1 x1 .. xn xn."""

    name = "duplicate"
    control = "as for copy, and to read a cell twice, though no mechanism stays where it is"
    alu = "writes the word read"

    def lessons(self, symbols: Symbols) -> list[Lesson]:
        """Each word, and again."""
        return [Lesson(EMIT, symbol) for symbol in symbols for _ in range(2)]

    def spec(self, instance: Symbols) -> Symbols:
        """Place i has the symbol of place i / 2."""
        return tuple(instance[place // 2] for place in range(2 * len(instance)))
