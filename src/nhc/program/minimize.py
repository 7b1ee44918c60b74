"""The smallest program that does the same in the same way, and whether two programs are the same.

A program is a Mealy machine whose memory holds words. Two words are equivalent if they play the same role
(`nhc.program.names`) and in every situation lead to the same: the same mechanism wins, the same operation
is chosen, equivalent words are written, and lookups by content look for equivalent words. Words that
nothing reads (on the way back) are equivalent if their roles are. The coarsest such partition is unique;
it is found by refinement, as for finite automata (Moore 1956).

Why merging is sound. Words act on a run in three ways. The next rule depends on the word read: equivalent
words lead to equivalent rules. They are written: likewise. And lookups find them. The program must be that
of a proved machine, so it is known which cell a lookup finds: while a node is expanded the cursor's, the
only cell with an EXPANDING word; else the next node's, the first FRESH cell, since the free head writes
FRESH words only and every cell that is read is marked; at Plan's goal the new cell, the only one with a
GOAL word; a tick later the goal's parent, the only one with a FOUND-AT word. Any other lookup, at the end of
Search, keeps the words that it looks for apart from all others.
So the minimised program reads the same cells, by the same mechanisms, and chooses the same operations, at
every tick of every run.

The symbols that are merged stand for a word in a role. What a word means depends on who wrote it; where the
same bits serve in two roles, the program cannot confuse them, since a proved run knows which cell it reads.
The symbol of a cell is known when it is written, so the split program runs as the given one does.
"""

from collections.abc import Mapping
from itertools import groupby
from typing import NamedTuple, TypeVar

from nhc.algorithms.tree.algorithm import SEARCH, TREES
from nhc.domains.protocol import BRANCHING, NOP
from nhc.program.compiled import CONTENT
from nhc.program.interpreter import require_algorithm
from nhc.program.listing import (
    START,
    Choice,
    Listing,
    Rule,
    Situation,
    Source,
    exact_listing,
    in_order,
    mechanisms_used,
    root_states,
    sought,
)
from nhc.program.names import EXPANDING, Role, added_role, marked_role, variants
from nhc.program.table import FIRST_STATE, ControlState, Phase, Program, Row
from nhc.program.text import listing_text, rule_text, situation_text

CHECKED_GOALS = 160
"""Goals with which a program must do what its task asks before it is minimised."""

Colours = dict[str, int]
"""Symbol -> the number of its class."""

Shown = tuple[int, int, int, int, tuple[tuple[int, tuple[int, ...]], ...]]
"""A rule seen through colours: phase, operation, mark, add, sources."""
Signature = tuple[int, tuple[Shown, ...]]
KeyT = TypeVar("KeyT", Signature, tuple[int, bool])

IN_MANY_CELLS = (Role.FRESH, Role.DONE)
"""Roles that many cells can have at one time; every other is that of one cell, as long as it matters."""
READ_ON_THE_WAY_BACK = (Role.DONE, Role.GOAL, Role.FOUND_AT)

Codes = Mapping[Role, set[int]]


def minimized(program: Program) -> Listing:
    """The minimal listing of a proved machine's program; its words are named by role.

    Raises InputError (`program.run`) for a program that does not do its task on one of the goals 1..160:
    it is no proved machine's.
    """
    require_algorithm(exact_listing(program), CHECKED_GOALS)
    return _merged(by_role(program))


def minimized_search(program: Program) -> Listing:
    """The minimal listing of what the program does until the goal is met, whatever its task.

    What Search reads at its last tick has no effect, and so differs from machine to machine. Raises
    InputError (`program.run`).
    """
    require_algorithm(exact_listing(program), CHECKED_GOALS)
    searching = {s: rule for s, rule in by_role(program).rules.items() if s.phase is Phase.SEARCH}
    return _merged(Listing(SEARCH.name, searching))


def canonical(program: Program) -> str:
    """The minimal listing as text without notes: equal for programs that are the same, else different.

    Raises InputError (`program.run`).
    """
    lines = [line.partition("#")[0].rstrip() for line in listing_text(minimized(program)).splitlines()]
    return "\n".join(line for line in lines if line) + "\n"


