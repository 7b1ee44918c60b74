"""Abstract memory in the order of addresses: marked cells one by one, and runs of unmarked ones between them.

A run is a sequence of at least one cell, known by what each cell may be and by which cells may be neighbours.
Cutting a run, and every move to a neighbour, return all cases there may be.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import NamedTuple, TypeAlias

FIRST, NEWEST, READ, AFTER = "first", "newest", "read", "after"
PARENT_OF_READ, PARENT_OF_NEWEST = "parent of read", "parent of newest"
UNKNOWN = "?"


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
def cut_at(run: Run, word: int | None = None) -> tuple[Cut, ...]:
    """The run cut at each of its cells, or at the first that holds `word`, if one does."""
    hits = frozenset(label for label in run.possible if word in (None, label.word))
    barred = frozenset[Label]() if word is None else hits
    return tuple(
        Cut(before, hit, after)
        for hit in sorted(hits)
        for before in _befores(run, hit, barred)
        for after in _afters(run, hit)
    )


def without_word(run: Run, word: int) -> Run | None:
    """The run of which no cell holds `word`; None if there is none."""
    hits = frozenset(label for label in run.possible if label.word == word)
    others = frozenset(pair for pair in run.pairs if hits.isdisjoint(pair))
    return next(run_between(run.firsts - hits, run.lasts - hits, others), None)


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


class Cell(NamedTuple):
    """A cell with marks; `first`, `newest` and `read` are marks as well."""

    label: Label
    marks: frozenset[str]

    @property
    def possible(self) -> Labels:
        """What it may be."""
        return frozenset({self.label})


Item: TypeAlias = Cell | Run


class Memory(NamedTuple):
    """All cells, the oldest first."""

    items: tuple[Item, ...]
    sure: frozenset[int] = frozenset()
    """Words that occur in runs, wherever."""

    def find(self, mark: str) -> int | None:
        """The item with a mark."""
        for index, item in enumerate(self.items):
            if isinstance(item, Cell) and mark in item.marks:
                return index
        return None

    @property
    def words(self) -> set[int]:
        """All that cells may hold."""
        return {label.word for item in self.items for label in item.possible}

    def cell(self, index: int) -> Cell:
        """The item as a cell, which it must be."""
        item = self.items[index]
        assert isinstance(item, Cell)
        return item

    def without(self, mark: str) -> "Memory":
        """The same with the mark taken away."""
        return self._replace(
            items=tuple(
                item._replace(marks=item.marks - {mark}) if isinstance(item, Cell) else item
                for item in self.items
            )
        )

    def marked(self, mark: str, index: int) -> "Memory":
        """The same with the mark moved to a cell."""
        bare = self.without(mark)
        cell = bare.cell(index)
        return bare.replaced(index, (cell._replace(marks=cell.marks | {mark}),))

    def labelled(self, index: int, label: Label) -> "Memory":
        """The same with another label of a cell."""
        return self.replaced(index, (self.cell(index)._replace(label=label),))

    def replaced(self, index: int, items: tuple[Item, ...]) -> "Memory":
        """The same with other items in place of one."""
        return self._replace(items=(*self.items[:index], *items, *self.items[index + 1 :]))

    def cut(self, index: int, cut: Cut) -> "Place":
        """A run replaced by its parts; the place is the cell where it was cut."""
        before = () if cut.before is None else (cut.before,)
        after = () if cut.after is None else (cut.after,)
        cell = Cell(cut.label, frozenset())
        memory = self.replaced(index, (*before, cell, *after))
        return Place(memory._replace(sure=self.sure - {cut.label.word}), index + len(before))


class Place(NamedTuple):
    """A cell of a memory."""

    memory: Memory
    at: int

    @property
    def cell(self) -> Cell:
        """The cell itself."""
        return self.memory.cell(self.at)


def beside(memory: Memory, index: int, way: int) -> Iterator[Place]:
    """What the cell after a cell (`way` 1), or before it (-1), may be; nothing beyond the ends."""
    to = index + way
    if not 0 <= to < len(memory.items):
        return
    item = memory.items[to]
    if isinstance(item, Run):
        yield from (memory.cut(to, cut) for cut in (without_first if way == 1 else without_last)(item))
    else:
        yield Place(memory, to)


def parents(memory: Memory, index: int) -> Iterator[Place]:
    """Which cell was read when this one was written, as far as that is known; nothing if it is not."""
    parent = memory.cell(index).label.parent
    at = memory.find(PARENT_OF_READ) if index == memory.find(READ) else None
    at = memory.find(PARENT_OF_NEWEST) if at is None and index == memory.find(NEWEST) else at
    if at is None and parent not in ("before", UNKNOWN):
        at = memory.find(parent)
    if at is not None:
        yield Place(memory, at)
    elif parent == "before":
        yield from beside(memory, index, -1)


def earlier(memory: Memory, index: int) -> Iterator[Place]:
    """Every cell before a cell."""
    for before, item in enumerate(memory.items[:index]):
        if isinstance(item, Run):
            yield from (memory.cut(before, cut) for cut in cut_at(item))
        else:
            yield Place(memory, before)


def settled(memory: Memory) -> Memory:
    """The same with unmarked cells folded into the run on their side."""
    items, sure = list[Item](), set(memory.sure)
    for item in memory.items:
        folded = item
        if isinstance(item, Cell) and not item.marks:
            folded = run_of(item.label)
            sure.add(item.label.word)
        last = items[-1] if items else None
        if isinstance(folded, Run) and isinstance(last, Run):
            items[-1] = last.then(folded)
        else:
            items.append(folded)
    return Memory(tuple(items), frozenset(sure))
