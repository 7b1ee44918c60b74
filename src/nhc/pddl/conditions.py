"""Conditions and effects: conjunctions of literals. Everything else that PDDL has is refused by its name."""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from nhc.errors import InputError, Note
from nhc.pddl.model import EQUALS, OBJECT, Domain, Literal
from nhc.pddl.text import Group, Node, Source, Word

NUMERIC = ("pddl.numeric", "numeric fluents, other than costs,")
REFUSED = {
    "when": ("pddl.conditional", "conditional effects"),
    "forall": ("pddl.quantifier", "quantifiers"),
    "exists": ("pddl.quantifier", "quantifiers"),
    "or": ("pddl.disjunction", "disjunctions"),
    "imply": ("pddl.disjunction", "implications"),
    "preference": ("pddl.preference", "preferences"),
    **dict.fromkeys(
        ("<", ">", "<=", ">=", "increase", "decrease", "assign", "scale-up", "scale-down"), NUMERIC
    ),
}
"""The first word of what is refused, the code, and what it is."""
TOTAL_COST = "total-cost"
NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?|\.[0-9]+")


class Scope(NamedTuple):
    """What may be named at some place of a file."""

    source: Source
    domain: Domain
    objects: dict[str, str]
    """Objects and their types."""
    variables: dict[str, str]
    """Variables and their types."""


def read_condition(scope: Scope, node: Node) -> tuple[Literal, ...]:
    """The literals of a condition, `and` at any depth opened.

    Raises InputError: the codes of REFUSED, `pddl.form`, and those of `read_atom`.
    """
    literals = []
    for group, positive in _conjuncts(scope.source, node):
        literals.append(read_atom(scope, group, positive))
        if not positive:
            scope.source.used.setdefault(":negative-preconditions", group.at)
        if literals[-1].predicate == EQUALS:
            scope.source.used.setdefault(":equality", group.at)
    return tuple(literals)


def read_effect(scope: Scope, node: Node) -> tuple[Literal, ...]:
    """The literals of an effect; costs are checked and left out. Raises InputError as `read_condition`."""
    literals = []
    for group, positive in _conjuncts(scope.source, node):
        head = scope.source.head(group, "an effect")
        if head.text == "increase" and positive:
            _check_cost(scope, group)
            continue
        if head.text == EQUALS:
            raise InputError("pddl.form", "`=` is no effect", scope.source.place(head.at))
        literals.append(read_atom(scope, group, positive))
    for literal in deleted_and_added(literals):
        atom = str(literal._replace(positive=True))
        message = f"{atom} is deleted and added by the same action; it is added"
        scope.source.notes.append(Note("pddl.add_wins", message, scope.source.place(literal.at)))
    return tuple(literals)


def deleted_and_added(effect: Sequence[Literal]) -> list[Literal]:
    """The deletes of atoms that the same effect adds."""
    added = {literal[:2] for literal in effect if literal.positive}
    return [literal for literal in effect if not literal.positive and literal[:2] in added]


def _conjuncts(source: Source, node: Node) -> list[tuple[Group, bool]]:
    """The parts of a conjunction in their order, `not` taken off. Text may nest deep, so it is a loop."""
    found: list[tuple[Group, bool]] = []
    waiting = [node]
    while waiting:
        group = source.group(waiting.pop(), "`(`")
        if not group.items:
            continue
        head = source.head(group, "a condition or effect")
        if head.text == "and":
            waiting += reversed(group.items[1:])
        elif head.text == "not":
            found.append((_negated(source, group), False))
        else:
            found.append((group, True))
    return found


def _negated(source: Source, group: Group) -> Group:
    if len(group.items) != 2:
        message = f"expected one atom after `not`, found {len(group.items) - 1} parts"
        raise InputError("pddl.form", message, source.place(group.at))
    inner = source.group(group.items[1], "an atom after `not`")
    head = source.head(inner, "an atom after `not`").text
    if head in ("and", "not"):
        message = f"`not` before `{head}` is not supported, only before an atom"
        raise InputError("pddl.disjunction", message, source.place(inner.at))
    return inner


