"""Hanoi: the disk to move, move by move, for a tower of any height; a binary counter in the control words.

Whatever the rule that names the pegs, the disks of the shortest solution are those of the ruler sequence.
"""

from nhc.algorithms.protocol import Lesson
from nhc.algorithms.sequence.algorithm import LARGE_STEPS
from nhc.algorithms.sequence.stream import EMIT, NOP, StreamAlgorithm, Symbols


class Hanoi(StreamAlgorithm):
    """Disks x1 .. xn, the smallest first, become 2^n - 1 moves of a disk: x1 x2 x1 x3 x1 x2 x1 ..."""

    name = "hanoi"
    sizes = ((3,), (1, 2), (4,), (5,))
    exponential = True
    defaults = LARGE_STEPS
    control = "all of it: a counter whose digits are control words, one in the cell of each disk"
    alu = "writes the word read, or does not"

    def ticks(self, size: int) -> int:
        """Disks are stored; disk k is read at every 2^(k-1)-th of 2^n steps of the counter."""
        return size + 2 ** (size + 1) - 1

    def lessons(self, symbols: Symbols) -> list[Lesson]:
        """Again and again from x1: pass over ones and make them zeros, make the first zero a one, move it."""
        lessons, digits = list[Lesson](), [0] * len(symbols)
        while True:
            for place, symbol in enumerate(symbols):
                digits[place] = 1 - digits[place]
                lessons.append(Lesson(EMIT if digits[place] else NOP, symbol))
                if digits[place]:
                    break
            else:
                return lessons

    def spec(self, instance: Symbols) -> Symbols:
        """All disks but the largest, the largest, and all others again."""
        moves: Symbols = ()
        for disk in instance:
            moves = (*moves, disk, *moves)
        return moves
