"""Memory in the order of addresses, for the check of a certificate."""

from typing import Literal, NamedTuple

from nhc.certify.checker import Rejected
from nhc.certify.path_check.rules import REST
from nhc.certify.path_check.walks import Label, Run


class Cell(NamedTuple):
    """A cell with marks, or one that is being looked at."""

    label: Label
    marks: frozenset[str] = frozenset()


Item = Cell | Run | Literal["rest"]
Items = tuple[Item, ...]


class Memory(NamedTuple):
    """Items in the order of addresses; words that surely are, and that may be, in the rest."""

    items: Items
    sure: frozenset[int] = frozenset()
    maybe: frozenset[int] = frozenset()


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
    """Cells without marks become part of a run, or of the rest."""
    items, sure, maybe, behind = list[Item](), {*memory.sure}, {*memory.maybe}, False
    for item in memory.items:
        if isinstance(item, Cell) and item.marks:
            items.append(item)
            behind = behind or "after" in item.marks
            continue
        if isinstance(item, Cell) and behind:
            sure.add(item.label[0])
            maybe.add(item.label[0])
        if isinstance(item, Run) and behind:
            sure |= {label[0] for label in item.present}
            maybe |= {label[0] for label in item.present.union(*item.pairs)}
        new: Item = REST if isinstance(item, Run) and behind else item
        if isinstance(item, Cell):
            new = REST if behind else Run(item.label, item.label, frozenset({item.label}), frozenset())
        last = items[-1] if items else None
        if isinstance(last, Run) and isinstance(new, Run):
            pairs = last.pairs | new.pairs | {(last.last, new.first)}
            items[-1] = Run(last.first, new.last, last.present | new.present, pairs)
        elif not (new == REST and last == REST):
            items.append(new)
    return Memory(tuple(items), frozenset(sure), frozenset(maybe))


def key_of(state: State, exact: bool) -> object:
    """What tells states apart."""
    items = tuple(
        (item.first, item.last, item.present if exact else None) if isinstance(item, Run) else item
        for item in state.memory.items
    )
    return state.state, state.op, items


def covers(listed: State, found: State) -> bool:
    """Does a listed state, which has the same key, allow all that was found?"""
    pairs = zip(listed.memory.items, found.memory.items, strict=True)
    runs = [(one, two) for one, two in pairs if isinstance(one, Run) and isinstance(two, Run)]
    return (
        all(one.present <= two.present and one.pairs >= two.pairs for one, two in runs)
        and listed.memory.sure <= found.memory.sure
        and listed.memory.maybe >= found.memory.maybe
    )
