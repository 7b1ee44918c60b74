"""A program with a symbol for every role of every word: what minimisation merges.

What a word means depends on who wrote it. Most words have one role (`nhc.program.names`); where the same
bits serve in two, the program cannot confuse them, since a proved run knows which cell it reads. The symbol
of a cell is known when it is written, so the split program runs as the given one does.
"""

from collections.abc import Mapping

from nhc.algorithms.registry import ALGORITHMS
from nhc.domains.protocol import BRANCHING, NOP
from nhc.program.control import FIRST_STATE, ControlState, Phase
from nhc.program.listing import (
    CONTENT,
    START,
    Choice,
    Listing,
    Rule,
    Situation,
    Source,
    mechanisms_used,
    root_states,
    sought,
)
from nhc.program.names import EXPANDING, Role, added_role, marked_role
from nhc.program.table import Program, Row

IN_MANY_CELLS = (Role.FRESH, Role.DONE)
"""Roles that many cells can have at one time; every other is that of one cell, as long as it matters."""
READ_ON_THE_WAY_BACK = (Role.DONE, Role.GOAL, Role.FOUND_AT)

Codes = Mapping[Role, set[int]]


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
        elif state.phase is Phase.BACK and not ALGORITHMS[program.task].backtracks:
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
