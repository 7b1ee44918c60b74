"""Memory in the order of addresses, for the check of a certificate: cells with marks, and runs of cells.

A run can be any walk on its graph of neighbours, from a first label to a last one.
"""

from functools import cache
from typing import NamedTuple

from nhc.certify.checker import Rejected

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


class Cell(NamedTuple):
    """A cell with marks, or one that is being looked at."""

    label: Label
    marks: frozenset[str] = frozenset()


Item = Cell | Run
Items = tuple[Item, ...]


class Memory(NamedTuple):
    """Items in the order of addresses, and words that surely are in runs."""

    items: Items
    sure: frozenset[int] = frozenset()


Found = tuple[Memory, int]
"""A memory, and the place of a cell in it."""


class State(NamedTuple):
    """What a certificate lists."""

    state: str
    op: int
    memory: Memory

    @property
    def key(self) -> object:
        """What tells states apart."""
        items = tuple(item if isinstance(item, Cell) else None for item in self.memory.items)
        return self.state, self.op, items

    def covers(self, found: "State") -> bool:
        """Does it, a listed state, allow all of a state with the same key that was found?"""
        pairs = zip(self.memory.items, found.memory.items, strict=True)
        runs = [(one, two) for one, two in pairs if isinstance(one, Run) and isinstance(two, Run)]
        parts = [(part, other) for one, two in runs for part, other in zip(one, two, strict=True)]
        return self.memory.sure <= found.memory.sure and all(part >= other for part, other in parts)


def at(memory: Memory, mark: str) -> int | None:
    """Where the cell with a mark is."""
    places = [i for i, item in enumerate(memory.items) if isinstance(item, Cell) and mark in item.marks]
    return places[0] if places else None


def cell(memory: Memory, place: int) -> Cell:
    """The cell at a place. Raises Rejected if there is none."""
    found = memory.items[place]
    if not isinstance(found, Cell):
        raise Rejected("invariant: a mark is on no cell")
    return found


def put(memory: Memory, place: int, *items: Item) -> Memory:
    """Other items at a place."""
    return memory._replace(items=(*memory.items[:place], *items, *memory.items[place + 1 :]))


def unmarked(memory: Memory, mark: str) -> Memory:
    """Without a mark."""
    place = at(memory, mark)
    if place is None:
        return memory
    one = cell(memory, place)
    return put(memory, place, Cell(one.label, one.marks - {mark}))


def marked(memory: Memory, mark: str, place: int) -> Memory:
    """With a mark on this cell and on no other."""
    bare = unmarked(memory, mark)
    one = cell(bare, place)
    return put(bare, place, Cell(one.label, one.marks | {mark}))


def folded(memory: Memory) -> Memory:
    """Cells without marks become part of a run."""
    items, sure = list[Item](), {*memory.sure}
    for item in memory.items:
        if isinstance(item, Cell):
            if item.marks:
                items.append(item)
                continue
            sure.add(item.label[0])
            new = Run(frozenset({item.label}), frozenset({item.label}), frozenset())
        else:
            new = item
        last = items.pop() if items and isinstance(items[-1], Run) else None
        if isinstance(last, Run):
            meeting = {(a, b) for a in last.lasts for b in new.firsts}
            new = Run(last.firsts, new.lasts, last.pairs | new.pairs | meeting)
        items.append(new)
    return Memory(tuple(items), frozenset(sure))
