"""What runs of cells can look like, by following every sequence of labels that may be there."""

from functools import cache
from typing import NamedTuple

Label = tuple[int, str, str]
"""Control word, where the parent is, ghost."""
Labels = frozenset[Label]
Pairs = frozenset[tuple[Label, Label]]


class Run(NamedTuple):
    """At least one cell."""

    first: Label
    last: Label
    present: Labels
    """Labels that occur; all that do, if the certificate is exact."""
    pairs: Pairs
    """All neighbours that may occur."""


Part = Run | None
Split = tuple[Part, Label, Part]


@cache
def ways(start: Label, pairs: Pairs, noted: Labels) -> frozenset[tuple[Label, Labels]]:
    """For every sequence from `start`: where it ends, and which of the `noted` labels occur in it."""
    begin = (start, noted & {start})
    found, left = {begin}, [begin]
    while left:
        label, seen = left.pop()
        for a, b in pairs:
            way = (b, seen | (noted & {b}))
            if a == label and way not in found:
                found.add(way)
                left.append(way)
    return frozenset(found)


@cache
def turned(pairs: Pairs) -> Pairs:
    """The same read backwards."""
    return frozenset((b, a) for a, b in pairs)


def fitted(first: Label, last: Label, present: Labels, pairs: Pairs) -> Run:
    """The run with only those pairs that a sequence from `first` to `last` can have."""
    ahead = {label for label, _ in ways(first, pairs, frozenset())}
    behind = {label for label, _ in ways(last, turned(pairs), frozenset())}
    return Run(first, last, present, frozenset((a, b) for a, b in pairs if a in ahead and b in behind))


@cache
def splits(run: Run, word: int | None, end: str, exact: bool) -> tuple[Split, ...]:
    """The run cut at its first cell with `word`, or at any cell, or at the `end` cell (`first`, `last`)."""
    labels = run.present if exact else run.present.union(*run.pairs)
    pairs = frozenset(pair for pair in run.pairs if {*pair} <= labels)
    hits = {label for label in labels if word in (None, label[0])}
    ahead = frozenset(pair for pair in pairs if word is None or not {*pair} & hits)
    befores: set[tuple[Label | None, Labels]] = {(None, frozenset())}
    if end != "first" and (word is None or run.first not in hits):
        befores |= ways(run.first, ahead, run.present)
    afters: set[tuple[Label | None, Labels]] = {(None, frozenset())}
    if end != "last":
        afters |= ways(run.last, turned(pairs), run.present)
    found = []
    for hit in hits:
        for x, seen in befores:
            if (hit != run.first) if x is None else (x, hit) not in pairs:
                continue
            for y, rest in afters:
                if (hit != run.last) if y is None else (hit, y) not in pairs:
                    continue
                if seen | {hit} | rest >= run.present:
                    before = None if x is None else _part(run.first, x, seen, ahead, run, y is None, exact)
                    after = None if y is None else _part(y, run.last, rest, pairs, run, x is None, exact)
                    found.append((before, hit, after))
    return tuple(found)


def _part(first: Label, last: Label, seen: Labels, pairs: Pairs, run: Run, alone: bool, exact: bool) -> Run:
    """One side of a cut. Without exactness, labels are sure to be there only if no other side is."""
    if exact:
        return fitted(first, last, seen, frozenset(pair for pair in pairs if {*pair} <= seen))
    sure = (seen if alone else frozenset()) | {first, last}
    return fitted(first, last, sure, pairs)
