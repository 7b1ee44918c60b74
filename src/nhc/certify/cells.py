"""Abstract memory in the order of addresses: marked cells one by one, runs between them, and the rest.

What comes after the cell with the mark `after` is only collected: of the words there it is known which must
occur and which may. Every move to a neighbour returns all cases there may be.
"""

from collections.abc import Iterator
from typing import Final, Literal, NamedTuple, TypeAlias

from nhc.certify.regions import (
    Cut,
    Label,
    Run,
    cut_anywhere,
    joined,
    run_of,
    without_first,
    without_last,
)

FIRST, NEWEST, READ, AFTER = "first", "newest", "read", "after"
PARENT_OF_READ, PARENT_OF_NEWEST = "parent of read", "parent of newest"
REST: Final = "rest"
"""Any number of unmarked cells after `after`."""
UNKNOWN = "?"


class Cell(NamedTuple):
    """A cell with marks; `first`, `newest` and `read` are marks as well."""

    label: Label
    marks: frozenset[str]


Item: TypeAlias = Cell | Run | Literal["rest"]


class Memory(NamedTuple):
    """All cells, the oldest first."""

    items: tuple[Item, ...]
    sure: frozenset[int]
    """Words that occur in the rest."""
    maybe: frozenset[int]
    """All words that may occur there."""

    def find(self, mark: str) -> int | None:
        """The item with a mark."""
        for index, item in enumerate(self.items):
            if isinstance(item, Cell) and mark in item.marks:
                return index
        return None

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
        return Place(self.replaced(index, (*before, cell, *after)), index + len(before))

    def floating(self, index: int, word: int) -> "Place":
        """A cell of the rest at `index` that holds `word`; where in it is not known."""
        cell = Cell(Label(word, UNKNOWN, ""), frozenset())
        taken = self.replaced(index, (REST, cell, REST))
        return Place(taken._replace(sure=self.sure - {word}), index + 1)


class Place(NamedTuple):
    """A cell of a memory."""

    memory: Memory
    at: int

    @property
    def cell(self) -> Cell:
        """The cell itself."""
        return self.memory.cell(self.at)


def following(memory: Memory, index: int, exact: bool) -> Iterator[Place]:
    """What the cell after a cell may be; nothing after the newest."""
    if index + 1 == len(memory.items):
        return
    item = memory.items[index + 1]
    if item == REST:
        yield from (memory.floating(index + 1, word) for word in sorted(memory.maybe))
        yield from following(memory, index + 1, exact)
    elif isinstance(item, Run):
        yield from (memory.cut(index + 1, cut) for cut in without_first(item, exact))
    else:
        yield Place(memory, index + 1)


def preceding(memory: Memory, index: int, exact: bool) -> Iterator[Place]:
    """What the cell before a cell may be; nothing before the first."""
    if index == 0:
        return
    item = memory.items[index - 1]
    if item == REST:
        yield from (memory.floating(index - 1, word) for word in sorted(memory.maybe))
        yield from preceding(memory, index - 1, exact)
    elif isinstance(item, Run):
        yield from (memory.cut(index - 1, cut) for cut in without_last(item, exact))
    else:
        yield Place(memory, index - 1)


def parents(memory: Memory, index: int, exact: bool) -> Iterator[Place]:
    """Which cell was read when this one was written, as far as that is known; nothing if it is not."""
    parent = memory.cell(index).label.parent
    at = memory.find(PARENT_OF_READ) if index == memory.find(READ) else None
    at = memory.find(PARENT_OF_NEWEST) if at is None and index == memory.find(NEWEST) else at
    if at is None and parent not in ("before", UNKNOWN):
        at = memory.find(parent)
    if at is not None:
        yield Place(memory, at)
    elif parent == "before":
        yield from preceding(memory, index, exact)


def earlier(memory: Memory, index: int, exact: bool) -> Iterator[Place]:
    """Every cell before a cell."""
    for before, item in enumerate(memory.items[:index]):
        if item == REST:
            yield from (memory.floating(before, word) for word in sorted(memory.maybe))
        elif isinstance(item, Run):
            yield from (memory.cut(before, cut) for cut in cut_anywhere(item, exact))
        else:
            yield Place(memory, before)


def settled(memory: Memory) -> Memory:
    """The same with unmarked cells folded into the run or the rest on their side."""
    items: list[Item] = []
    sure, maybe, is_rest = set(memory.sure), set(memory.maybe), False
    for item in memory.items:
        if isinstance(item, Cell) and not item.marks:
            if is_rest:
                sure.add(item.label.word)
                maybe.add(item.label.word)
            folded: Item = REST if is_rest else run_of(item.label)
        elif isinstance(item, Run) and is_rest:
            sure |= {label.word for label in item.labels}
            maybe |= {label.word for label in item.possible_labels}
            folded = REST
        else:
            folded = item
        last = items[-1] if items else None
        if isinstance(folded, Run) and isinstance(last, Run):
            items[-1] = joined(last, folded)
        elif not (folded == REST and last == REST):
            items.append(folded)
        is_rest = is_rest or (isinstance(item, Cell) and AFTER in item.marks)
    return Memory(tuple(items), frozenset(sure), frozenset(maybe))
