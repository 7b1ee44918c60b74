"""One tick on a stack, for the check of a certificate."""

from collections.abc import Iterator
from typing import NamedTuple

from nhc.certify.checker import (
    BACKWARD,
    CONTENT,
    FORWARD,
    NONE,
    USAGE_BACKWARD,
    USAGE_FORWARD,
    Control,
    Seen,
)
from nhc.certify.path_check.rules import BELOW, END, NEW, Lines, Tick


class Frame(NamedTuple):
    """A cell of the stack: its word and ghost; is it cell 0; does it follow its parent's cell; the word that
    the cell after it had when it was popped; the word of the cell before it, if that is not on the stack."""

    word: int
    ghost: str
    is_first: bool
    adjoins: bool
    after: int
    before: int


class State(NamedTuple):
    """What a certificate lists."""

    state: str
    op: int
    top: Frame | None
    below: Frame | None
    newest: int
    sure: frozenset[int]
    maybe: frozenset[int]

    @property
    def key(self) -> object:
        """What tells states apart."""
        return self[:5]

    def covers(self, found: "State") -> bool:
        """Does it, a listed state, allow all of a state with the same key that was found?"""
        return self.sure <= found.sure and self.maybe >= found.maybe


class Ticks:
    """All that may happen at one tick, when `under` says what can lie below each resting cell."""

    def __init__(self, control: Control, lines: Lines, under: dict[Frame, frozenset[Frame]]) -> None:
        self.control, self.lines, self.under = control, lines, under
        self.faults: list[str] = []

    @property
    def first(self) -> State:
        """Before the first tick."""
        return State(self.lines.start, NONE, None, None, NONE, frozenset(), frozenset())

    def after(self, now: State) -> Iterator[State]:
        """Every state that may come next."""
        for tick in self.lines.at(now.state):
            if tick.target not in (NEW, BELOW) and not (tick.then == END and not tick.target):
                self.faults.append(f"{tick.line}: no tick of a stack")
                continue
            moved = self.obeyed(now, tick)
            if moved is None:
                continue
            seen = (tick.signals, NONE if now.top is None else now.top.word, now.op)
            old, new = self.control.written(seen)
            if new == NONE:
                self.faults.append(f"{tick.line}: stores nothing on a stack")
                continue
            top = None if moved.top is None else moved.top._replace(word=old)
            hidden = {frame.word for frame in self.lower(now.below)}
            for word in self.read(moved._replace(top=top), new, hidden, seen, tick):
                if self.control.op(seen, word) != tick.op:
                    self.faults.append(f"{tick.line}: chooses another operation")
            if tick.then == END:
                continue
            if tick.target == NEW:
                yield self.pushed(moved._replace(top=top), new, tick)
            else:
                yield from self.popped(now.below, moved._replace(top=top), new, tick)

    def obeyed(self, now: State, tick: Tick) -> State | None:
        """After all conditions and moves; None if one does not hold."""
        for form, mark, other in tick.steps:
            frame = {"top": now.top, BELOW: now.below}.get(mark)
            if frame is None:
                return None
            holds = {
                "at": frame.is_first and other == "first",
                "not at": not frame.is_first or other != "first",
                "is": frame.ghost == other,
                "is not": frame.ghost != other,
                "becomes": True,
            }
            if form not in holds:
                self.faults.append(f"{tick.line}: no move of a stack")
            if not holds.get(form):
                return None
            if form == "becomes":
                ghost = frame._replace(ghost=other)
                now = now._replace(top=ghost) if mark == "top" else now._replace(below=ghost)
        return now

    def pushed(self, now: State, new: int, tick: Tick) -> State:
        """The new cell is on top; what it covers must be listed as what can lie there."""
        if now.top and now.below and now.below not in self.under.get(now.top, ()):
            self.faults.append(f"{tick.line}: a pair of cells is missing")
        adjoins = now.top is not None and now.newest == NONE
        top = Frame(new, tick.ghost, now.top is None, adjoins, NONE, now.newest)
        return State(tick.then, tick.op, top, now.top, NONE, now.sure, now.maybe)

    def popped(self, rested: Frame | None, now: State, new: int, tick: Tick) -> Iterator[State]:
        """The cell below is on top, and below it is anything that can lie there, by how it `rested`."""
        if now.top is None or now.below is None or rested is None:
            self.faults.append(f"{tick.line}: nothing to pop")
            return
        gone = {now.top.word, new}
        top = now.below._replace(after=now.top.word) if now.top.adjoins else now.below
        for under in (None,) if now.below.is_first else self.under.get(rested, frozenset()):
            yield State(tick.then, tick.op, top, under, new, now.sure | gone, now.maybe | gone)

    def read(self, now: State, new: int, hidden: set[int], seen: Seen, tick: Tick) -> set[int]:
        """The words that may be read; a fault if another cell than the target may be."""
        present = {CONTENT} if now.top is None else {CONTENT, FORWARD, USAGE_FORWARD}
        if now.top is not None and not now.top.is_first:
            present |= {BACKWARD, USAGE_BACKWARD}
        winner = self.control.winner(seen, tuple(sorted(present & {*self.control.every})))
        if now.top is None or winner == CONTENT:
            return self.looked_up(now, new, hidden, seen, tick)
        to_new = winner == USAGE_FORWARD or (winner == FORWARD and now.newest == NONE)
        to_below = winner == USAGE_BACKWARD or (winner == BACKWARD and now.top.adjoins)
        target = NEW if to_new else BELOW if to_below and now.below else ""
        if tick.target not in ("", target):
            self.faults.append(f"{tick.line}: a link leads to another cell")
        if target == NEW:
            return {new}
        if to_below and now.below is not None:
            return {now.below.word}
        known = now.top.after if winner == FORWARD else now.top.before
        return {known} if known != NONE else {*now.maybe, new}

    def looked_up(self, now: State, new: int, hidden: set[int], seen: Seen, tick: Tick) -> set[int]:
        """The words that a lookup may find; the lowest cell has the target's word alone, or is cell 0."""
        shown = [frame for frame in (now.top, now.below) if frame is not None]
        certain = {new, *now.sure, *(frame.word for frame in shown)}
        best = self.control.best_word(seen, certain)
        found = {best} | {
            word for word in (hidden | now.maybe) - certain if self.control.prefers(seen, word, best)
        }
        if tick.target == NEW:
            alone = best == new and best not in hidden | now.maybe | {frame.word for frame in shown}
        else:
            alone = now.below is not None and best == now.below.word
            alone = alone and (best not in hidden | now.maybe or bool(now.below and now.below.is_first))
        if tick.target and not (alone and found == {best}):
            self.faults.append(f"{tick.line}: a lookup may find another cell")
        return found

    def lower(self, frame: Frame | None) -> set[Frame]:
        """All that can lie anywhere below a resting cell."""
        found: set[Frame] = set()
        new = set() if frame is None else {*self.under.get(frame, ())}
        while new:
            found |= new
            new = {low for one in new for low in self.under.get(one, ())} - found
        return found
