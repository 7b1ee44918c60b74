"""An algorithm of one's own: binary increment, for numbers of any length.

The bits of a number come one a tick, the least first. Control decides which are flipped: it has to carry.
"""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import nhc

# %% data
KEEP, FLIP, ONE, STOP = range(4)


class Paper:
    """The number, whose bits are read one by one, and the answer that is written."""

    def __init__(self, number: str) -> None:
        self.number, self.seen, self.written, self.done = number, 0, "", False

    @property
    def result(self) -> str:
        return self.written

    def observe(self) -> tuple[Sequence[float], str]:
        """The signals, and the word that goes into the next memory cell: a bit while there are bits."""
        if self.seen == len(self.number):
            return (0, 1), "blank"
        bit = self.number[self.seen]
        self.seen += 1
        return (int(bit), 0), bit

    def act(self, op: int, word: object) -> None:
        """`word` is what control read from memory at this tick."""
        flipped = "0" if word == "1" else "1"
        self.written += {KEEP: str(word), FLIP: flipped, ONE: "1", STOP: ""}[op]
        self.done = op == STOP


# %% algorithm
class Increment(nhc.Algorithm[str]):
    """An instance is a number as text, the least bit first: "1101" is eleven."""

    name = "increment"
    signals = ("bit is 1", "number has ended")
    ops = ("keep", "flip", "one", "stop")
    levels = 5

    def sample(self, level: int, rng: np.random.Generator) -> str:
        """A random number of `level` bits."""
        return "".join(rng.choice(["0", "1"], level))

    def tasks(self, level: int) -> list[str]:
        """All of them."""
        return ["".join(bits) for bits in product("01", repeat=level)]

    def begin(self, number: str) -> Paper:
        """The data side before the first tick."""
        return Paper(number)

    def teacher(self, number: str) -> list[nhc.Lesson]:
        """Flip up to the first 0, keep the bits after it; if there was no 0, write one more 1."""
        lessons, carry = list[nhc.Lesson](), True
        for bit in number:
            lessons.append(nhc.Lesson(FLIP if carry else KEEP, bit))
            carry = carry and bit == "1"
        if carry:
            lessons.append(nhc.Lesson(ONE, nhc.FREE))
        return [*lessons, nhc.Lesson(STOP, nhc.FREE)]

    def spec(self, number: str) -> str:
        """The answer by arithmetic, with as many bits as the number has, or one more."""
        return format(int(number[::-1], 2) + 1, f"0{len(number)}b")[::-1]


# %% run
def main() -> None:
    increment = Increment()
    result = nhc.learn(increment, seed=0)
    print(f"learned: {result.mastered}, in {result.state.iteration} iterations from random weights")

    done = nhc.execute(result.model, "1101", keep=True)
    print(f"1101 + 1 = {done.result}, correct: {done.correct}")
    assert done.trace is not None
    print(done.trace.table())

    rng = np.random.default_rng(0)
    for length in (100, 1_000, 2_000):
        for number in (increment.sample(length, rng), "1" * length):
            done = nhc.execute(result.model, number)
            print(f"{length:>5,} bits, {number[:8]}...: {done.ticks:>6,} ticks, correct: {done.correct}")
    print("numbers of 40 bits,", nhc.measure(result.model, level=40, instances=100).label)

    with TemporaryDirectory() as folder:
        path = Path(folder) / "increment.safetensors"
        nhc.save_model(path, result.model)
        again = nhc.load_model(str(path), increment)
    print(f"saved and loaded: 111 + 1 = {nhc.execute(again, '111').result}")


if __name__ == "__main__":
    main()
