"""What the sequence algorithms have in common: sizes instead of levels, and a tape of words."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from nhc.algorithms.abstraction import Abstraction
from nhc.algorithms.protocol import InstanceT
from nhc.algorithms.sequence.environments import ENVIRONMENTS
from nhc.algorithms.tape import TapeAlgorithm

MOST_LISTED = 60
"""Examples of one size."""
LARGER, RANDOM = (9, 14), 6
"""Sizes of examples beyond those that are listed, and how many there are of each."""

LARGE_STEPS: Mapping[str, object] = {
    "budget": 30_000,
    "es": {"population": 60, "learning_rate": 0.05},
    "restart": {"patience": 300},
}
"""For what is learned in a few hundred iterations or not at all: larger steps, and begin anew soon."""

PATIENT_STEPS: Mapping[str, object] = {**LARGE_STEPS, "restart": {"patience": 3000}}
"""For what stays at one mistake for a thousand iterations, and then leaves it."""


class SequenceAlgorithm(TapeAlgorithm[InstanceT]):
    """An algorithm on a tape of words. Level L trains instances of the L-th group of `sizes`.

    The first group leaves no shortcut; sizes need not rise. Beyond the trained levels a level is a size.
    Instances can be listed: one for each sequence of signals, with words that can be told apart.
    """

    sizes: tuple[tuple[int, ...], ...]
    easy_levels: int = 0
    """The first levels, which have only the easy instances of their sizes."""
    exponential: bool = False
    """Do the ticks that a size takes grow exponentially? Then there are no large instances."""

    def __init_subclass__(cls) -> None:
        if hasattr(cls, "sizes"):
            cls.levels = len(cls.sizes)

    @abstractmethod
    def random(self, size: int, rng: np.random.Generator) -> InstanceT:
        """A random instance of a size; consumes `rng`."""

    @abstractmethod
    def listed(self, size: int) -> list[InstanceT]:
        """An instance for each sequence of signals that the size has."""

    def ticks(self, size: int) -> int | None:
        """Ticks of the teacher on a random instance, where they grow faster than the size; None elsewhere."""
        del size
        return None

    def shown(self, instance: InstanceT) -> tuple[object, ...]:
        """What control is shown along the teacher, and the operations: equal where it can't tell."""
        side, rows = self.begin(instance), list[object]()
        for op, word in self.teacher(instance):
            rows.append((op, side.observe()[0]))
            side.act(op, word)
        return tuple(rows)

    def abstraction(self) -> Abstraction | None:
        """From the table of all environments."""
        return ENVIRONMENTS.get(self.name)

    def sizes_of(self, level: int) -> tuple[int, ...]:
        """The sizes that a level trains."""
        return self.sizes[level - 1] if level <= len(self.sizes) else (level,)

    def sample(self, level: int, rng: np.random.Generator) -> InstanceT:
        """A random instance of one of the level's sizes."""
        return self.random(int(rng.choice(self.sizes_of(level))), rng)

    def tasks(self, level: int) -> Sequence[InstanceT]:
        """Those of the level's sizes, as control sees them."""
        instances = (instance for size in self.sizes_of(level) for instance in self.listed(size))
        return [each for each in instances if level > self.easy_levels or self.is_easy(each)]

    def is_easy(self, instance: InstanceT) -> bool:
        """Is it an instance of the first levels, too?"""
        del instance
        return True

    def examples(self) -> list[InstanceT]:
        """Of the trained sizes those that are listed, evenly if there are many; random ones beyond."""
        rng, chosen = np.random.default_rng(0), list[InstanceT]()
        sizes = sorted({size for group in self.sizes for size in group})
        for size in sizes:
            listed = self.listed(size)
            chosen += listed[:: max(1, len(listed) // MOST_LISTED)]
        larger = [size for size in LARGER if 2 * size > sizes[-1] and not self.exponential]
        return chosen + [self.random(size, rng) for size in larger for _ in range(RANDOM)]

    def longest(self, level: int) -> int:
        """Most ticks of a listed instance of the levels up to `level`."""
        return _longest(
            self, frozenset(size for number in range(1, level + 1) for size in self.sizes_of(number))
        )


@cache
def _longest(algorithm: SequenceAlgorithm[InstanceT], sizes: frozenset[int]) -> int:
    return max(len(algorithm.teacher(instance)) for size in sizes for instance in algorithm.listed(size))
