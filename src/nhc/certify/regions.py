"""Runs of unmarked memory cells, known by what each cell may be and by which cells may be neighbours.

A run is a sequence of at least one cell. Every operation returns all cases there may be.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import NamedTuple


class TooManyCases(Exception):
    """The abstraction is too fine for this machine."""


class Label(NamedTuple):
    """What is known of a cell: its control word, where its usage parent is, and the author's ghost."""

    word: int
    parent: str
    ghost: str


Labels = frozenset[Label]
Pairs = frozenset[tuple[Label, Label]]


class Run(NamedTuple):
    """Cells between two marks."""

    firsts: Labels
    """What the first may be."""
    lasts: Labels
    """What the last may be."""
    pairs: Pairs
    """What neighbours may be."""

    @property
    def possible(self) -> Labels:
        """What a cell may be."""
        return self.firsts.union(self.lasts, *self.pairs)

    def union(self, other: "Run") -> "Run":
        """One or the other."""
        return Run(self.firsts | other.firsts, self.lasts | other.lasts, self.pairs | other.pairs)

    def then(self, other: "Run") -> "Run":
        """One after the other."""
        between = product(self.lasts, other.firsts)
        return Run(self.firsts, other.lasts, self.pairs.union(other.pairs, between))


class Cut(NamedTuple):
    """A run cut at a cell: the cells before it, its label, the cells after it."""

    before: Run | None
    label: Label
    after: Run | None


def run_of(label: Label) -> Run:
    """A run of one cell."""
    return Run(frozenset({label}), frozenset({label}), frozenset())


def run_between(firsts: Labels, lasts: Labels, pairs: Pairs) -> Iterator[Run]:
    """The run that begins and ends so, without what no such run has; none if there is none."""
    ahead = _reached(firsts, pairs)
    behind = _reached(lasts, frozenset((b, a) for a, b in pairs))
    if firsts & behind:
        useful = frozenset((a, b) for a, b in pairs if a in ahead and b in behind)
        yield Run(firsts & behind, lasts & ahead, useful)


@lru_cache(maxsize=50_000)
def _reached(starts: Labels, pairs: Pairs) -> Labels:
    """What can come at or after the starts."""
    found, new = starts, starts
    while new:
        new = frozenset(b for a, b in pairs if a in new) - found
        found |= new
    return found


@lru_cache(maxsize=50_000)
def without_first(run: Run) -> tuple[Cut, ...]:
    """The run cut at its first cell."""
    return tuple(Cut(None, first, rest) for first in sorted(run.firsts) for rest in _afters(run, first))


@lru_cache(maxsize=50_000)
def without_last(run: Run) -> tuple[Cut, ...]:
    """The run cut at its last cell."""
    return tuple(
        Cut(rest, last, None) for last in sorted(run.lasts) for rest in _befores(run, last, frozenset())
    )


@lru_cache(maxsize=50_000)
def cut_at_word(run: Run, word: int) -> tuple[Cut, ...]:
    """The run cut at the first cell that holds `word`, if one does."""
    hits = frozenset(label for label in run.possible if label.word == word)
    return tuple(
        Cut(before, hit, after)
        for hit in sorted(hits)
        for before in _befores(run, hit, hits)
        for after in _afters(run, hit)
    )


@lru_cache(maxsize=50_000)
def without_word(run: Run, word: int) -> Run | None:
    """The run of which no cell holds `word`; None if there is none."""
    hits = frozenset(label for label in run.possible if label.word == word)
    others = frozenset(pair for pair in run.pairs if hits.isdisjoint(pair))
    return next(run_between(run.firsts - hits, run.lasts - hits, others), None)


@lru_cache(maxsize=50_000)
def cut_anywhere(run: Run) -> tuple[Cut, ...]:
    """The run cut at each of its cells."""
    return tuple(
        Cut(before, hit, after)
        for hit in sorted(run.possible)
        for before in _befores(run, hit, frozenset())
        for after in _afters(run, hit)
    )


def _befores(run: Run, hit: Label, barred: Labels) -> Iterator[Run | None]:
    """What may come before a cell, without labels that are barred."""
    if hit in run.firsts:
        yield None
    lasts = frozenset(a for a, b in run.pairs if b == hit)
    pairs = frozenset(pair for pair in run.pairs if barred.isdisjoint(pair))
    yield from run_between(run.firsts - barred, lasts - barred, pairs)


def _afters(run: Run, hit: Label) -> Iterator[Run | None]:
    """What may come after a cell."""
    if hit in run.lasts:
        yield None
    yield from run_between(frozenset(b for a, b in run.pairs if a == hit), run.lasts, run.pairs)
