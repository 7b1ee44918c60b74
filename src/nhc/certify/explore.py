"""The exploration of all states that machine and environment can be in together, until nothing is new."""

from collections.abc import Hashable, Iterator
from typing import NamedTuple, Protocol, runtime_checkable

from nhc.certify.cells import Run, TooManyCases

MOST_STEPS = 300_000
"""Bounds the work, which is the same on every machine."""


class Refused(Exception):
    """A step of the proof that does not hold."""

    def __init__(self, where: str, *, needs_parents: bool = False) -> None:
        super().__init__(where)
        self.needs_parents = needs_parents
        """Is it for want of the parent of the cell read?"""


class Key(NamedTuple):
    """What tells abstract states apart."""

    state: str
    """The environment's."""
    op: int
    """The operation chosen last."""
    memory: tuple[Hashable, ...]


class Facts(NamedTuple):
    """What is known only as bounds; where two ways lead to one key, the weaker of both."""

    runs: tuple[Run, ...] = ()
    sure: frozenset[int] = frozenset()
    """Words that cells outside of the key certainly hold."""
    maybe: frozenset[int] = frozenset()
    """Of a stack: words that they may hold."""

    def joined(self, other: "Facts") -> "Facts":
        """What both allow."""
        runs = tuple(one.union(two) for one, two in zip(self.runs, other.runs, strict=True))
        return Facts(runs, self.sure & other.sure, self.maybe | other.maybe)


class State(NamedTuple):
    """An abstract state."""

    key: Key
    facts: Facts


@runtime_checkable
class Domain(Protocol):
    """A machine in an environment."""

    @property
    def start(self) -> State:
        """Before the first tick."""
        ...

    @property
    def relation(self) -> int:
        """Size of what was noted beside the states; when it grows, all of them have to be looked at again."""
        ...

    def successors(self, state: State) -> Iterator[State]:
        """What may be after one more tick. Raises Refused."""
        ...


Reached = dict[Key, Facts]


def explored(domain: Domain, most_states: int) -> Reached:
    """Every state that can be reached. Raises Refused, TooManyCases."""
    steps = 0
    reached: Reached = {domain.start.key: domain.start.facts}
    relation = -1
    while relation != domain.relation:
        relation, left = domain.relation, list(reached)
        while left:
            key = left.pop()
            for new, facts in domain.successors(State(key, reached[key])):
                steps += 1
                known = reached.get(new)
                joined = facts if known is None else known.joined(facts)
                if joined != known:
                    reached[new] = joined
                    left.append(new)
            if len(reached) > most_states or steps > MOST_STEPS:
                raise TooManyCases(f"{len(reached):,} abstract states, {steps:,} steps between them")
    return reached
