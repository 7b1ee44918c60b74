"""What runs of cells can look like: walks on the graph of neighbours, from a first label to a last one."""

from functools import cache
from typing import NamedTuple

Label = tuple[int, str, str]
"""Control word, where the parent is, ghost."""
Labels = frozenset[Label]
Pairs = frozenset[tuple[Label, Label]]


class Run(NamedTuple):
    """At least one cell."""

    firsts: Labels
    lasts: Labels
    pairs: Pairs
    """All neighbours that may occur."""


Part = Run | None
Split = tuple[Part, Label, Part]


def labels_of(run: Run) -> Labels:
    """All that may occur."""
    return run.firsts | run.lasts | {label for pair in run.pairs for label in pair}


def without(run: Run, barred: Labels) -> Run:
    """The same with some labels nowhere."""
    kept = frozenset(pair for pair in run.pairs if not barred & {*pair})
    return Run(run.firsts - barred, run.lasts - barred, kept)


@cache
def walked(run: Run) -> Part:
    """The run with only what walks from a first label to a last one meet; None if there is no such walk."""
    after: dict[Label, set[Label]] = {}
    before: dict[Label, set[Label]] = {}
    for a, b in run.pairs:
        after.setdefault(a, set()).add(b)
        before.setdefault(b, set()).add(a)
    ahead, behind = _closure(run.firsts, after), _closure(run.lasts, before)
    pairs = frozenset((a, b) for a, b in run.pairs if a in ahead and b in behind)
    return Run(run.firsts & behind, run.lasts & ahead, pairs) if run.firsts & behind else None


def _closure(begin: Labels, ways: dict[Label, set[Label]]) -> set[Label]:
    seen, left = {*begin}, [*begin]
    while left:
        for label in ways.get(left.pop(), set()) - seen:
            seen.add(label)
            left.append(label)
    return seen


@cache
def splits(run: Run, word: int | None, end: str) -> tuple[Split, ...]:
    """The run cut at its first cell with `word`, or at any cell, or at the `end` cell (`first`, `last`)."""
    hits = frozenset(label for label in labels_of(run) if word in (None, label[0]))
    clear = run if word is None else without(run, hits)
    found = list[Split]()
    for hit in hits:
        to_hit = frozenset(a for a, b in run.pairs if b == hit) & labels_of(clear)
        from_hit = frozenset(b for a, b in run.pairs if a == hit)
        befores: list[Part] = [None] if hit in run.firsts else []
        afters: list[Part] = [None] if hit in run.lasts else []
        if end != "first" and (part := walked(clear._replace(lasts=to_hit))) is not None:
            befores.append(part)
        if end != "last" and (part := walked(run._replace(firsts=from_hit))) is not None:
            afters.append(part)
        found += [(before, hit, after) for before in befores for after in afters]
    return tuple(found)
