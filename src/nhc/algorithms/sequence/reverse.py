"""Reverse: the input from its last word back to its first."""

from nhc.algorithms.protocol import Lesson
from nhc.algorithms.sequence.stream import EMIT, StreamAlgorithm, Symbols


class Reverse(StreamAlgorithm):
    """x1 .. xn becomes xn .. x1."""

    name = "reverse"
    control = "the last cell at the very tick the input ends; the way back; which cell was the first"
    alu = "writes the word read"

    def lessons(self, symbols: Symbols) -> list[Lesson]:
        """From the last word to the first."""
        return [Lesson(EMIT, symbols[place]) for place in range(len(symbols) - 1, -1, -1)]

    def spec(self, instance: Symbols) -> Symbols:
        """Turned round."""
        return tuple(reversed(instance))
