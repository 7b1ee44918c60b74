"""Memory in the order of addresses, for the check of a certificate."""

from typing import NamedTuple

from nhc.certify.checker import Rejected
from nhc.certify.path_check.walks import Label, Run


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
    return memory if place is None else put(memory, place, Cell(*_less(cell(memory, place), mark)))


def _less(one: Cell, mark: str) -> tuple[Label, frozenset[str]]:
    return one.label, one.marks - {mark}


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


def key_of(state: State) -> object:
    """What tells states apart."""
    items = tuple(item if isinstance(item, Cell) else None for item in state.memory.items)
    return state.state, state.op, items


def covers(listed: State, found: State) -> bool:
    """Does a listed state, which has the same key, allow all that was found?"""
    pairs = zip(listed.memory.items, found.memory.items, strict=True)
    runs = [(one, two) for one, two in pairs if isinstance(one, Run) and isinstance(two, Run)]
    parts = [(part, other) for one, two in runs for part, other in zip(one, two, strict=True)]
    return listed.memory.sure <= found.memory.sure and all(part >= other for part, other in parts)