def _partition(rules: Listing) -> Colours:
    symbols = {word for rule in rules.rules.values() for word in (rule.mark, rule.add)} - {""}
    colours = {symbol: int(role_of(symbol)) for symbol in symbols} | {"": -1}
    while True:
        refined = _refined(rules, colours)
        if len(set(refined.values())) > len(set(colours.values())):
            colours = refined
            continue
        apart = _apart(rules, colours)
        if apart is None:
            return colours
        colours = _ranked({symbol: (colour, symbol in apart) for symbol, colour in colours.items()})


def _refined(rules: Listing, colours: Colours) -> Colours:
    """Symbols stay together if their rules, seen through the colours, are equal."""
    shown: dict[str, set[Shown]] = {symbol: set() for symbol in colours}
    for situation, rule in rules.rules.items():
        shown[situation.word].add(_shown(situation, rule, colours))
    return _ranked({symbol: (colour, tuple(sorted(shown[symbol]))) for symbol, colour in colours.items()})


def _shown(situation: Situation, rule: Rule, colours: Colours) -> Shown:
    sources = tuple((s.mechanism, tuple(sorted({colours[w] for w in s.words}))) for s in rule.sources)
    return situation.phase, situation.op, colours[rule.mark], colours[rule.add], sources


def _apart(rules: Listing, colours: Colours) -> set[str] | None:
    """The words that some lookup looks for, if it would find others of their classes too.

    Only words that several cells may hold count, and not those of the search, of which the proof says which
    cell is found.
    """
    for situation, rule in rules.rules.items():
        for source in rule.sources if situation.phase is Phase.BACK else ():
            exact = {symbol for symbol in source.words if role_of(symbol) in IN_MANY_CELLS}
            found = {colours[symbol] for symbol in exact}
            if {symbol for symbol, colour in colours.items() if colour in found} != exact:
                return exact
    return None


def _ranked(keys: Mapping[str, KeyT]) -> Colours:
    """Numbers for symbols: equal keys have equal numbers, smaller keys smaller ones."""
    ranks = {key: rank for rank, key in enumerate(sorted(set(keys.values())))}
    return {symbol: ranks[key] for symbol, key in keys.items()}


def _merged(rules: Listing) -> Listing:
    """One word a class, numbered in the order in which a walk from the start meets them.

    So the result does not depend on the codes of words, nor on the numbers of classes.
    """
    colours = _partition(rules)
    roles = {colour: role_of(symbol) for symbol, colour in colours.items() if symbol}
    met = _met(rules, colours)
    ordered = sorted(roles, key=lambda colour: (roles[colour], met.index(colour)))
    names = {colours[""]: ""}
    for role, members in groupby(ordered, key=roles.__getitem__):
        classes = list(members)
        names |= dict(zip(classes, variants(role, len(classes)), strict=True))
    name = {symbol: names[colour] for symbol, colour in colours.items()}
    merged = {
        Situation(s.phase, name[s.word], s.op): Rule(
            name[rule.mark],
            name[rule.add],
            tuple(Source(x.mechanism, tuple(sorted({name[word] for word in x.words}))) for x in rule.sources),
            rule.choices,
        )
        for s, rule in rules.rules.items()
    }
    return Listing(rules.task, in_order(merged, [names[colour] for colour in ordered]))


def _met(rules: Listing, colours: Colours) -> list[int]:
    """The classes in the order in which a walk through the rules meets them; at its end those it misses."""
    shown = {(colours[s.word], _shown(s, rule, colours)) for s, rule in rules.rules.items()}
    met = [colours[""]]
    for colour in met:
        for _, (_, _, mark, add, _) in sorted(pair for pair in shown if pair[0] == colour):
            met += [word for word in dict.fromkeys((mark, add)) if word not in met]
    return met + sorted(set(colours.values()) - set(met))


class Difference(NamedTuple):
    """Where two listings part, and what each says there."""

    where: str
    first: str
    second: str


