"""Algorithms made up for tests, and the machine that learned the example."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

import nhc
from examples.own_algorithm import Increment
from nhc.training.session import Result

NOP, STOP = 0, 1
Shown = tuple[Sequence[float], object]


@dataclass
class Script:
    """A data side that shows what it was told, and ends with `stop` or after all of it."""

    rows: list[Shown]
    stop: int = STOP
    shown: int = 0
    done: bool = False
    result: object = "right"

    def observe(self) -> Shown:
        self.shown += 1
        return self.rows[self.shown - 1]

    def act(self, op: int, word: object) -> None:
        self.done = op == self.stop or self.shown == len(self.rows)


class Scripted(nhc.Algorithm[int]):
    """Four ticks that show a letter each; the lessons are given."""

    def __init__(self, *lessons: tuple[int, object], **parts: object) -> None:
        self.lessons = [nhc.Lesson(op, word) for op, word in lessons]
        self.rows: list[Shown] = [([float(tick)], letter) for tick, letter in enumerate("abcd")]
        named = {"name": "scripted", "signals": ("one",), "ops": ("nop", "stop", "go"), "levels": 1}
        for name, part in {**named, **parts}.items():
            setattr(self, name, part)

    def sample(self, level: int, rng: np.random.Generator) -> int:
        return int(rng.integers(9))

    def begin(self, instance: int) -> Script:
        return Script(list(self.rows))

    def teacher(self, instance: int) -> list[nhc.Lesson]:
        return self.lessons

    def spec(self, instance: int) -> object:
        return "right"


def with_parts(algorithm: Increment, **parts: object) -> Increment:
    """The same algorithm with other names or methods."""
    for name, part in parts.items():
        setattr(algorithm, name, part)
    return algorithm


@cache
def learned() -> Result:
    """The example's machine; trained once a process."""
    return nhc.learn(Increment(), seed=0)
