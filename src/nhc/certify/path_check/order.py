"""One tick on memory in the order of addresses, for the check of a certificate."""

from collections.abc import Iterator

from nhc.certify.checker import (
    BACKWARD,
    CONTENT,
    FORWARD,
    NONE,
    USAGE_BACKWARD,
    USAGE_FORWARD,
    Control,
    Rejected,
    Seen,
)
from nhc.certify.path_check.memory import (
    Cell,
    Found,
    Items,
    Memory,
    Run,
    State,
    at,
    cell,
    folded,
    labels_of,
    marked,
    put,
    splits,
    unmarked,
    walked,
    without,
)
from nhc.certify.path_check.rules import END, NEW, REST, Lines, Tick

PARENT_OF_READ, PARENT_OF_NEWEST, UNKNOWN = "parent of read", "parent of newest", "?"


class Ticks:
    """All that may happen at one tick. `fault` is told of what must not."""

    def __init__(self, control: Control, lines: Lines, tracks: bool) -> None:
        self.control, self.lines, self.tracks = control, lines, tracks
        self.faults: list[str] = []

    @property
    def first(self) -> State:
        """Before the first tick."""
        return State(self.lines.start, NONE, Memory(()))

    def after(self, now: State) -> Iterator[State]:
        """Every state that may come next."""
        place = at(now.memory, "read")
        word = NONE if place is None else cell(now.memory, place).label[0]
        for tick in self.lines.at(now.state):
            memories = [now.memory]
            for step in tick.steps:
                memories = [new for memory in memories for new in self.obeyed(memory, *step)]
            seen = (tick.signals, word, now.op)
            for memory in memories if tick.op != NONE else ():
                for found in self.read(self.written(memory, seen, tick), seen, tick):
                    self.judge(found, seen, tick)
                    if tick.then != END:
                        yield State(tick.then, tick.op, folded(self.arrived(*found)))

    def obeyed(self, memory: Memory, form: str, mark: str, other: str) -> list[Memory]:
        """The memories after a condition (none if it does not hold) or a move."""
        here, there = at(memory, mark), at(memory, other)
        ghost = None if here is None else cell(memory, here).label[2]
        if form in ("exists", "missing"):
            return [memory] if (here is None) == (form == "missing") else []
        if form in ("at", "not at"):
            return [memory] if (here is not None and here == there) == (form == "at") else []
        if form in ("is", "is not"):
            return [memory] if (ghost == other) == (form == "is") else []
        if form == "drop":
            return [unmarked(memory, mark)]
        if form == "becomes" and here is not None:
            one = cell(memory, here)
            return [put(memory, here, Cell((*one.label[:2], other), one.marks))]
        found = list[Found]()
        if form == "=":
            self.stays(memory, mark)
            found = [] if there is None else [(memory, there)]
        elif form in ("+ 1", "- 1") and here is not None:
            found = self.beside(memory, here, 1 if form == "+ 1" else -1)
        elif form == "= parent" and there is not None:
            found = self.parents(memory, there, anywhere=True)
            if there == at(memory, "read"):
                found = [(marked(new, PARENT_OF_READ, place), place) for new, place in found]
        return [marked(new, mark, place) for new, place in found]

    def stays(self, memory: Memory, mark: str) -> None:
        """Labels name marks that stay as parents, so such a mark is put once."""
        if mark in self.lines.staying and at(memory, mark) is not None:
            self.faults.append(f"the mark {mark} is put a second time")

    def opened(self, memory: Memory, place: int, word: int | None, end: str = "") -> list[Found]:
        """A run with one of its cells taken out."""
        run, found = memory.items[place], list[Found]()
        if not isinstance(run, Run):
            raise Rejected("invariant: expected a run")
        for before, label, after in splits(run, word, end):
            parts: Items = tuple(part for part in (before, Cell(label), after) if part is not None)
            cut = put(memory, place, *parts)._replace(sure=memory.sure - {label[0]})
            found.append((cut, place + (before is not None)))
        return found

    def beside(self, memory: Memory, place: int, way: int) -> list[Found]:
        """The cells that may be next to a cell."""
        to = place + way
        if not 0 <= to < len(memory.items):
            return []
        item = memory.items[to]
        if isinstance(item, Cell):
            return [(memory, to)]
        return self.opened(memory, to, None, "first" if way == 1 else "last")

    def parents(self, memory: Memory, place: int, *, anywhere: bool) -> list[Found]:
        """The cells that may be a cell's parent; none if it may be any, unless those are asked for."""
        known = cell(memory, place).label[1]
        followed = {at(memory, "newest"): PARENT_OF_NEWEST, at(memory, "read"): PARENT_OF_READ}
        for mark in (followed.get(place), PARENT_OF_NEWEST if place == at(memory, "newest") else None, known):
            to = None if mark in (None, "before", UNKNOWN) else at(memory, str(mark))
            if to is not None:
                return [(memory, to)]
        if known == "before":
            return self.beside(memory, place, -1)
        found = list[Found]()
        for to, item in enumerate(memory.items[:place] if anywhere else ()):
            if isinstance(item, Cell):
                found.append((memory, to))
            else:
                found += self.opened(memory, to, None)
        return found

    def written(self, memory: Memory, seen: Seen, tick: Tick) -> Memory:
        """Both heads have written."""
        constrained, fresh = self.control.written(seen)
        if tick.stores and tick.stores != ("stores" if fresh != NONE else "stores nothing"):
            self.faults.append(f"{tick.line}: {'stores nothing' if fresh == NONE else 'stores a word'}")
        place, parent = at(memory, "read"), UNKNOWN
        if place is not None:
            one = cell(memory, place)
            memory = put(memory, place, Cell((constrained, *one.label[1:]), one.marks))
            if fresh == NONE:
                if tick.marks or tick.ghost or tick.target == NEW:
                    self.faults.append(f"{tick.line}: needs a cell that is not written")
                return memory
            if "newest" in one.marks and not self.lines.names_parents:
                parent = "before"
            elif "first" in one.marks and not self.lines.names_parents:
                parent = "first"
            else:
                parent = min(one.marks & self.lines.staying, default=UNKNOWN)
            memory = marked(memory, PARENT_OF_NEWEST, place) if self.tracks else memory
        if fresh == NONE:
            raise Rejected(f"{tick.line}: nothing was ever stored")
        for mark in tick.marks | {"newest"}:
            self.stays(memory, mark)
            memory = unmarked(memory, mark)
        marks = tick.marks | {"newest"} | ({"first"} if not memory.items else set())
        return memory._replace(items=(*memory.items, Cell((fresh, parent, tick.ghost), marks)))

    def read(self, memory: Memory, seen: Seen, tick: Tick) -> list[Found]:
        """The cells that may be read."""
        place = at(memory, "read")
        present = {CONTENT} if place is None else {CONTENT, FORWARD, USAGE_FORWARD}
        if place is not None and "first" not in cell(memory, place).marks:
            present |= {BACKWARD, USAGE_BACKWARD}
        if place is not None and "newest" in cell(memory, place).marks:
            present -= {FORWARD, USAGE_FORWARD}
        if USAGE_FORWARD in present and self.control.written(seen)[1] == NONE:  # It may lead anywhere.
            if self.control.winner(seen, tuple(sorted(present & {*self.control.every}))) == USAGE_FORWARD:
                self.faults.append(f"{tick.line}: follows a usage link forward that may not be there")
            present -= {USAGE_FORWARD}
        winner = self.control.winner(seen, tuple(sorted(present & {*self.control.every})))
        if place is None or winner == CONTENT:
            return self.looked_up(memory, seen)
        if winner == USAGE_FORWARD:
            return [(memory, len(memory.items) - 1)]
        if winner != USAGE_BACKWARD:
            return self.beside(memory, place, 1 if winner == FORWARD else -1)
        found = self.parents(memory, place, anywhere=tick.then == END and not tick.target)
        if not found:
            self.faults.append(f"{tick.line}: the parent of the cell read is not known")
        return found

    def looked_up(self, memory: Memory, seen: Seen) -> list[Found]:
        """The cells that a lookup may find: for each word the lowest, where no cell holds a better one."""
        found, left = list[Found](), set[int]()
        for item in memory.items:
            left |= {item.label[0]} if isinstance(item, Cell) else {label[0] for label in labels_of(item)}
        while left:
            best = self.control.best_word(seen, left)
            left -= {best}
            for place, item in enumerate(memory.items):
                if isinstance(item, Run):
                    found += self.opened(memory, place, best)
                    rest = walked(without(item, frozenset(one for one in labels_of(item) if one[0] == best)))
                    if rest is None:
                        return found
                    memory = put(memory, place, rest)
                elif item.label[0] == best:
                    return [*found, (memory, place)]
            if best in memory.sure:
                break
        return found

    def judge(self, found: Found, seen: Seen, tick: Tick) -> None:
        """Is it the right cell, and the right operation?"""
        memory, place = found
        label, marks = cell(memory, place)
        after = at(memory, "after")
        if tick.target == NEW:
            right = "newest" in marks
        elif tick.target == REST:
            right = after is not None and place >= after
        else:
            right = not tick.target or tick.target in marks
        if not right:
            self.faults.append(f"{tick.line}: reads another cell")
        if self.control.op(seen, label[0]) != tick.op:
            self.faults.append(f"{tick.line}: chooses another operation")

    def arrived(self, memory: Memory, place: int) -> Memory:
        """The memory when a cell was read."""
        newest, marks = at(memory, PARENT_OF_NEWEST), cell(memory, place).marks
        if "newest" in marks:
            memory = unmarked(memory, PARENT_OF_READ)
            memory = memory if newest is None else marked(memory, PARENT_OF_READ, newest)
        elif "read" not in marks:
            memory = unmarked(memory, PARENT_OF_READ)
        return marked(memory, "read", place)