def first_difference(a: Listing, b: Listing) -> Difference | None:
    """The first situation, in reading order, in which two listings do not say the same, if there is one."""
    if a.task != b.task:
        return Difference("task", a.task, b.task)
    for situation in dict.fromkeys((*a.rules, *b.rules)):
        found = [said(listed.rules.get(situation)) for listed in (a, b)]
        if found[0] != found[1]:
            return Difference(f"{situation.phase.name.lower()}, {situation_text(situation)}", *found)
    return None


def said(rule: Rule | None) -> str:
    """A rule in one line, or that there is none."""
    return "no such situation" if rule is None else rule_text(rule)


def symbol(role: Role, code: int) -> str:
    """The symbol of a word in a role."""
    return f"{role.label}/{code}"


def role_of(name: str) -> Role:
    """The role of a symbol."""
    return Role[name.partition("/")[0].replace("-", "_")]


def by_role(program: Program) -> Listing:
    """The listing of a proved program over symbols. Operations are those of the proof."""
    rules: dict[Situation, Rule] = {}
    root, codes = root_states(program), codes_by_role(program)
    for state, row in program.rows.items():
        sources = tuple(_sources(program, state, row, codes, at_root=state in root))
        add = symbol(added_role(state.phase, state.op), row.fresh)
        if state == FIRST_STATE:
            rules[START] = Rule("", add, sources, (Choice(0),))
            continue
        op = (state.op + 1) % BRANCHING if state.phase is Phase.SEARCH else NOP
        mark = symbol(marked_role(state.phase, state.op), row.constrained)
        for role in READ_ON_THE_WAY_BACK if state.op == NOP else (EXPANDING[state.op],):
            if state.word in codes[role]:
                situation = Situation(state.phase, symbol(role, state.word), state.op)
                rules[situation] = Rule(mark, add, sources, (Choice(op),))
    return Listing(program.task, rules)


def codes_by_role(program: Program) -> Codes:
    """The words that are written in each role."""
    codes: dict[Role, set[int]] = {role: set() for role in Role}
    for state, row in program.rows.items():
        codes[added_role(state.phase, state.op)].add(row.fresh)
        if state != FIRST_STATE:
            codes[marked_role(state.phase, state.op)].add(row.constrained)
    return codes


def _sources(program: Program, state: ControlState, row: Row, codes: Codes, *, at_root: bool) -> list[Source]:
    sources: list[Source] = []
    for mechanism in mechanisms_used(state, row, at_root=at_root):
        if mechanism != CONTENT:
            sources.append(Source(mechanism))
        elif state.phase is Phase.BACK and not TREES[program.task].backtracks:
            sources += _alternatives(state, row, codes)
        else:
            sources.append(Source(CONTENT, _proved_target(state, row, codes)))
    return sources


def _proved_target(state: ControlState, row: Row, codes: Codes) -> tuple[str, ...]:
    """What a lookup finds by the proof: the first fresh cell, the cursor's, the goal's, or its parent's."""
    if state == FIRST_STATE:
        return (symbol(Role.FRESH, row.fresh),)
    if state.phase is Phase.BACK and state.op == NOP:
        return tuple(symbol(Role.FOUND_AT, code) for code in sorted(codes[Role.FOUND_AT] & set(row.ops)))
    if state.phase is Phase.BACK:
        return (symbol(Role.GOAL, row.fresh),)
    if state.op == BRANCHING - 1:
        return tuple(symbol(Role.FRESH, code) for code in sorted(codes[Role.FRESH]))
    return (symbol(EXPANDING[state.op + 1], row.constrained),)


def _alternatives(state: ControlState, row: Row, codes: Codes) -> list[Source]:
    """What a lookup at the end of Search may find: for each word, the symbols that it can stand for."""
    sources = []
    for code in sought(state, row):
        roles = [role for role in IN_MANY_CELLS if code in codes[role]]
        roles += [Role.FOUND_AT] * (code == row.constrained) + [Role.GOAL] * (code == row.fresh)
        if roles:
            sources.append(Source(CONTENT, tuple(symbol(role, code) for role in roles)))
    return sources