def read_atom(scope: Scope, group: Group, positive: bool) -> Literal:
    """A predicate and its terms.

    Raises InputError: the codes of REFUSED, `pddl.predicate`, `pddl.arity`, `pddl.object`, `pddl.variable`,
    `pddl.numeric`, `pddl.form`.
    """
    source, head = scope.source, scope.source.head(group, "an atom")
    if head.text in REFUSED:
        code, what = REFUSED[head.text]
        raise InputError(code, f"{what} are not supported: `{head.text}`", source.place(group.at))
    if head.text == EQUALS and any(isinstance(item, Group) for item in group.items[1:]):
        raise InputError("pddl.numeric", "comparisons of numbers are not supported", source.place(group.at))
    kinds = (OBJECT, OBJECT) if head.text == EQUALS else scope.domain.predicates.get(head.text)
    if kinds is None:
        message = f"there is no predicate `{head.text}`{_choice(scope.domain.predicates)}"
        raise InputError("pddl.predicate", message, source.place(head.at))
    terms = read_terms(scope, head, group.items[1:], kinds)
    return Literal(head.text, terms, positive, group.at)


def read_terms(scope: Scope, head: Word, items: Sequence[Node], kinds: tuple[str, ...]) -> tuple[str, ...]:
    """The arguments of a predicate or function. Raises InputError: `pddl.arity` and those of one term."""
    source = scope.source
    if len(items) != len(kinds):
        message = f"`{head.text}` has arity {len(kinds)}, found {len(items)} arguments"
        raise InputError("pddl.arity", message, source.place(head.at))
    terms = []
    for item, kind in zip(items, kinds, strict=True):
        term = source.word(item, "an object or variable")
        own = _type_of(scope, term)
        if not scope.domain.is_a(own, kind):
            message = f"`{term.text}` is of type `{own}`, and `{head.text}` was declared for `{kind}`"
            source.notes.append(Note("pddl.argument", message, source.place(term.at)))
        terms.append(term.text)
    return tuple(terms)


def _type_of(scope: Scope, term: Word) -> str:
    variable = term.text.startswith("?")
    known = scope.variables if variable else scope.objects
    if term.text in known:
        return known[term.text]
    what = "variable" if variable else "object"
    code = "pddl.variable" if variable else "pddl.object"
    message = f"there is no {what} `{term.text}` here{_choice(known)}"
    raise InputError(code, message, scope.source.place(term.at))


def _choice(known: Collection[str]) -> str:
    """The names that there are, if they are few."""
    return f"; there are {' '.join(sorted(known))}" if 0 < len(known) <= 12 else ""


def _check_cost(scope: Scope, group: Group) -> None:
    """That this is `(increase (total-cost) AMOUNT)`."""
    source = scope.source
    place = source.place(group.at)
    if len(group.items) != 3:
        raise InputError("pddl.form", "expected `(increase (total-cost) AMOUNT)`", place)
    target, amount = group.items[1:]
    head = source.head(target, TOTAL_COST) if isinstance(target, Group) else target
    if head.text != TOTAL_COST:
        message = f"numeric fluents, other than costs, are not supported: `{head.text}`"
        raise InputError("pddl.numeric", message, place)
    read_function(scope, target)
    if isinstance(amount, Group):
        read_function(scope, amount)
    elif not NUMBER.fullmatch(amount.text):
        message = f"expected a number or a function, found `{amount.text}`"
        raise InputError("pddl.numeric", message, source.place(amount.at))
    scope.source.used.setdefault(":action-costs", group.at)


def read_function(scope: Scope, node: Node) -> None:
    """Check a function and its arguments. Raises InputError: `pddl.numeric` and those of `read_terms`."""
    group = scope.source.group(node, "a function")
    head = scope.source.head(group, "a function")
    if head.text not in scope.domain.functions:
        message = f"there is no function `{head.text}`; sums and products are not supported"
        raise InputError("pddl.numeric", message, scope.source.place(head.at))
    read_terms(scope, head, group.items[1:], scope.domain.functions[head.text])
