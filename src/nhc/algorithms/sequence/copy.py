"""Copy: the input once more, from its first word on."""

from nhc.algorithms.protocol import Lesson
from nhc.algorithms.sequence.stream import EMIT, StreamAlgorithm, Symbols


class Copy(StreamAlgorithm):
    """x1 .. xn becomes x1 .. xn."""

    name = "copy"
    control = "where the input begins; that the first cell written after it means its end"
    alu = "writes the word read"

    def lessons(self, symbols: Symbols) -> list[Lesson]:
        """Each word in turn."""
        return [Lesson(EMIT, symbol) for symbol in symbols]

    def spec(self, instance: Symbols) -> Symbols:
        """The same."""
        return instance
