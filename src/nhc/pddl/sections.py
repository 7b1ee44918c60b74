"""What domain and problem files share: the outer form, the sections, the requirements."""

from collections.abc import Sequence
from typing import NamedTuple

from nhc.errors import InputError, Note
from nhc.pddl.text import Group, Node, Source, Word

SUPPORTED = {":strips", ":typing", ":negative-preconditions", ":equality", ":action-costs"}
UNSUPPORTED = {
    *(":disjunctive-preconditions", ":existential-preconditions", ":universal-preconditions"),
    *(":quantified-preconditions", ":conditional-effects", ":fluents", ":numeric-fluents", ":object-fluents"),
    *(":adl", ":ucpop", ":durative-actions", ":duration-inequalities", ":continuous-effects", ":time"),
    *(":derived-predicates", ":domain-axioms", ":timed-initial-literals", ":preferences", ":constraints"),
}
IMPLIED = {":adl": {":typing", ":negative-preconditions", ":equality"}}
REFUSED = {
    ":derived": ("pddl.derived", "derived predicates"),
    ":axiom": ("pddl.derived", "axioms"),
    ":durative-action": ("pddl.durative", "durative actions"),
    ":process": ("pddl.durative", "processes"),
    ":event": ("pddl.durative", "events"),
    ":constraints": ("pddl.constraint", "constraints"),
}
"""The first word of a section that is refused, the code, and what it is."""


class Definition(NamedTuple):
    """A file, opened but not read."""

    name: Word
    sections: dict[str, Group]
    """Those that come once, by their keyword."""
    actions: list[Group]
    at: int

    def items(self, key: str) -> list[Node]:
        """What stands in a section, nothing if it is not there."""
        return self.sections[key].items[1:] if key in self.sections else []


def open_definition(source: Source, kind: str, names: Sequence[str]) -> Definition:
    """The parts of `(define (KIND name) …)`; `names` are the keywords of its sections.

    Raises InputError: `pddl.character`, `pddl.bracket`, `pddl.truncated`, `pddl.form`, `pddl.name`,
    `pddl.section`, and the codes of REFUSED.
    """
    form = f"(define ({kind} NAME) …)"
    groups = source.groups()
    if len(groups) != 1:
        at = groups[1].at if groups else 0
        message = f"expected one {form}, found {'more' if groups else 'nothing'}"
        raise InputError("pddl.form", message, source.place(at))
    whole = groups[0]
    if source.head(whole, "define").text != "define" or len(whole.items) < 2:
        raise InputError("pddl.form", f"expected {form}", source.place(whole.at))
    title = source.group(whole.items[1], f"({kind} NAME)")
    found = source.head(title, kind)
    if found.text != kind or len(title.items) != 2:
        message = f"expected ({kind} NAME), found ({found.text} …)"
        raise InputError("pddl.form", message, source.place(title.at))
    name = source.name(title.items[1], f"the name of the {kind}")
    sections, actions = _sorted_sections(source, whole.items[2:], names)
    return Definition(name, sections, actions, whole.at)


def _sorted_sections(
    source: Source, items: list[Node], names: Sequence[str]
) -> tuple[dict[str, Group], list[Group]]:
    sections: dict[str, Group] = {}
    actions = []
    for item in items:
        group = source.group(item, "a section")
        head = source.head(group, "the keyword of a section")
        place = source.place(group.at)
        if head.text in REFUSED:
            code, what = REFUSED[head.text]
            raise InputError(code, f"{what} are not supported: `{head.text}`", place)
        if head.text not in names:
            message = f"there is no section `{head.text}` here; there are {' '.join(names)}"
            raise InputError("pddl.section", message, place)
        if head.text == ":action":
            actions.append(group)
        elif head.text in sections:
            message = f"the section `{head.text}` is already there"
            raise InputError("pddl.section", message, place)
        else:
            sections[head.text] = group
    return sections, actions


def read_requirements(source: Source, opened: Definition) -> None:
    """Note what a file declares that it needs. Raises InputError: `pddl.requirement`."""
    for item in opened.items(":requirements"):
        word = source.word(item, "a requirement")
        if word.text in UNSUPPORTED:
            message = f"{word.text} is not supported; what needs it would be refused where it stands"
            source.notes.append(Note("pddl.requirement", message, source.place(word.at)))
        elif word.text not in SUPPORTED:
            message = f"there is no requirement `{word.text}`"
            raise InputError("pddl.requirement", message, source.place(word.at))
        source.declared |= {word.text} | IMPLIED.get(word.text, set())


def warn_of_undeclared(source: Source, opened: Definition, before: Source | None = None) -> None:
    """A note if a file needs what no requirement names, and one on costs.

    Those of a file read `before` hold for this one too, and what that one needed is not told again.
    """
    used = {name: at for name, at in source.used.items() if before is None or name not in before.used}
    declared = source.declared if before is None else source.declared | before.declared
    missing = [name for name in sorted(used) if name not in declared]
    if missing:
        names = " ".join(missing)
        message = f"{names} is used, and not among the requirements; read as if it were"
        source.notes.append(Note("pddl.requirement", message, source.place(used[missing[0]])))
    elif opened.actions and ":requirements" not in opened.sections:
        message = "there are no requirements; read as `:strips`"
        source.notes.append(Note("pddl.requirement", message, source.place(opened.at)))
    if ":action-costs" in used:
        message = "costs are read and not used: every action counts 1"
        source.notes.append(Note("pddl.costs", message, source.place(used[":action-costs"])))
