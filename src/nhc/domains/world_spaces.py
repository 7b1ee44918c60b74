"""Worlds as graphs; labels are the operations 0..3, and one without effect makes an equal state.

States of the sliding puzzle and of stacking are one packed code, which is the row. Worlds of not too many
states have a table of their rules: a row is the number of a state.
"""

import numpy as np

from nhc.domains.local import FiniteWorld
from nhc.domains.protocol import BRANCHING, StateT
from nhc.domains.sliding import LOWEST as TILE_BITS
from nhc.domains.sliding import OFFSETS, SOURCES, Tiles
from nhc.domains.space import Row, Rows, Space
from nhc.domains.stacking import GRIPPER, HEIGHT, LOWEST, Stacks
from nhc.domains.states import CODE_BITS, CODE_MASK, joined, picked
from nhc.errors import InputError

FORMAT = 1
"""Raised when an imported constant changes: kept rules are known by the text of this file."""
SOURCES_FROM, THERE_FROM, BACK_FROM = 1, 5, 9
"""Facts are the goal's code; in the sliding puzzle then, one an operation each, the lowest bits of the cells
that a tile can come from, and how far the hole is shifted there and the tile back."""
MOST_STATES = 4_000_000
"""The table has four numbers a state."""


def sliding_space(start: Tiles, goal: Tiles) -> Space:
    """The 3x3 sliding puzzle from one single board to another."""
    there = [CODE_BITS * max(offset, 0) for offset in OFFSETS]
    back = [CODE_BITS * max(-offset, 0) for offset in OFFSETS]
    facts = np.array([int(goal.code), *SOURCES, *there, *back], np.int64)
    return Space(np.array([int(start.code)]), facts, np.zeros(0, np.int64), 4, expand_sliding, at_number)


def stacking_space(start: Stacks, goal: Stacks) -> Space:
    """Stacking from one single arrangement to another."""
    facts = np.array([int(goal.code)], np.int64)
    return Space(np.array([int(start.code)]), facts, np.zeros(0, np.int64), 4, expand_stacking, at_number)


def expand_sliding(facts: Row, scratch: Row, state: Row, made: Rows, labels: Row) -> int:
    """The rule of `nhc.domains.sliding.Sliding.step`."""
    code = state[0]
    hole = ~(code | code >> 1 | code >> 2 | code >> 3) & TILE_BITS
    for op in range(4):
        there, back = facts[THERE_FROM + op], facts[BACK_FROM + op]
        tile = code & (hole << there >> back & facts[SOURCES_FROM + op]) * CODE_MASK
        made[op, 0] = code ^ tile ^ tile << back >> there
        labels[op] = op
    return 4


def expand_stacking(facts: Row, scratch: Row, state: Row, made: Rows, labels: Row) -> int:
    """The rule of `nhc.domains.stacking.Stacking.step`, with the box found by its height."""
    code = state[0]
    held = code >> CODE_BITS * GRIPPER
    for op in range(4):
        labels[op] = op
        made[op, 0] = code
        place = CODE_BITS * HEIGHT * op
        column = code >> place & LOWEST * CODE_MASK
        height = 0
        while column >> CODE_BITS * height != 0:
            height += 1
        if held != 0 and height < HEIGHT:
            made[op, 0] += (held << place + CODE_BITS * height) - (held << CODE_BITS * GRIPPER)
        elif held == 0 and height > 0:
            box = column >> CODE_BITS * (height - 1)
            made[op, 0] += (box << CODE_BITS * GRIPPER) - (box << place + CODE_BITS * (height - 1))
    return 4


def table_space(world: FiniteWorld[StateT], start: StateT, goal: StateT) -> Space:
    """From one state of the world's family to another, by a table of its rules.

    States have the order of their keys. Raises InputError: `graph.large` for a family of over 4,000,000
    states, `graph.family` for a state that is not of the family, be it start, goal or what the rules make.
    """
    if world.family_size > MOST_STATES:
        message = (
            f"expected a world of at most {MOST_STATES:,} states, {world.name} has {world.family_size:,}"
        )
        raise InputError("graph.large", message)
    states = joined([*world.family_states()])
    keys = world.key(states)
    order = np.argsort(keys)
    keys, states = keys[order], picked(states, order)

    def numbers(of: StateT) -> Row:
        wanted = np.atleast_1d(world.key(of))
        found = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        if not np.array_equal(keys[found], wanted):
            raise InputError("graph.family", f"expected states of {world.name}'s family: {world.family}")
        return found.astype(np.int64)

    after = np.stack([numbers(world.step(states, op)) for op in range(BRANCHING)], axis=1)
    facts = np.concatenate([numbers(_batch(goal)), after.reshape(-1)])
    return Space(numbers(_batch(start)), facts, np.zeros(0, np.int64), BRANCHING, expand_table, at_number)


def expand_table(facts: Row, scratch: Row, state: Row, made: Rows, labels: Row) -> int:
    """What the table says; facts are the goal's number, then four numbers a state."""
    for op in range(4):
        made[op, 0] = facts[1 + 4 * state[0] + op]
        labels[op] = op
    return 4


def at_number(facts: Row, state: Row) -> int:
    """Is the state the goal, which is the first of the facts?"""
    return int(state[0] == facts[0])


def _batch(state: StateT) -> StateT:
    """A single state as a batch of one."""
    return type(state)(*(np.atleast_1d(np.asarray(field)) for field in state))
