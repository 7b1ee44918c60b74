"""Abstract memory in the order of addresses: marked cells one by one, and runs between them.

Every move to a neighbour returns all cases there may be.
"""

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from nhc.certify.regions import (
    Cut,
    Label,
    Run,
    cut_anywhere,
    run_of,
    without_first,
    without_last,
)

FIRST, NEWEST, READ, AFTER = "first", "newest", "read", "after"
PARENT_OF_READ, PARENT_OF_NEWEST = "parent of read", "parent of newest"
UNKNOWN = "?"


class Cell(NamedTuple):
    """A cell with marks; `first`, `newest` and `read` are marks as well."""

    label: Label
    marks: frozenset[str]


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
        cells = {item.label.word for item in self.items if isinstance(item, Cell)}
        runs = [item.possible for item in self.items if isinstance(item, Run)]
        return cells.union(label.word for labels in runs for label in labels)

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


def following(memory: Memory, index: int) -> Iterator[Place]:
    """What the cell after a cell may be; nothing after the newest."""
    if index + 1 == len(memory.items):
        return
    item = memory.items[index + 1]
    if isinstance(item, Run):
        yield from (memory.cut(index + 1, cut) for cut in without_first(item))
    else:
        yield Place(memory, index + 1)


def preceding(memory: Memory, index: int) -> Iterator[Place]:
    """What the cell before a cell may be; nothing before the first."""
    if index == 0:
        return
    item = memory.items[index - 1]
    if isinstance(item, Run):
        yield from (memory.cut(index - 1, cut) for cut in without_last(item))
    else:
        yield Place(memory, index - 1)


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
        yield from preceding(memory, index)


def earlier(memory: Memory, index: int) -> Iterator[Place]:
    """Every cell before a cell."""
    for before, item in enumerate(memory.items[:index]):
        if isinstance(item, Run):
            yield from (memory.cut(before, cut) for cut in cut_anywhere(item))
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
