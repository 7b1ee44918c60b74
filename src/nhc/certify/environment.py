"""Environments as data: the lines that an author writes (`nhc.algorithms.abstraction`), read into rules."""

import re
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

from nhc.algorithms.registry import AnyAlgorithm
from nhc.errors import ConfigError
from nhc.shapes import NONE

END, ANY = "end", "any"
FORMS = {
    "stores_nothing": r"stores nothing",
    "stores": r"stores",
    "new_ghost": r"new is (?P<other>\w+)",
    "new_mark": r"new (?P<mark>\w+)",
    "drop": r"drop (?P<mark>\w+)",
    "parent": r"(?P<mark>\w+) = parent (?P<other>\w+)",
    "move": r"(?P<mark>\w+) = (?P<other>\w+)",
    "next": r"(?P<mark>\w+) \+ 1",
    "previous": r"(?P<mark>\w+) - 1",
    "exists": r"(?P<mark>\w+) exists",
    "missing": r"(?P<mark>\w+) missing",
    "apart": r"(?P<mark>\w+) not at (?P<other>\w+)",
    "at": r"(?P<mark>\w+) at (?P<other>\w+)",
    "is_not": r"(?P<mark>\w+) is not (?P<other>\w+)",
    "is": r"(?P<mark>\w+) is (?P<other>\w+)",
    "becomes": r"(?P<mark>\w+) becomes (?P<other>\w+)",
}
PUT_ONCE = ("newest", "read")
STORES = ("stores", "stores_nothing")
LINE = re.compile(
    r"(?P<state>\w+) +(?P<signals>[01*]+) +(?P<op>[\w-]+)(?: +(?P<target>\w+))? +-> +(?P<then>[\w|]+)"
    r"(?: *: *(?P<steps>.+))?"
)


class Refused(Exception):
    """A step of the proof that does not hold."""

    def __init__(self, where: str, *, needs_parents: bool = False) -> None:
        super().__init__(where)
        self.needs_parents = needs_parents
        """Is it for want of the parent of the cell read?"""


class Clause(NamedTuple):
    """A condition or a move: what it says, and of which marks or ghosts."""

    verb: str
    mark: str
    other: str


@dataclass(frozen=True)
class Rule:
    """One tick that may come."""

    state: str
    signals: tuple[int, ...]
    op: int
    """`NONE` if any will do."""
    target: str
    """A mark, `new`, `rest`, or empty if any cell may be read."""
    then: str
    clauses: tuple[Clause, ...]
    marks: frozenset[str]
    """Marks of the cell that this tick writes."""
    ghost: str
    stores: bool | None
    """Must the free head write? None: it may do either."""
    line: str

    @property
    def ends(self) -> bool:
        """Is this the last tick of a run?"""
        return self.then == END


@dataclass(frozen=True)
class Environment:
    """All rules, by the state in which they apply."""

    start: str
    rules: dict[str, tuple[Rule, ...]]
    fixed: frozenset[str]
    """Marks that are only ever put on the newest cell, the one being written, or the one read last, and only
    once: they stay there."""
    names_parents: bool
    """Does the author mark the parents that matter? Then no others are told apart."""


def read_environment(algorithm: AnyAlgorithm, text: str) -> Environment:
    """The rules of an algorithm's environment. Raises ConfigError (`algorithm.environment`)."""
    rules: dict[str, list[Rule]] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        for rule in read_line(algorithm, line):
            rules.setdefault(rule.state, []).append(rule)
    every = [rule for group in rules.values() for rule in group]
    for rule in every:
        if not rule.ends and rule.then not in rules:
            raise _wrong(algorithm, rule.line, f"expected a line for state {rule.then}")
    if not every:
        raise _wrong(algorithm, text, "expected at least one line")
    if all(rule.stores is None for rule in every):
        rules = {state: [replace(rule, stores=True) for rule in group] for state, group in rules.items()}
    moves = [clause for rule in every for clause in rule.clauses]
    put = {c.mark for c in moves if c.verb == "move" and c.other in PUT_ONCE}
    put |= {mark for rule in every for mark in rule.marks}
    moved = {c.mark for c in moves if c.verb in ("parent", "next", "previous", "drop")}
    moved |= {c.mark for c in moves if c.verb == "move" and c.other not in PUT_ONCE}
    return Environment(
        every[0].state,
        {state: tuple(group) for state, group in rules.items()},
        frozenset(put - moved),
        any(c.verb == "move" and c.other == "read" for c in moves),
    )


def read_line(algorithm: AnyAlgorithm, line: str) -> list[Rule]:
    """The rules of one line: one for each signal that may be either, and each state that may follow.

    Raises ConfigError (`algorithm.environment`).
    """
    found, ops = LINE.fullmatch(line), [op.replace(" ", "-") for op in algorithm.ops]
    if found is None or found["op"] not in (*ops, ANY) or len(found["signals"]) != len(algorithm.signals):
        wanted = f"expected STATE SIGNALS OP [TARGET] -> STATE with {len(algorithm.signals)} signals"
        raise _wrong(algorithm, line, f"{wanted} and an operation of {', '.join(ops)}")
    if found["op"] == ANY and (found["then"] != END or found["target"]):
        raise _wrong(algorithm, line, f"expected {ANY} -> {END} without a target")
    clauses = [
        read_clause(algorithm, line, part) for part in re.split(r" *, *", found["steps"] or "") if part
    ]
    stores = next((clause.verb == "stores" for clause in clauses if clause.verb in STORES), None)
    return [
        Rule(
            found["state"],
            signals,
            NONE if found["op"] == ANY else ops.index(found["op"]),
            found["target"] or "",
            then,
            tuple(c for c in clauses if not c.verb.startswith("new_") and c.verb not in STORES),
            frozenset(clause.mark for clause in clauses if clause.verb == "new_mark"),
            next((clause.other for clause in clauses if clause.verb == "new_ghost"), ""),
            stores,
            line,
        )
        for signals in product(*((0, 1) if sign == "*" else (int(sign),) for sign in found["signals"]))
        for then in found["then"].split("|")
    ]


def read_clause(algorithm: AnyAlgorithm, line: str, text: str) -> Clause:
    """A condition or move. Raises ConfigError (`algorithm.environment`)."""
    for verb, form in FORMS.items():
        found = re.fullmatch(form, text)
        if found is not None:
            names = found.groupdict()
            return Clause(verb, names.get("mark", ""), names.get("other", ""))
    raise _wrong(algorithm, line, f"expected a condition or a move, found {text!r}")


def stated_environment(algorithm: AnyAlgorithm) -> dict[str, object] | None:
    """The environment of an algorithm as a certificate holds it; None if none is stated."""
    abstraction = algorithm.abstraction()
    if abstraction is None:
        return None
    lines = [" ".join(line.split()) for line in abstraction.rules.splitlines() if line.strip()]
    return {
        "memory": abstraction.memory,
        "signals": list(algorithm.signals),
        "ops": list(algorithm.ops),
        "lines": lines,
        "lemmas": list(abstraction.lemmas),
    }


def _wrong(algorithm: AnyAlgorithm, line: str, wanted: str) -> ConfigError:
    return ConfigError("algorithm.environment", f"{algorithm.name}: {wanted}, in line {line!r}")
