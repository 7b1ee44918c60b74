"""One tick of machine and environment on a stack: the chain of usage links from the cell read last to cell 0.

A push reads the cell that the tick writes, whose usage parent is the top; a pop reads the parent of the top.
So the stack is known by its two uppermost cells and by what can lie below each resting cell, a relation that
grows until nothing new appears. A cell rests with the word that the tick of its push leaves in it. Cells that
were popped, or written by a pop, are never read again: only their words matter.
"""

from collections.abc import Hashable, Iterator
from typing import NamedTuple

from nhc.certify.decisions import Decisions
from nhc.certify.enclosure import Seen
from nhc.certify.environment import Clause, Environment, Refused, Rule
from nhc.program.compiled import BACKWARD, CONTENT, FORWARD, USAGE_BACKWARD, USAGE_FORWARD
from nhc.shapes import NONE

NEW, BELOW = "new", "below"


class Frame(NamedTuple):
    """A cell on the stack."""

    word: int
    ghost: str
    is_first: bool
    """Is it cell 0?"""
    adjoins: bool
    """Is it the cell after its parent's?"""
    after: int
    """Word of the cell after it, once that was popped; `NONE` before."""
    before: int
    """Word of the cell before it, if that is not its parent's; else `NONE`."""


class State(NamedTuple):
    """An abstract state: the upper end of the stack."""

    state: str
    """The environment's."""
    op: int
    """The operation chosen last."""
    top: Frame | None
    below: Frame | None
    newest: int
    """Word of the newest cell, if that is not the top; else `NONE`."""
    sure: frozenset[int] = frozenset()
    """Words that cells off the stack certainly hold."""
    maybe: frozenset[int] = frozenset()
    """Words that they may hold."""

    @property
    def key(self) -> Hashable:
        """What tells states apart; other words are known only as bounds."""
        return self[:5]

    def joined(self, other: "State") -> "State":
        """What both allow, where they have one key."""
        return self._replace(sure=self.sure & other.sure, maybe=self.maybe | other.maybe)


