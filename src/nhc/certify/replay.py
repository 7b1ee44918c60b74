"""Runs of a machine on instances, decision by decision, and the search for one that is wrong."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from nhc.algorithms.protocol import FREE, Lesson, Word
from nhc.algorithms.registry import AnyAlgorithm
from nhc.algorithms.sequence.algorithm import SequenceAlgorithm
from nhc.certify.decisions import Decisions, MarginError
from nhc.certify.enclosure import Seen
from nhc.certify.follow import tick
from nhc.program.plain import PlainMemory
from nhc.shapes import NONE
from nhc.streams import random_stream

TICKS_A_TASK = 20
"""Ticks that a run may take, for each that its teacher needs."""
RANDOM_SIZES, LONG_TICKS = 40, 500
"""Sizes of random instances grow up to the first, or until one takes more ticks than the second."""


class Replay(NamedTuple):
    """A run on one instance."""

    instance: object
    ticks: int
    ended: bool
    result: object
    wanted: object
    off_at: int
    """The first tick that is not the teacher's; 0 if all are."""

    @property
    def correct(self) -> bool:
        """Did it end with the specification's result?"""
        return self.ended and self.result == self.wanted

    def __str__(self) -> str:
        found = f"the result is {self.result!r}" if self.ended else f"no end after {self.ticks} ticks"
        return f"{self.instance!r}: {found} instead of {self.wanted!r}"


def replayed(decisions: Decisions, algorithm: AnyAlgorithm, instance: object) -> Replay:
    """The run of a machine on an instance. Raises MarginError where rounding could change it."""
    side, lessons, memory = algorithm.begin(instance), algorithm.teacher(instance), PlainMemory[int]()
    stored, seen, off_at, ticks = list[Word](), Seen((), NONE, NONE), 0, 0
    while not side.done and ticks < TICKS_A_TASK * len(lessons):
        signals, new = side.observe()
        seen = seen._replace(signals=tuple(map(int, signals)))
        if not memory.words and decisions.written(seen)[1] == NONE:
            break
        op = tick(decisions, memory, seen)
        stored += [new] * (len(memory.words) - len(stored))
        ticks += 1
        if not off_at and not _taught(lessons[ticks - 1 : ticks], op, stored[memory.cursor]):
            off_at = ticks
        side.act(op, stored[memory.cursor])
        seen = Seen((), memory.words[memory.cursor], op)
    result = side.result if side.done else None
    off_at = off_at or (0 if ticks == len(lessons) else ticks)
    return Replay(instance, ticks, side.done, result, algorithm.spec(instance), off_at)


def _taught(lesson: Sequence[Lesson], op: int, word: Word) -> bool:
    """Does the teacher do so? `lesson` is its tick, or none if it has ended."""
    return any(one.op == op and (one.word is FREE or one.word == word) for one in lesson)


def instances(algorithm: AnyAlgorithm) -> Iterator[object]:
    """Instances of an algorithm: the small ones that can be listed, then random ones. Endless."""
    levels = range(1, algorithm.levels + 1)
    if isinstance(algorithm, SequenceAlgorithm):
        sizes = [size for level in levels for size in algorithm.sizes_of(level)]
        for size in range(min(sizes), max(sizes) + 2):
            yield from algorithm.listed(size)
    else:
        for level in levels:
            yield from algorithm.tasks(level) or ()
    rng, largest, longest = random_stream(0, "refute"), algorithm.levels, 0
    while True:
        for level in range(1, largest + 1):
            instance = algorithm.sample(level, rng)
            longest = max(longest, len(algorithm.teacher(instance)))
            yield instance
        # Some algorithms take twice as long with each size.
        largest += largest < RANDOM_SIZES and longest < LONG_TICKS


class Searched(NamedTuple):
    """What a search among instances found."""

    wrong: Replay | None
    """The first whose result is wrong."""
    off: Replay | None
    """The first that left the teacher."""
    tried: int


def search(decisions: Decisions, algorithm: AnyAlgorithm, ticks: int) -> Searched:
    """Instances in order of size, until one is wrong or so many ticks were taken. At least one is tried.

    Instances on which rounding could change the run are passed over: they show nothing.
    """
    off, tried = None, 0
    for instance in instances(algorithm):
        if ticks < 0:
            break
        tried += 1
        try:
            run = replayed(decisions, algorithm, instance)
        except MarginError:
            ticks -= len(algorithm.teacher(instance))
            continue
        if not run.correct:
            return Searched(run, off, tried)
        off = run if off is None and run.off_at else off
        ticks -= run.ticks
    return Searched(None, off, tried)
