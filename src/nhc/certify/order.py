"""One tick of machine and environment on abstract memory in the order of addresses.

Cells are written one after the other, so the temporal links lead to the neighbours. The usage link backward
leads to the cell that was read when a cell was written, the one forward from the cell read last to the cell
that this tick writes; where it writes none, that link is not followed here. From the newest cell no link
leads forward.
"""

from collections.abc import Hashable, Iterator
from typing import NamedTuple

from nhc.certify.cells import (
    AFTER,
    FIRST,
    NEWEST,
    PARENT_OF_NEWEST,
    PARENT_OF_READ,
    READ,
    UNKNOWN,
    Cell,
    Label,
    Memory,
    Place,
    Run,
    beside,
    cut_at,
    earlier,
    parents,
    settled,
    without_word,
)
from nhc.certify.decisions import Decisions
from nhc.certify.enclosure import Seen
from nhc.certify.environment import Clause, Environment, Refused, Rule
from nhc.program.compiled import BACKWARD, CONTENT, FORWARD, USAGE_BACKWARD, USAGE_FORWARD
from nhc.shapes import NONE

NEW = "new"
RUN = "run"
"""What tells states apart of a run."""


class State(NamedTuple):
    """An abstract state."""

    state: str
    """The environment's."""
    op: int
    """The operation chosen last."""
    memory: Memory

    @property
    def key(self) -> Hashable:
        """What tells states apart; what runs are, and hold for sure, is known only as bounds."""
        return (
            self.state,
            self.op,
            tuple(item if isinstance(item, Cell) else RUN for item in self.memory.items),
        )

    def joined(self, other: "State") -> "State":
        """What both allow, where they have one key."""
        items = (
            one.union(two) if isinstance(one, Run) and isinstance(two, Run) else one
            for one, two in zip(self.memory.items, other.memory.items, strict=True)
        )
        return self._replace(memory=Memory(tuple(items), self.memory.sure & other.memory.sure))


