"""A world of not too many states as a graph, from a table of its rules: a row is the number of a state."""

import numpy as np

from nhc.domains.local import FiniteWorld, LocalStateT
from nhc.domains.protocol import BRANCHING
from nhc.domains.space import Row, Rows, Space
from nhc.domains.states import joined, picked
from nhc.errors import InputError

MOST_STATES = 4_000_000
"""The table has four numbers a state."""


def table_space(world: FiniteWorld[LocalStateT], start: LocalStateT, goal: LocalStateT) -> Space:
    """From one state of the world's family to another; labels are the operations 0..3.

    States have the order of their keys. Raises InputError: `graph.large` for a family of over 4,000,000
    states, `graph.family` for a state that is not of the family, be it start, goal or what the rules make.
    """
    if world.family_size > MOST_STATES:
        message = (
            f"expected a world of at most {MOST_STATES:,} states, {world.name} has {world.family_size:,}"
        )
        raise InputError("graph.large", message)
    states = joined([*world.family_states()])
    keys = np.sort(world.key(states))
    states = picked(states, np.argsort(world.key(states)))

    def numbers(of: LocalStateT) -> Row:
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
    """Is the state the goal?"""
    return int(state[0] == facts[0])


def _batch(state: LocalStateT) -> LocalStateT:
    """A single state as a batch of one."""
    return type(state)(*(np.atleast_1d(np.asarray(field)) for field in state))
