"""Environments on concrete memory: every cell has a number, and marks are numbers of cells."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from nhc.algorithms.protocol import FREE, Word
from nhc.algorithms.registry import AnyAlgorithm
from nhc.certify.environment import Environment, Rule, read_environment
from nhc.shapes import NONE

REST = "rest"


@dataclass(frozen=True)
class Path:
    """A run as far as the environment sees it, at some tick."""

    state: str
    marks: dict[str, int] = field(default_factory=dict)
    ghosts: tuple[str, ...] = ()
    parents: tuple[int, ...] = ()

    def moved(self, rule: Rule) -> "Path | None":
        """After all conditions and moves of a rule; None if it does not apply."""
        now = self
        for verb, mark, other in rule.clauses:
            at, there = now.mark(mark), now.mark(other)
            ghost = None if at is None else now.ghosts[at]
            holds = {
                "exists": at is not None,
                "missing": at is None,
                "at": at is not None and at == there,
                "apart": at is None or at != there,
                "is": ghost == other,
                "is_not": ghost != other,
            }
            if verb in holds:
                if not holds[verb]:
                    return None
                continue
            to = {
                "move": there,
                "next": None if at is None or at + 1 == len(now.ghosts) else at + 1,
                "previous": None if not at else at - 1,
                "parent": None if there is None else now.parents[there],
                "drop": -1,
                "becomes": at,
            }[verb]
            if to is None:
                return None
            if verb == "becomes":
                now = replace(now, ghosts=(*now.ghosts[:to], other, *now.ghosts[to + 1 :]))
            else:
                now = replace(now, marks={**now.marks, mark: to})
        return now

    def mark(self, name: str) -> int | None:
        """The cell with a mark."""
        if name == "below":
            top = self.marks.get("top", -1)
            return None if top < 1 else self.parents[top]
        found = self.marks.get(name, -1)
        return None if found < 0 else found

    def targets(self, rule: Rule) -> range:
        """The cells that a rule, whose conditions and moves were gone through, allows to be read."""
        new = len(self.ghosts)
        if rule.target in ("", REST):
            return range(new + 1)[self.marks.get("after", new) if rule.target else 0 :]
        at = new if rule.target == "new" or rule.target in rule.marks else self.mark(rule.target)
        return range(0) if at is None else range(at, at + 1)

    def ticked(self, rule: Rule, read: int, *, stores: bool = True) -> "Path":
        """After the tick of a rule that read a cell, and perhaps stored a word."""
        if not stores:
            return replace(self, state=rule.then, marks={**self.marks, "read": read, "top": read})
        new = len(self.ghosts)
        marks = {**self.marks, **dict.fromkeys(rule.marks, new), "newest": new, "first": 0}
        parents = (*self.parents, self.marks.get("read", -1))
        return Path(rule.then, {**marks, "read": read, "top": read}, (*self.ghosts, rule.ghost), parents)


def first_path(environment: Environment) -> Path:
    """Before the first tick."""
    return Path(environment.start)


def applicable(environment: Environment, path: Path) -> Iterator[tuple[Rule, Path]]:
    """The ticks that may come."""
    for rule in environment.rules[path.state]:
        moved = path.moved(rule)
        if moved is not None:
            yield rule, moved


def lost_at(algorithm: AnyAlgorithm, instance: object) -> int | None:
    """The tick of the teacher's run that no path of the environment has; None if one has all of them."""
    abstraction = algorithm.abstraction()
    assert abstraction is not None
    environment = read_environment(algorithm, abstraction.rules)
    side, stored = algorithm.begin(instance), list[Word]()
    paths = [first_path(environment)]
    lessons = algorithm.teacher(instance)
    for tick, (op, word) in enumerate(lessons, 1):
        signals, new = side.observe()
        possible = [
            (rule, moved)
            for path in paths
            for rule, moved in applicable(environment, path)
            if rule.signals == tuple(signals)
            and rule.op in (op, NONE)
            and rule.ends == (tick == len(lessons))
        ]
        stores = any(rule.stores is not False for rule, _ in possible)
        stored += [new] * stores
        paths = [
            moved.ticked(rule, read, stores=stores)
            for rule, moved in possible
            for read in _read(moved.targets(rule), word, stored, free=not rule.target)
        ]
        if not paths:
            return tick
        side.act(op, word)
    return None


def _read(cells: range, word: Word, stored: list[Word], *, free: bool) -> list[int]:
    """One of the cells if all hold the right word. Where any may be read, the newest will do."""
    if word is FREE:
        return [cells[-1]] if len(cells) else []
    right = len(cells) > 0 and not free and all(stored[cell] == word for cell in cells)
    return [cells[-1]] if right else []