class Order:
    """A machine in an environment, on memory in the order of addresses."""

    def __init__(self, decisions: Decisions, environment: Environment, *, tracks: bool) -> None:
        """`tracks`: know where the parent of the cell read is."""
        self.decisions, self.environment, self.tracks = decisions, environment, tracks

    @property
    def start(self) -> State:
        """Before the first tick."""
        return State(self.environment.start, NONE, Memory(()))

    def successors(self, state: State) -> Iterator[State]:
        """What may be after one more tick. Raises Refused where the machine may not do what it should."""
        memory = state.memory
        at = memory.find(READ)
        word = NONE if at is None else memory.cell(at).label.word
        for rule in self.environment.rules[state.state]:
            seen = Seen(rule.signals, word, state.op)
            for moved in self._allowed(memory, rule.clauses):
                if rule.op == NONE:
                    continue
                for place in self._reads(self._written(moved, seen, rule), seen, rule):
                    self._require(place, seen, rule)
                    if not rule.ends:
                        yield State(rule.then, rule.op, settled(self._after(place)))

    def _allowed(self, memory: Memory, clauses: tuple[Clause, ...]) -> Iterator[Memory]:
        """The memories after all conditions and moves of a rule."""
        if not clauses:
            yield memory
        else:
            for moved in self._clause(memory, clauses[0]):
                yield from self._allowed(moved, clauses[1:])

    def _clause(self, memory: Memory, clause: Clause) -> Iterator[Memory]:
        """The memories after a move, or after a condition: none if it does not hold."""
        verb, mark, other = clause
        at, there = memory.find(mark), memory.find(other)
        ghost = None if at is None else memory.cell(at).label.ghost
        conditions = {
            "exists": at is not None,
            "missing": at is None,
            "at": at is not None and at == there,
            "apart": at is None or at != there,
            "is": ghost == other,
            "is_not": ghost != other,
        }
        if verb in conditions:
            if conditions[verb]:
                yield memory
        elif verb == "drop":
            yield memory.without(mark)
        elif at is not None and verb == "becomes":
            yield memory.labelled(at, memory.cell(at).label._replace(ghost=other))
        else:
            if verb == "move" and mark in self.environment.fixed and at is not None:
                raise Refused(f"the mark {mark} is put a second time")
            for place in self._places(memory, verb, at if verb in ("next", "previous") else there):
                yield place.memory.marked(mark, place.at)

    def _places(self, memory: Memory, verb: str, at: int | None) -> Iterator[Place]:
        """Where a move may lead."""
        if at is None:
            return
        if verb == "move":
            yield Place(memory, at)
        elif verb in ("next", "previous"):
            yield from beside(memory, at, 1 if verb == "next" else -1)
        else:
            known = memory.cell(at).label.parent != UNKNOWN
            of_read = READ in memory.cell(at).marks
            for place in parents(memory, at) if known else earlier(memory, at):
                yield Place(place.memory.marked(PARENT_OF_READ, place.at), place.at) if of_read else place

    def _written(self, memory: Memory, seen: Seen, rule: Rule) -> Memory:
        """The writes of a tick."""
        constrained, fresh = self.decisions.written(seen)
        needed = not memory.items or rule.target == NEW or rule.marks or rule.ghost
        if rule.stores not in (None, fresh != NONE) or (fresh == NONE and needed):
            raise Refused(f"line {rule.line!r}: stores {'nothing' if fresh == NONE else 'a word'}")
        at, parent = memory.find(READ), UNKNOWN
        if at is not None:
            cell = memory.cell(at)
            memory = memory.labelled(at, cell.label._replace(word=constrained))
            parent = self._parent_called(cell)
            if self.tracks:
                memory = memory.marked(PARENT_OF_NEWEST, at) if fresh != NONE else memory
        if fresh == NONE:
            return memory
        marks = {NEWEST, *rule.marks} | (set() if memory.items else {FIRST})
        for mark in marks:
            if mark in self.environment.fixed and memory.find(mark) is not None:
                raise Refused(f"the mark {mark} is put a second time")
            memory = memory.without(mark)
        new = Cell(Label(fresh, parent, rule.ghost), frozenset(marks))
        return memory._replace(items=(*memory.items, new))

    def _parent_called(self, cell: Cell) -> str:
        """What labels call the cell read last, as a parent."""
        if NEWEST in cell.marks and not self.environment.names_parents:
            return "before"
        if FIRST in cell.marks and not self.environment.names_parents:
            return FIRST
        return min(cell.marks & self.environment.fixed, default=UNKNOWN)

    def _reads(self, memory: Memory, seen: Seen, rule: Rule) -> Iterator[Place]:
        """Every cell that may be read."""
        at = memory.find(READ)
        present = {CONTENT}
        if at is not None:
            present |= set() if FIRST in memory.cell(at).marks else {BACKWARD, USAGE_BACKWARD}
            if NEWEST not in memory.cell(at).marks:
                present |= {FORWARD}
                present |= {USAGE_FORWARD} if self._is_linked(seen, present, rule) else set()
        winner = self.decisions.winner(seen, frozenset(present) & self.decisions.mechanisms)
        if winner == CONTENT or at is None:
            yield from self._looked_up(memory, seen)
        elif winner in (FORWARD, BACKWARD):
            yield from beside(memory, at, 1 if winner == FORWARD else -1)
        elif winner == USAGE_FORWARD:
            yield Place(memory, len(memory.items) - 1)
        else:
            found = list(parents(memory, at))
            if not found and not (rule.ends and not rule.target):
                where = f"line {rule.line!r}: the parent of the cell read last is not known"
                raise Refused(where, needs_parents=True)
            yield from found or earlier(memory, at)

    def _is_linked(self, seen: Seen, present: set[int], rule: Rule) -> bool:
        """Does a usage link lead from the cell read last to the newest?

        If this tick stores nothing it may lead elsewhere or nowhere: then it must not matter. Raises Refused.
        """
        mechanisms = self.decisions.mechanisms
        if self.decisions.written(seen)[1] != NONE:
            return True
        if USAGE_FORWARD in mechanisms:
            linked = self.decisions.winner(seen, frozenset({*present, USAGE_FORWARD}) & mechanisms)
            if linked == USAGE_FORWARD:
                raise Refused(f"line {rule.line!r}: follows the usage link forward and stores nothing")
        return False

    def _looked_up(self, memory: Memory, seen: Seen) -> Iterator[Place]:
        """The lowest cell with the best word; as far as no cell may have it, that with the next best."""
        while words := memory.words:
            best = self.decisions.best_word(seen, words)
            for index, item in enumerate(memory.items):
                if isinstance(item, Run):
                    yield from (memory.cut(index, cut) for cut in cut_at(item, best))
                    others = without_word(item, best)
                    if others is None:
                        return
                    memory = memory.replaced(index, (others,))
                elif item.label.word == best:
                    yield Place(memory, index)
                    return
            if best in memory.sure:
                return

    def _require(self, place: Place, seen: Seen, rule: Rule) -> None:
        """Raises Refused if the tick is not the environment's."""
        after = place.memory.find(AFTER)
        right = {
            "": True,
            NEW: NEWEST in place.cell.marks,
            "rest": after is not None and place.at >= after,
        }.get(rule.target, rule.target in place.cell.marks)
        if not right:
            raise Refused(f"line {rule.line!r}: reads another cell than {rule.target}")
        found = self.decisions.op(seen, place.cell.label.word)
        if found != rule.op:
            raise Refused(f"line {rule.line!r}: operation {found} instead of {rule.op}")

    def _after(self, place: Place) -> Memory:
        """The memory after a read, with the parent of the cell read where it is known."""
        memory, index = place
        newest = memory.find(PARENT_OF_NEWEST)
        if NEWEST in place.cell.marks:
            memory = memory.without(PARENT_OF_READ)
            memory = memory if newest is None else memory.marked(PARENT_OF_READ, newest)
        elif READ not in place.cell.marks:
            memory = memory.without(PARENT_OF_READ)
        return memory.marked(READ, index)
