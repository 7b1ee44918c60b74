"""Problem files: objects, the first state and the goal."""

from nhc.errors import InputError, Note
from nhc.pddl.conditions import NUMBER, TOTAL_COST, Scope, read_atom, read_condition, read_function
from nhc.pddl.domain import read_objects
from nhc.pddl.model import EQUALS, Domain, Fact, Problem
from nhc.pddl.sections import Definition, open_definition, read_requirements, warn_of_undeclared
from nhc.pddl.text import Group, Source, Word

SECTIONS = (":domain", ":requirements", ":objects", ":init", ":goal", ":metric", ":length")
NEEDED = (":domain", ":init", ":goal")


def read_problem(source: Source, domain: Domain, before: Source) -> Problem:
    """The problem of a file; its domain was read from the one `before`.

    Raises InputError for all that the supported subset does not have, see docs/errors.md, `pddl.…`.
    """
    opened = open_definition(source, "problem", SECTIONS)
    sections = opened.sections
    for key in NEEDED:
        if key not in sections:
            raise InputError("pddl.section", f"there is no section `{key}`", source.place(opened.at))
    _check_domain(source, sections[":domain"], domain)
    read_requirements(source, opened)
    scope = Scope(source, domain, domain.constants | _objects(source, opened, domain), {})
    init = _read_init(scope, sections[":init"])
    if len(sections[":goal"].items) != 2:
        raise InputError("pddl.form", "expected one condition as goal", source.place(sections[":goal"].at))
    goal = read_condition(scope, sections[":goal"].items[1])
    _check_metric(scope, sections.get(":metric"))
    if ":length" in sections:
        place = source.place(sections[":length"].at)
        source.notes.append(Note("pddl.length", "`:length` means nothing here and was not read", place))
    warn_of_undeclared(source, opened, before)
    return Problem(opened.name.text, domain, scope.objects, init, goal)


def _check_domain(source: Source, section: Group, domain: Domain) -> None:
    if len(section.items) != 2:
        raise InputError("pddl.form", "expected `(:domain NAME)`", source.place(section.at))
    name = source.name(section.items[1], "the name of a domain")
    if name.text != domain.name:
        message = f"this is a problem of the domain `{name.text}`, and the domain is `{domain.name}`"
        raise InputError("pddl.domain", message, source.place(name.at))


def _objects(source: Source, opened: Definition, domain: Domain) -> dict[str, str]:
    named = read_objects(source, opened.items(":objects"), domain.parents)
    for item in opened.items(":objects"):
        if isinstance(item, Word) and item.text in named and item.text in domain.constants:
            message = f"the object `{item.text}` is already there, as a constant of the domain"
            raise InputError("pddl.duplicate", message, source.place(item.at))
    return named


def _read_init(scope: Scope, section: Group) -> frozenset[Fact]:
    """The facts that hold at first. `(not …)` may be written and says what is so anyway."""
    source = scope.source
    facts: set[Fact] = set()
    denied: dict[Fact, int] = {}
    for item in section.items[1:]:
        group = source.group(item, "a fact")
        head = source.head(group, "a fact")
        if head.text == EQUALS:
            _check_value(scope, group)
            continue
        if head.text == "at" and any(isinstance(part, Group) for part in group.items[1:]):
            raise InputError("pddl.durative", "timed facts are not supported", source.place(group.at))
        negative = head.text == "not" and len(group.items) == 2
        inner = source.group(group.items[1], "a fact") if negative else group
        if source.head(inner, "a fact").text in (EQUALS, "not", "and"):
            raise InputError("pddl.form", "expected a fact", source.place(inner.at))
        fact = read_atom(scope, inner, True).fact({})
        if negative:
            denied[fact] = group.at
        elif fact in facts:
            place = source.place(group.at)
            source.notes.append(Note("pddl.repeated", "this fact is already there", place))
        facts |= set() if negative else {fact}
    for fact, at in denied.items():
        if fact in facts:
            raise InputError("pddl.init", "this fact is also said to hold", source.place(at))
    return frozenset(facts)


def _check_value(scope: Scope, group: Group) -> None:
    """That this is `(= (FUNCTION …) NUMBER)`."""
    value = group.items[2] if len(group.items) == 3 else None
    if not isinstance(value, Word) or not NUMBER.fullmatch(value.text):
        message = "expected `(= (FUNCTION …) NUMBER)`"
        raise InputError("pddl.form", message, scope.source.place(group.at))
    read_function(scope, group.items[1])
    scope.source.used.setdefault(":action-costs", group.at)


def _check_metric(scope: Scope, section: Group | None) -> None:
    if section is None:
        return
    words = [
        scope.source.head(item, "a function") if isinstance(item, Group) else item for item in section.items
    ]
    if [word.text for word in words[1:]] != ["minimize", TOTAL_COST]:
        message = "the only metric that is let pass is `minimize (total-cost)`"
        raise InputError("pddl.numeric", message, scope.source.place(section.at))
    scope.source.used.setdefault(":action-costs", section.at)
