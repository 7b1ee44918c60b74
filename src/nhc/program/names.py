"""Names for control words, by the part they play: whoever reads a program should see an algorithm.

A word's role follows from the program alone: which head writes it, before or after the goal was met, and
after which operation. A cell is written FRESH, becomes EXPANDING-1, -2, -3 while its node has that many
children, and stays DONE after the fourth.
"""

from enum import IntEnum

from nhc.domains.protocol import BRANCHING
from nhc.program.table import FIRST_STATE, NO_WORD, ControlState, Phase, Program, Row


class Role(IntEnum):
    """What a word says about the cell that holds it; also the order in which roles claim a word."""

    FRESH = 0
    """A node that was not read yet."""
    EXPANDING_1 = 1
    """The node under the cursor, one child made."""
    EXPANDING_2 = 2
    EXPANDING_3 = 3
    DONE = 4
    """All four children made."""
    GOAL = 5
    """The new cell at the tick that met the goal."""
    FOUND_AT = 6
    """The node that was expanded when the goal was met."""
    PATH = 7
    """A node that was read on the way back."""
    SPARE = 8
    """A new cell of the way back, which nothing reads."""
    WORD = 9
    """No part that we know."""

    @property
    def label(self) -> str:
        """The name without a number."""
        return self.name.replace("_", "-")


EXPANDING = (Role.FRESH, Role.EXPANDING_1, Role.EXPANDING_2, Role.EXPANDING_3, Role.DONE)
"""The role of a node's cell by the number of its children."""


def marked_role(phase: Phase, op: int) -> Role:
    """The role of the word that replaces the one in the cell read last, after `op` was applied to it."""
    if phase is Phase.SEARCH:
        return EXPANDING[op + 1] if 0 <= op < BRANCHING else Role.WORD
    return Role.FOUND_AT if op < BRANCHING else Role.PATH


def added_role(phase: Phase, op: int) -> Role:
    """The role of the word in the new cell, after `op` was applied to the cell read last."""
    if phase is Phase.SEARCH:
        return Role.FRESH if op < BRANCHING else Role.WORD
    return Role.GOAL if op < BRANCHING else Role.SPARE


def word_names(program: Program) -> dict[int, str]:
    """A name of its own for every word that the program mentions, in the order of roles.

    One word of a role has the role's name, several are numbered (`FRESH-1`; `EXPANDING-1a` where the role
    itself ends in a number) in the order in which a walk through the program meets them. A word with
    several roles has the name of the first; one without is a `WORD-k`. Equal programs get equal names.
    """
    roles: dict[int, Role] = {}
    states = walk(program)
    for state in states:
        for code, role in written_roles(state, program.rows[state]):
            roles[code] = min(role, roles.get(code, role))
    for state in states:
        row = program.rows[state]
        for code in sorted({state.word, *row.preference, *row.ops} - {NO_WORD}):
            roles.setdefault(code, Role.WORD)
    names: dict[int, str] = {}
    for role in Role:
        codes = [code for code in roles if roles[code] is role]
        names |= dict(zip(codes, variants(role, len(codes)), strict=True))
    return names


def written_roles(state: ControlState, row: Row) -> list[tuple[int, Role]]:
    """The words that a state writes, with their roles; before the first tick there is no cell to mark."""
    added = (row.fresh, added_role(state.phase, state.op))
    if state == FIRST_STATE:
        return [added, (row.constrained, Role.WORD)]
    return [(row.constrained, marked_role(state.phase, state.op)), added]


def variants(role: Role, count: int) -> list[str]:
    """`count` different names for words of one role."""
    if count == 1 and role is not Role.WORD:
        return [role.label]
    if role.label[-1].isdigit():
        return [role.label + letters(number) for number in range(count)]
    return [f"{role.label}-{number}" for number in range(1, count + 1)]


def letters(number: int) -> str:
    """0, 1, ... as a, b, ..., z, ba, bb, ...: digits of base 26."""
    digits = chr(ord("a") + number % 26)
    return digits if number < 26 else letters(number // 26) + digits


def walk(program: Program) -> list[ControlState]:
    """Every state of the program in the order in which a walk meets them, first without, then with the goal.

    The order depends on the codes of words only where several new words can be read in one state.
    """
    order: dict[ControlState, None] = {}
    met: dict[int, None] = {}
    for phase in Phase:
        waiting = [FIRST_STATE, *(state._replace(phase=phase) for state in order)]
        while waiting:
            state = waiting.pop(0)
            if state in order or state not in program.rows:
                continue
            order[state] = None
            row = program.rows[state]
            met |= dict.fromkeys((row.constrained, row.fresh))
            known = list(met)
            reads = sorted(row.ops, key=lambda code: known.index(code) if code in met else len(known) + code)
            waiting += [ControlState(phase, code, row.ops[code]) for code in reads]
    return [*order, *sorted(program.rows.keys() - order.keys())]
