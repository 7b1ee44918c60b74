"""Runs of unmarked memory cells, known by their ends, the labels in them, and which may follow which.

A run is a sequence of at least one cell. Some labels are known to occur in it, and pairs of labels outside a
list are known not to be neighbours. In the *exact* abstraction all labels that may occur are known to occur:
more cases, and nothing is forgotten. Every operation returns all cases there may be.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

MOST_LABELS = 12


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

    first: Label
    last: Label
    labels: Labels
    """Labels that occur, the ends among them."""
    pairs: Pairs
    """Labels that may be neighbours."""

    @property
    def possible_labels(self) -> Labels:
        """All labels that may occur."""
        return self.labels.union(*self.pairs)


class Cut(NamedTuple):
    """A run cut at a cell: the cells before it, its label, the cells after it."""

    before: Run | None
    label: Label
    after: Run | None


def run_of(label: Label) -> Run:
    """A run of one cell."""
    return Run(label, label, frozenset({label}), frozenset())


def joined(first: Run, second: Run) -> Run:
    """One run after another."""
    pairs = first.pairs | second.pairs | {(first.last, second.first)}
    return Run(first.first, second.last, first.labels | second.labels, pairs)


@lru_cache(maxsize=200_000)
def run_between(first: Label, last: Label, labels: Labels, pairs: Pairs, exact: bool) -> Run | None:
    """The run from `first` to `last` in which these labels occur (if `exact`, no others), or None.

    There is one if the labels can be put in a row such that each reaches the next, `first` begins and `last`
    ends it: reaching is transitive.
    """
    if exact:
        pairs = frozenset(pair for pair in pairs if pair[0] in labels and pair[1] in labels)
        if first not in labels or last not in labels:
            return None
    labels |= {first, last}
    ahead, back = _reach(pairs), _reach(frozenset((b, a) for a, b in pairs))
    for a in labels:
        if (a != first and a not in ahead.get(first, ())) or (a != last and a not in back.get(last, ())):
            return None
    if not all(b in ahead.get(a, ()) or a in ahead.get(b, ()) for a, b in combinations(labels, 2)):
        return None
    from_first, to_last = {first, *ahead.get(first, ())}, {last, *back.get(last, ())}
    useful = frozenset((a, b) for a, b in pairs if a in from_first and b in to_last)
    return Run(first, last, labels, useful)


@lru_cache(maxsize=20_000)
def _reach(pairs: Pairs) -> dict[Label, frozenset[Label]]:
    """For each label those that can come anywhere after it."""
    after: dict[Label, set[Label]] = {}
    for a, b in pairs:
        after.setdefault(a, set()).add(b)
    found = {}
    for label in after:
        seen, left = set[Label](), [label]
        while left:
            new = after.get(left.pop(), set()) - seen
            seen |= new
            left += new
        found[label] = frozenset(seen)
    return found


@lru_cache(maxsize=100_000)
def without_first(run: Run, exact: bool) -> tuple[Cut, ...]:
    """The run cut at its first cell."""
    cuts = [Cut(None, run.first, None)] if run.labels == {run.first, run.last} == {run.first} else []
    for label in {b for a, b in run.pairs if a == run.first}:
        for labels in ({run.labels} if exact else set()) | {run.labels - {run.first}}:
            rest = run_between(label, run.last, labels, run.pairs, exact)
            cuts += [Cut(None, run.first, rest)] if rest else []
    return tuple(cuts)


@lru_cache(maxsize=100_000)
def without_last(run: Run, exact: bool) -> tuple[Cut, ...]:
    """The run cut at its last cell."""
    cuts = [Cut(None, run.last, None)] if run.labels == {run.first, run.last} == {run.first} else []
    for label in {a for a, b in run.pairs if b == run.last}:
        for labels in ({run.labels} if exact else set()) | {run.labels - {run.last}}:
            rest = run_between(run.first, label, labels, run.pairs, exact)
            cuts += [Cut(rest, run.last, None)] if rest else []
    return tuple(cuts)


@lru_cache(maxsize=100_000)
def cut_at_word(run: Run, word: int, exact: bool) -> tuple[Cut, ...]:
    """The run cut at the first cell that holds `word`, if one does."""
    hits = frozenset(label for label in run.possible_labels if label.word == word)
    return tuple(cut for hit in hits for cut in _cuts(run, hit, run.possible_labels - hits, exact))


@lru_cache(maxsize=100_000)
def cut_anywhere(run: Run, exact: bool) -> tuple[Cut, ...]:
    """The run cut at each of its cells."""
    every = run.possible_labels
    return tuple(cut for hit in every for cut in _cuts(run, hit, every, exact))


def _cuts(run: Run, hit: Label, allowed: Labels, exact: bool) -> Iterator[Cut]:
    """Every cut at `hit` with labels of `allowed` before it."""
    if exact and len(run.labels) > MOST_LABELS:
        raise TooManyCases(f"a run with {len(run.labels)} labels")
    for before in _befores(run, hit, allowed, exact):
        used = frozenset({hit}) | (before.labels if before else frozenset())
        missing = run.labels - used if exact else frozenset()
        if not missing and hit == run.last:
            yield Cut(before, hit, None)
        for more in subsets(used) if exact else [frozenset[Label]()]:
            labels = missing | more
            for start in {b for a, b in run.pairs if a == hit and (b in labels or not exact)}:
                rest = run_between(start, run.last, labels, run.pairs, exact)
                if rest:
                    yield Cut(before, hit, rest)


def _befores(run: Run, hit: Label, allowed: Labels, exact: bool) -> Iterator[Run | None]:
    if hit == run.first:
        yield None
    if run.first not in allowed:
        return
    pairs = frozenset(pair for pair in run.pairs if pair[0] in allowed and pair[1] in allowed)
    for more in subsets(allowed - {run.first}) if exact else [frozenset[Label]()]:
        labels = more | {run.first}
        for end in {a for a, b in run.pairs if b == hit and a in (labels if exact else allowed)}:
            before = run_between(run.first, end, labels, pairs, exact)
            if before:
                yield before


def subsets(labels: Iterable[Label]) -> Iterator[Labels]:
    """All subsets."""
    listed = list(labels)
    for size in range(len(listed) + 1):
        yield from map(frozenset, combinations(listed, size))
