"""Domain files: types, names and actions, the sections in any order."""

from collections.abc import Callable

from nhc.errors import InputError, Note
from nhc.pddl.conditions import Scope, read_condition, read_effect
from nhc.pddl.model import OBJECT, Action, Domain, Literal
from nhc.pddl.sections import open_definition, read_requirements, warn_of_undeclared
from nhc.pddl.text import Group, Node, Source, Word

SECTIONS = (":requirements", ":types", ":constants", ":predicates", ":functions", ":action")
PARTS = (":parameters", ":precondition", ":effect")


def read_domain(source: Source) -> Domain:
    """The domain of a file; what it needs, and warnings, go to the notes of the source.

    Raises InputError for all that the supported subset does not have, see docs/errors.md, `pddl.…`.
    """
    opened = open_definition(source, "domain", SECTIONS)
    read_requirements(source, opened)
    parents = _read_types(source, opened.sections.get(":types"))
    constants = read_objects(source, opened.items(":constants"), parents)
    listed = [source.group(item, "a predicate") for item in opened.items(":predicates")]
    predicates = _read_signatures(source, listed, "predicate", parents)
    functions = _read_functions(source, opened.sections.get(":functions"), parents)
    domain = Domain(opened.name.text, parents, constants, predicates, functions, ())
    names = [_action_name(source, group) for group in opened.actions]
    source.no_twins(names, "action")
    scope = Scope(source, domain, constants, {})
    actions = tuple(
        _read_action(scope, group, name) for group, name in zip(opened.actions, names, strict=True)
    )
    warn_of_undeclared(source, opened)
    return domain._replace(actions=actions)


def _read_types(source: Source, section: Group | None) -> dict[str, str]:
    """The parent of each type. A parent that is not declared is taken as a type, with a warning."""
    if section is None:
        return {}
    source.used.setdefault(":typing", section.at)
    pairs = source.typed(section.items[1:], lambda node: source.name(node, "the name of a type"))
    names = [name for name, _ in pairs]
    source.no_twins(names, "type")
    parents = {name.text: kind.text for name, kind in pairs}
    if parents.pop(OBJECT, OBJECT) != OBJECT:
        at = next(name.at for name in names if name.text == OBJECT)
        raise InputError("pddl.cycle", "`object` is the root of the types", source.place(at))
    for _, kind in pairs:
        if kind.text not in parents and kind.text != OBJECT:
            parents[kind.text] = OBJECT
            message = f"the type `{kind.text}` is not declared; taken as a type of its own"
            source.notes.append(Note("pddl.type", message, source.place(kind.at)))
    for name in names:
        _check_ancestors(source, name, parents)
    return parents


def _check_ancestors(source: Source, name: Word, parents: dict[str, str]) -> None:
    seen, kind = {OBJECT}, name.text
    while kind not in seen:
        seen.add(kind)
        kind = parents[kind]
    if kind != OBJECT:
        raise InputError("pddl.cycle", f"the type `{name.text}` is its own ancestor", source.place(name.at))


def read_objects(source: Source, items: list[Node], parents: dict[str, str]) -> dict[str, str]:
    """The type of each object or constant.

    Raises InputError: `pddl.duplicate`, `pddl.type` and those of `Source.typed`.
    """
    named = _typed_words(source, items, parents, lambda node: source.name(node, "the name of an object"))
    source.no_twins([word for word, _ in named], "object")
    return {word.text: kind for word, kind in named}


def _variables(source: Source, items: list[Node], parents: dict[str, str]) -> dict[str, str]:
    """The type of each variable."""
    named = _typed_words(source, items, parents, source.variable)
    source.no_twins([word for word, _ in named], "variable")
    return {word.text: kind for word, kind in named}


def _typed_words(
    source: Source, items: list[Node], parents: dict[str, str], named: Callable[[Node], Word]
) -> list[tuple[Word, str]]:
    """Words and their types, which must exist."""
    found = []
    for word, kind in source.typed(items, named):
        if kind.at != word.at:
            source.used.setdefault(":typing", kind.at)
        if kind.text != OBJECT and kind.text not in parents:
            message = f"there is no type `{kind.text}`; there are {' '.join([OBJECT, *sorted(parents)][:20])}"
            raise InputError("pddl.type", message, source.place(kind.at))
        found.append((word, kind.text))
    return found


def _read_signatures(
    source: Source, groups: list[Group], what: str, parents: dict[str, str]
) -> dict[str, tuple[str, ...]]:
    """Names and the types of their arguments."""
    names = []
    for group in groups:
        source.head(group, f"the name of a {what}")
        names.append(source.name(group.items[0], f"the name of a {what}"))
    source.no_twins(names, what)
    return {
        name.text: tuple(_variables(source, group.items[1:], parents).values())
        for name, group in zip(names, groups, strict=True)
    }


def _read_functions(
    source: Source, section: Group | None, parents: dict[str, str]
) -> dict[str, tuple[str, ...]]:
    """Functions, which may be numbers only: costs."""
    if section is None:
        return {}
    source.used.setdefault(":action-costs", section.at)
    pairs = source.typed(section.items[1:], lambda node: source.group(node, "a function"), "number")
    for _, kind in pairs:
        if kind.text != "number":
            message = "functions other than costs are not supported"
            raise InputError("pddl.numeric", message, source.place(kind.at))
    return _read_signatures(source, [group for group, _ in pairs], "function", parents)


def _action_name(source: Source, group: Group) -> Word:
    if len(group.items) < 2:
        raise InputError("pddl.form", "expected the name of an action", source.place(group.at))
    return source.name(group.items[1], "the name of an action")


def _read_action(scope: Scope, group: Group, name: Word) -> Action:
    source = scope.source
    parts: dict[str, Node] = {}
    for at in range(2, len(group.items), 2):
        key = source.word(group.items[at], f"one of {' '.join(PARTS)}")
        if key.text not in PARTS or key.text in parts:
            why = "is already there" if key.text in parts else f"is none of {' '.join(PARTS)}"
            raise InputError("pddl.section", f"`{key.text}` {why}", source.place(key.at))
        if at + 1 == len(group.items):
            raise InputError("pddl.form", f"expected a bracket after `{key.text}`", source.place(key.at))
        parts[key.text] = group.items[at + 1]
    listed = source.group(parts.get(":parameters", Group([], group.at)), "a list of variables")
    variables = _variables(source, listed.items, scope.domain.parents)
    inner = scope._replace(variables=variables)
    empty: tuple[Literal, ...] = ()
    condition = read_condition(inner, parts[":precondition"]) if ":precondition" in parts else empty
    effect = read_effect(inner, parts[":effect"]) if ":effect" in parts else empty
    return Action(name.text, tuple(variables.items()), condition, effect, group.at)
