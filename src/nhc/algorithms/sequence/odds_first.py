"""Odds first: the words at odd places, then those at even places; a shuffle undone."""

from nhc.algorithms.protocol import FREE, Lesson
from nhc.algorithms.sequence.algorithm import LARGE_STEPS
from nhc.algorithms.sequence.stream import EMIT, NOP, StreamAlgorithm, Symbols


class OddsFirst(StreamAlgorithm):
    """x1 .. xn becomes x1 x3 .. x2 x4 ..."""

    name = "odds-first"
    defaults = LARGE_STEPS
    control = "parity, in two passes that write different words, and which pass it is"
    alu = "writes the word read, or does not"

    def lessons(self, symbols: Symbols) -> list[Lesson]:
        """Two passes over all words, and an idle tick between them."""
        first = [Lesson((EMIT, NOP)[place % 2], symbol) for place, symbol in enumerate(symbols)]
        second = [Lesson((NOP, EMIT)[place % 2], symbol) for place, symbol in enumerate(symbols)]
        return [*first, Lesson(NOP, FREE), *second]

    def spec(self, instance: Symbols) -> Symbols:
        """The two slices."""
        return instance[::2] + instance[1::2]
