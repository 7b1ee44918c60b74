"""A program as rules over named words: what text, pictures and comparisons are made of.

A listing says the same as the table that it was made from, without what cannot matter: mechanisms weaker
than one that surely has an address, and words that a lookup prefers less than any it can find.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from nhc.domains.protocol import BRANCHING, NOP
from nhc.program.compiled import BACKWARD, CONTENT, USAGE_BACKWARD
from nhc.program.names import Role, word_names
from nhc.program.table import FIRST_STATE, ControlState, Phase, Program, Row
from nhc.shapes import NONE

NOT_AT_ROOT = frozenset({BACKWARD, USAGE_BACKWARD})
"""Mechanisms that name no cell when the cursor is on cell 0. After the first tick all others name one."""


class Source(NamedTuple):
    """One way to choose the cell that is read."""

    mechanism: int
    words: tuple[str, ...] = ()
    """Content only: the lowest cell that holds one of these is chosen, if any."""


class Choice(NamedTuple):
    """An operation, and the words read for which it is chosen; none means any word."""

    op: int
    words: tuple[str, ...] = ()


class Rule(NamedTuple):
    """What one tick does."""

    mark: str
    """Replaces the word in the cell read last; empty at the first tick, which has no such cell."""
    add: str
    """The word in the new cell."""
    sources: tuple[Source, ...]
    """The first that finds a cell decides."""
    choices: tuple[Choice, ...]


class Situation(NamedTuple):
    """When a rule applies: the signals, the word read last, the operation chosen last."""

    phase: Phase
    word: str
    op: int


START = Situation(Phase.SEARCH, "", NONE)
"""The first tick."""


@dataclass(frozen=True)
class Listing:
    """Rules in reading order. Listings are equal if their rules are, in whatever order."""

    task: str
    rules: dict[Situation, Rule]


def listing(program: Program) -> Listing:
    """A program with names for its words and every word apart; it runs exactly as the program does.

    Where one operation is chosen whatever is read, it stands without words.
    """
    exact = exact_listing(program)
    rules = {
        situation: rule if len(rule.choices) > 1 else rule._replace(choices=(Choice(rule.choices[0].op),))
        for situation, rule in exact.rules.items()
    }
    return Listing(program.task, rules)


def exact_listing(program: Program) -> Listing:
    """`listing`, but each operation has its words, and a run that reads any other word stops."""
    names = word_names(program)
    root = root_states(program)
    rules = {
        Situation(state.phase, names.get(state.word, ""), state.op): _rule(
            state, row, names, at_root=state in root
        )
        for state, row in program.rows.items()
    }
    return Listing(program.task, in_order(rules, list(names.values())))


def in_order(rules: Mapping[Situation, Rule], names: Sequence[str]) -> dict[Situation, Rule]:
    """Rules in reading order: by phase, operation, and the order of words in `names`.

    On the way back finished nodes come last: it leads from the goal through where it was found to them.
    """
    place = {name: number for number, name in enumerate(["", *names])}

    def key(s: Situation) -> tuple[int, int, bool, int]:
        return s.phase, s.op, s.op == NOP and s.word.startswith(Role.DONE.label), place[s.word]

    return {situation: rules[situation] for situation in sorted(rules, key=key)}


def root_states(program: Program) -> set[ControlState]:
    """States that a run of breadth-first search can be in while the cursor is on cell 0.

    These are the four of the root's expansion, with the goal met there or not.
    """
    word, found = program.first.fresh, set()
    for op in range(BRANCHING):
        found |= {ControlState(phase, word, op) for phase in Phase}
        row = program.rows.get(ControlState(Phase.SEARCH, word, op))
        if row is None:
            break
        word = row.constrained
    return found


def mechanisms_used(state: ControlState, row: Row, *, at_root: bool) -> tuple[int, ...]:
    """The mechanisms that can win, strongest first."""
    if state == FIRST_STATE:
        return (CONTENT,)
    strongest, *others = row.mechanisms
    if strongest not in NOT_AT_ROOT or not at_root:
        return (strongest,)
    return strongest, next(mechanism for mechanism in others if mechanism not in NOT_AT_ROOT)


def sought(state: ControlState, row: Row) -> tuple[int, ...]:
    """The words that a lookup by content may find, best first, down to one that is surely in memory."""
    if state == FIRST_STATE:
        return (row.fresh,)
    found: list[int] = []
    for word in row.preference:
        found.append(word)
        if word in (row.constrained, row.fresh) or set(row.ops) <= set(found):
            break
    return tuple(found)


def _rule(state: ControlState, row: Row, names: Mapping[int, str], *, at_root: bool) -> Rule:
    sources: list[Source] = []
    for mechanism in mechanisms_used(state, row, at_root=at_root):
        if mechanism == CONTENT:
            sources += [Source(CONTENT, (names[word],)) for word in sought(state, row)]
        else:
            sources.append(Source(mechanism))
    ops = sorted(set(row.ops.values()))
    choices = tuple(Choice(op, tuple(names[w] for w in row.ops if row.ops[w] == op)) for op in ops)
    mark = "" if state == FIRST_STATE else names[row.constrained]
    return Rule(mark, names[row.fresh], tuple(sources), choices)


def rule_json(rule: Rule) -> dict[str, object]:
    """A rule as plain JSON values."""
    return {
        "mark": rule.mark,
        "add": rule.add,
        "sources": [{"mechanism": one.mechanism, "words": list(one.words)} for one in rule.sources],
        "choices": [{"op": one.op, "words": list(one.words)} for one in rule.choices],
    }


def listing_json(rules: Listing) -> dict[str, object]:
    """A listing as plain JSON values."""
    return {
        "task": rules.task,
        "rules": [
            {
                "phase": situation.phase.name.lower(),
                "word": situation.word,
                "op": situation.op,
                **rule_json(rule),
            }
            for situation, rule in rules.rules.items()
        ],
    }