class Stack:
    """A machine in an environment, on a stack."""

    def __init__(self, decisions: Decisions, environment: Environment) -> None:
        self.decisions, self.environment = decisions, environment
        self.under: dict[Frame, set[Frame]] = {}
        """What was seen to lie below a resting cell."""

    @property
    def start(self) -> State:
        """Before the first tick."""
        return State(self.environment.start, NONE, None, None, NONE)

    def noted(self) -> int:
        """Size of the relation, which never shrinks."""
        return sum(map(len, self.under.values()))

    def successors(self, now: State) -> Iterator[State]:
        """What may be after one more tick. Raises Refused where the machine may not do what it should."""
        for rule in self.environment.rules[now.state]:
            moved = allowed(now, rule.clauses)
            if moved is None:
                continue
            if rule.target not in ((NEW, BELOW, "") if rule.ends else (NEW, BELOW)):
                raise Refused(f"line {rule.line!r}: a stack reads new or below at every tick but the last")
            seen = Seen(rule.signals, NONE if now.top is None else now.top.word, now.op)
            hidden = {frame.word for frame in self.deep(now.below)}
            for word in self._words(moved, hidden, seen, rule):
                found = self.decisions.op(seen, word)
                if found != rule.op:
                    raise Refused(f"line {rule.line!r}: operation {found} instead of {rule.op}")
            if not rule.ends:
                yield from self._after(now, moved, seen, rule)

    def _after(self, before: State, now: State, seen: Seen, rule: Rule) -> Iterator[State]:
        """The stack after a push or a pop. What lies below a cell was noted when it began to rest."""
        constrained, fresh = self.decisions.written(seen)
        after = now._replace(state=rule.then, op=rule.op)
        if rule.target == NEW:
            rests = None if now.top is None else now.top._replace(word=constrained)
            if rests is not None and now.below is not None:
                self.under.setdefault(rests, set()).add(now.below)
            adjoins = rests is not None and now.newest == NONE
            new = Frame(fresh, rule.ghost, rests is None, adjoins, NONE, now.newest)
            yield after._replace(top=new, below=rests, newest=NONE)
            return
        top, below, rested = now.top, now.below, before.below
        if top is None or below is None or rested is None:
            raise Refused(f"line {rule.line!r}: pops where nothing may be below")
        popped = below._replace(after=constrained if top.adjoins else below.after)
        gone = {constrained, fresh}
        after = after._replace(top=popped, newest=fresh, sure=now.sure | gone, maybe=now.maybe | gone)
        for under in [None] if below.is_first else sorted(self.under.get(rested, ())):
            yield after._replace(below=under)

    def _words(self, now: State, hidden: set[int], seen: Seen, rule: Rule) -> set[int]:
        """The words that may be read; `hidden` ones may lie deeper than the cell below.

        Raises Refused if the cell read may not be the target.
        """
        constrained, fresh = self.decisions.written(seen)
        if fresh == NONE:
            raise Refused(f"line {rule.line!r}: a stack stores a word at every tick")
        top = None if now.top is None else now.top._replace(word=constrained)
        present = {CONTENT}
        if top is not None:
            present |= {FORWARD, USAGE_FORWARD} | (set() if top.is_first else {BACKWARD, USAGE_BACKWARD})
        winner = self.decisions.winner(seen, frozenset(present) & self.decisions.mechanisms)
        if winner == CONTENT or top is None:
            return self._looked_up(now._replace(top=top), fresh, hidden, seen, rule)
        target, words = linked(now, winner, fresh)
        if rule.target not in ("", target):
            raise Refused(f"line {rule.line!r}: a link leads to another cell than {rule.target}")
        return words

    def _looked_up(self, now: State, fresh: int, hidden: set[int], seen: Seen, rule: Rule) -> set[int]:
        """The words that a lookup may find. Where cells hold one word, the lowest is found."""
        shown = [frame for frame in (now.top, now.below) if frame is not None]
        certain = {fresh, *(frame.word for frame in shown), *now.sure}
        best = self.decisions.best_word(seen, certain)
        better = {w for w in (hidden | now.maybe) - certain if self.decisions.prefers(seen, w, best)}
        if not rule.target:
            return better | {best}
        rivals = hidden | now.maybe
        if rule.target == NEW:
            rivals, wanted = rivals | {frame.word for frame in shown}, fresh
        else:
            wanted = NONE if now.below is None else now.below.word
            rivals = set() if now.below is not None and now.below.is_first else rivals
        if better or best != wanted or best in rivals:
            raise Refused(f"line {rule.line!r}: a lookup may find another cell than {rule.target}")
        return {best}

    def deep(self, frame: Frame | None) -> set[Frame]:
        """What may lie anywhere below a resting cell."""
        found, left = set[Frame](), [] if frame is None else [frame]
        while left:
            new = self.under.get(left.pop(), set()) - found
            found |= new
            left += new
        return found


def linked(now: State, winner: int, fresh: int) -> tuple[str, set[int]]:
    """Where a link leads from the top, and the words that may be there. The newest cell is the new one."""
    top, below = now.top, now.below
    assert top is not None
    if winner == USAGE_FORWARD or (winner == FORWARD and now.newest == NONE):
        return NEW, {fresh}
    if winner == USAGE_BACKWARD or (winner == BACKWARD and top.adjoins):
        assert below is not None
        return BELOW, {below.word}
    word = top.after if winner == FORWARD else top.before
    return "", {word} if word != NONE else set(now.maybe) | {fresh}


def allowed(now: State, clauses: tuple[Clause, ...]) -> State | None:
    """The stack after all conditions and moves of a rule; None if a condition does not hold."""
    for verb, mark, other in clauses:
        frame = now.top if mark == "top" else now.below
        if frame is None or mark not in ("top", BELOW):
            return None
        if verb == "becomes":
            frame = frame._replace(ghost=other)
            now = now._replace(top=frame) if mark == "top" else now._replace(below=frame)
        elif verb in ("at", "apart") and other == "first":
            if frame.is_first != (verb == "at"):
                return None
        elif verb in ("is", "is_not"):
            if (frame.ghost == other) != (verb == "is"):
                return None
        else:
            raise Refused(f"a stack has no {verb} of {mark} and {other}")
    return now
