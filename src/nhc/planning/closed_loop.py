"""The compiled loops of breadth-first search with a closed list; `nhc.planning.closed` drives them.

The closed list is a hash table of state numbers with open addressing. States are compared whole: equal hashes
alone never make states equal. Memory is what search waits for, so states are expanded in blocks, and what the
membership tests of a block will read is read once before, where one read need not wait for another.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nhc.domains.space import Row, Rows
from nhc.jit import part

Ids: TypeAlias = NDArray[np.int32]

FREE = -1
"""An entry of the table without a state."""
NOWHERE = -1
"""Stands for the slot of a successor that equals the state it was made of: it need not be looked up."""
FIRST_MIX, SECOND_MIX = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
"""Odd: multiplication by them loses nothing."""


class Rules(NamedTuple):
    """A space without its start; the functions are compiled, see `nhc.jit.pointer`."""

    expand: Callable[..., int]
    at_goal: Callable[..., int]
    facts: Row
    scratch: Row
    most_actions: int


class Held(NamedTuple):
    """The arrays of a search; the loop fills them in place and never past their ends."""

    states: Rows
    offsets: Row
    """The successors of state s are those from offsets[s] to offsets[s + 1]; one entry more than states."""
    successors: Ids
    table: Ids
    """Its length is a power of two, and at most half of it is used."""


class Block(NamedTuple):
    """Room for the successors of some states."""

    made: Rows
    labels: Row
    ends: Row
    """Where the successors of each of the states end."""
    slots: Row
    guesses: Ids
    """What the table has in the first slot of each successor."""
    looked_at: Row
    """A word of each guessed state, so that it is read."""


class Progress(NamedTuple):
    """A search between two calls."""

    states: int
    expanded: int
    generated: int
    """Successors made."""
    goal: int
    """Its number, -1 while none is found."""


def search_loop(rules: Rules, held: Held, block: Block, now: Progress, limit: int) -> Progress:
    """Expands states until one makes a goal, none is left, `limit` successors are made or room is short."""
    states, offsets, successors, table = held
    count, expanded, generated, goal = now
    mask = len(table) - 1
    while goal < 0 and expanded < count and generated < limit:
        room = min(len(block.made), len(states) - count, len(table) // 2 - count, len(successors) - generated)
        parents = expand_block(rules, states, block, expanded, count, min(room, limit - generated), room)
        if parents == 0:
            break
        look_ahead(states, table, block, expanded, parents)
        row = 0
        for parent in range(parents):
            while row < block.ends[parent] and goal < 0:
                found, slot = expanded, block.slots[row]
                if slot != NOWHERE:
                    slot = slot_of(states, table, block.made, row, slot, mask)
                    found = table[slot]
                if found == FREE:
                    found = count
                    table[slot] = found
                    for word in range(states.shape[1]):
                        states[count, word] = block.made[row, word]
                    count += 1
                    if meets(rules, states[found]) != 0:
                        goal = found
                successors[generated] = found
                generated += 1
                row += 1
            expanded += 1
            offsets[expanded] = generated
            if goal >= 0:
                break
    return Progress(count, expanded, generated, goal)


def fill_table(states: Rows, count: int, table: Ids) -> None:
    """Enters the first states into an empty table; they all differ."""
    mask = len(table) - 1
    for state in range(count):
        slot = first_slot(states, state, mask)
        while table[slot] != FREE:
            slot = (slot + 1) & mask
        table[slot] = state


def expand_once(rules: Rules, state: Row, made: Rows, labels: Row) -> int:
    """The number of successors of one state, which are put into `made` and `labels`."""
    return expand(rules, state, made, labels)


@part
def expand(rules: Rules, state: Row, made: Rows, labels: Row) -> int:
    """Calls the space's `expand`."""
    facts, scratch = rules.facts, rules.scratch
    return rules.expand(
        *(facts.ctypes, len(facts), scratch.ctypes, len(scratch)),
        *(state.ctypes, len(state), made.ctypes, len(made), labels.ctypes),
    )


@part
def meets(rules: Rules, state: Row) -> int:
    """Calls the space's `at_goal`."""
    return rules.at_goal(rules.facts.ctypes, len(rules.facts), state.ctypes, len(state))


@part
def expand_block(
    rules: Rules, states: Rows, block: Block, first: int, count: int, enough: int, room: int
) -> int:
    """Expands states from `first` on until there are `enough` rows, or no room for those of a further one.

    The number of states that were expanded.
    """
    parents, rows, most = 0, 0, rules.most_actions
    while first + parents < count and rows < enough and rows + most <= room and parents < len(block.ends):
        state, made = states[first + parents], block.made[rows : rows + most]
        rows += expand(rules, state, made, block.labels)
        block.ends[parents] = rows
        parents += 1
    return parents


@part
def look_ahead(states: Rows, table: Ids, block: Block, first: int, parents: int) -> None:
    """Reads what the membership tests of a block read first: slots, then the states that they name."""
    mask, begin = len(table) - 1, 0
    for parent in range(parents):
        for row in range(begin, block.ends[parent]):
            slot, guess = NOWHERE, 0
            if not same(states, first + parent, block.made, row):
                slot = first_slot(block.made, row, mask)
                guess = max(table[slot], 0)
            block.slots[row], block.guesses[row] = slot, guess
        begin = block.ends[parent]
    for row in range(begin):
        block.looked_at[row] = states[block.guesses[row], 0]


@part
def same(states: Rows, state: int, made: Rows, row: int) -> bool:
    """Is the state equal to the row?"""
    word = 0
    while word < made.shape[1] and states[state, word] == made[row, word]:
        word += 1
    return bool(word == made.shape[1])


@part
def slot_of(states: Rows, table: Ids, made: Rows, row: int, slot: int, mask: int) -> int:
    """The slot that names the state that equals this row, or the free one where it belongs."""
    while table[slot] != FREE and not same(states, table[slot], made, row):
        slot = (slot + 1) & mask
    return slot


@part
def first_slot(rows: Rows, row: int, mask: int) -> int:
    """Where to look first for a row in a table of `mask` + 1 slots."""
    mixed = np.uint64(0)
    for word in range(rows.shape[1]):
        mixed = (mixed ^ np.uint64(rows[row, word])) * np.uint64(FIRST_MIX)
        mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(SECOND_MIX)
    return int(mixed >> np.uint64(32) ^ mixed) & mask
