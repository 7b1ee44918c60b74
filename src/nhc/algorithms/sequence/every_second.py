"""Every second: the first word of the input, the third, the fifth."""

from nhc.algorithms.protocol import Lesson
from nhc.algorithms.sequence.algorithm import LARGE_STEPS
from nhc.algorithms.sequence.stream import EMIT, NOP, StreamAlgorithm, Symbols


class EverySecond(StreamAlgorithm):
    """x1 .. xn becomes x1 x3 x5 ..."""

    name = "every-second"
    defaults = LARGE_STEPS
    control = "as for copy, and the parity of a place, of which no signal tells"
    alu = "writes the word read, or does not"

    def lessons(self, symbols: Symbols) -> list[Lesson]:
        """Each word in turn, of which every second is written."""
        return [Lesson((EMIT, NOP)[place % 2], symbol) for place, symbol in enumerate(symbols)]

    def spec(self, instance: Symbols) -> Symbols:
        """The slice."""
        return instance[::2]
