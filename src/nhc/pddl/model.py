"""What a PDDL domain and problem say, after reading: plain names in small letters."""

from typing import NamedTuple, TypeAlias

Fact: TypeAlias = tuple[str, ...]
"""A predicate and its objects. Tuples keep `(p o aob)` and `(p oa ob)` apart, as joined names might not."""

EQUALS = "="
OBJECT = "object"
"""The root of the types."""


class Literal(NamedTuple):
    """A fact with variables that is to hold, or not to hold; or two terms that are to be equal, or not."""

    predicate: str
    terms: tuple[str, ...]
    """Objects, and variables, which begin with `?`."""
    positive: bool
    at: int
    """Where it stands in its file."""

    def fact(self, values: dict[str, str]) -> Fact:
        """The fact that it speaks of, with values of its variables."""
        return (self.predicate, *(values.get(term, term) for term in self.terms))

    def __str__(self) -> str:
        text = f"({' '.join((self.predicate, *self.terms))})"
        return text if self.positive else f"(not {text})"


class Action(NamedTuple):
    """An action with variables. Deletes come before adds."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    """Variables and their types."""
    condition: tuple[Literal, ...]
    effect: tuple[Literal, ...]
    at: int
    """Where it stands in the file of the domain."""


class Domain(NamedTuple):
    """Types, names and actions, all in the order of the file."""

    name: str
    parents: dict[str, str]
    """The parent of each type but `object`."""
    constants: dict[str, str]
    """The type of each constant."""
    predicates: dict[str, tuple[str, ...]]
    """The types of the arguments of each predicate."""
    functions: dict[str, tuple[str, ...]]
    """The same of each function; they are costs, and costs are not used."""
    actions: tuple[Action, ...]

    def is_a(self, kind: str, ancestor: str) -> bool:
        """Is every object of one type also one of the other?"""
        while kind not in (ancestor, OBJECT):
            kind = self.parents[kind]
        return kind == ancestor


class Problem(NamedTuple):
    """Objects, the first state and the goal of a task."""

    name: str
    domain: Domain
    objects: dict[str, str]
    """The type of each object; constants of the domain come first."""
    init: frozenset[Fact]
    """What holds at first. All else does not."""
    goal: tuple[Literal, ...]

    def of_type(self, kind: str) -> list[str]:
        """Its objects, in the order of the files."""
        return [name for name, own in self.objects.items() if self.domain.is_a(own, kind)]


def fact_text(fact: Fact) -> str:
    """A fact or an action as PDDL writes it."""
    return f"({' '.join(fact)})"
