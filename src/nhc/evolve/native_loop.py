"""The compiled loop of `nhc.evolve.native`: members, tasks, and ticks of the stages of `nhc.machine.tick`."""

import math
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nhc.algorithms.traces import ANY
from nhc.jit import part
from nhc.machine.layout import MECHANISMS
from nhc.shapes import NONE

FORMAT = 1
"""Raised when `nhc.jit` or an imported constant changes: kept loops are known by the text of this file."""
CONTENT, FORWARD, BACKWARD, USAGE_FORWARD, USAGE_BACKWARD = range(len(MECHANISMS))

Shape: TypeAlias = tuple[int, int, int, bool]
"""Signals, bits of a word, operations, and is the write gate learned?"""
Reals: TypeAlias = NDArray[np.float32]
Ints: TypeAlias = NDArray[np.int32]


class Weights(NamedTuple):
    """Linear maps of all members, input by input; the bias comes after the last one."""

    controller: Reals
    """members x inputs + 1 x hidden."""
    interface: Reals
    """members x inputs + 1 x rows of `STEERING`."""
    transform_c: Reals
    """members x inputs + 1 x ops."""


class Sorted(NamedTuple):
    """Traces in an order in which neighbours begin alike."""

    rows: Ints
    """tasks x ticks x (signals as bits, stored, op, word)."""
    length: Ints
    main: Ints
    alike: Ints
    """Ticks that a task shares with the one before it."""


class Known(NamedTuple):
    """What was worked out of a member's control. Entries are numbered as they are met."""

    entry: Ints
    """By control state, as `state_of` numbers it: number of the entry, if `owner` is the member."""
    owner: Ints
    sums: Reals
    """By entry: Transform_C's sums over the controller units, and the lookup's key."""
    decided: Ints
    """By entry: word to rewrite with, word to store or `NONE`, and the mechanisms, strongest first."""
    ops: Ints
    """By entry and word read: the operation, `NONE` if that was not asked for yet."""
    hidden: Reals
    """Of the entry that is being worked out: the controller units, c_c."""
    steered: Reals
    """And the rows of `STEERING`, ξ."""


class Memory(NamedTuple):
    """The cells of a run, and its ticks, with what is needed to take them back. Entry 0 is the start."""

    words: Ints
    data: Ints
    parent: Ints
    child: Ints
    ticks: Ints
    """By tick: address, word and operation, cells, points so far, and the word and the child of before."""


ADDRESS, WORD, OP, CELLS, POINTS, OLD_WORD, OLD_CHILD = range(7)
REWRITE, STORE, RANKED = 0, 1, 2


def run_members(
    weights: Weights,
    tasks: Sorted,
    known: Known,
    memory: Memory,
    scores: Ints,
    shape: Shape,
) -> None:
    """Fill `scores`, which are main points, bonus and ticks x members x tasks."""
    _, word_size, ops, _ = shape
    none = 1 << word_size
    for member in range(len(weights.controller)):
        if not finite(weights, member):
            continue
        entries, done, alive = 0, 0, True
        memory.ticks[0] = NONE
        memory.ticks[0, WORD], memory.ticks[0, OP] = none, ops
        memory.ticks[0, CELLS] = memory.ticks[0, POINTS] = 0
        for task in range(len(tasks.length)):
            alike, ran = tasks.alike[task], 0
            if done > alike:
                alive = True
            while done > alike:
                take_back(memory, done)
                done -= 1
            while alive and done < tasks.length[task]:
                row = tasks.rows[task, done]
                state = state_of(row[0], memory.ticks[done, WORD], memory.ticks[done, OP], none, ops)
                if known.owner[state] != member + 1:
                    known.owner[state], known.entry[state] = member + 1, entries
                    before = memory.ticks[done]
                    steer(weights, member, (row[0], before[WORD], before[OP]), shape, known)
                    decide(known, entries, weights.transform_c[member], shape)
                    entries += 1
                transform = weights.transform_c[member]
                alive = tick(known, known.entry[state], transform, memory, done, row, shape)
                done, ran = done + 1, ran + 1
            main = memory.ticks[min(done, tasks.main[task]), POINTS]
            scores[0, member, task] = main
            scores[1, member, task] = memory.ticks[done, POINTS] - main
            scores[2, member, task] = ran


@part
def state_of(signals: int, word: int, op: int, none: int, ops: int) -> int:
    """The number of a control state; `none` is the word before the first tick, `ops` the operation."""
    return (signals * (none + 1) + word) * (ops + 1) + op


@part
def finite(weights: Weights, member: int) -> bool:
    """Are all weights of a member finite?"""
    total = np.float32(0)
    for linear in weights:
        for row in range(linear.shape[1]):
            for column in range(linear.shape[2]):
                total += linear[member, row, column] * np.float32(0)
    return bool(total == 0)


@part
def steer(weights: Weights, member: int, shown: tuple[int, int, int], shape: Shape, known: Known) -> None:
    """Controller and memory interface: c_c = tanh(W [c_i, c_m', c_f'] + b), ξ = W [c_i, c_c] + b."""
    signals, word_size, ops, _ = shape
    (code, word, op), hidden, steered = shown, known.hidden, known.steered
    linear = weights.controller[member]
    hidden[:] = 0
    for bit in range(signals):
        if code >> bit & 1:
            add(hidden, linear[bit], np.float32(1))
    if word < 1 << word_size:
        for bit in range(word_size):
            add(hidden, linear[signals + bit], sign(word, bit))
    if op < ops:
        add(hidden, linear[signals + word_size + op], np.float32(1))
    add(hidden, linear[len(linear) - 1], np.float32(1))
    for unit in range(len(hidden)):
        hidden[unit] = np.float32(math.tanh(np.float64(hidden[unit])))
    linear = weights.interface[member]
    steered[:] = 0
    for bit in range(signals):
        if code >> bit & 1:
            add(steered, linear[bit], np.float32(1))
    for unit in range(len(hidden)):
        add(steered, linear[signals + unit], hidden[unit])
    add(steered, linear[len(linear) - 1], np.float32(1))


@part
def decide(known: Known, entry: int, transform: Reals, shape: Shape) -> None:
    """Fill an entry: what is written, the order of the mechanisms, the key, sums for the operations."""
    _, word_size, ops, gated = shape
    sums, decided, hidden, steered = known.sums[entry], known.decided[entry], known.hidden, known.steered
    sums[:ops] = 0
    for unit in range(len(hidden)):
        add(sums[:ops], transform[unit], hidden[unit])
    for bit in range(word_size):
        sums[ops + bit] = steered[bit]
    known.ops[entry] = NONE
    first = word_size + len(MECHANISMS)
    decided[REWRITE], decided[STORE] = 0, 0
    for bit in range(word_size):
        decided[STORE] |= (steered[first + bit] > 0) << bit
        decided[REWRITE] |= (steered[first + word_size + bit] > 0) << bit
    if gated and not steered[first + 2 * word_size] > 0:
        decided[STORE] = NONE
    for mechanism in range(len(MECHANISMS)):
        strength, rank = steered[word_size + mechanism], 0
        for other in range(len(MECHANISMS)):
            than = steered[word_size + other]
            rank += than > strength or (than == strength and other < mechanism)
        decided[RANKED + rank] = mechanism


@part
def tick(
    known: Known,
    entry: int,
    transform: Reals,
    memory: Memory,
    done: int,
    row: Ints,
    shape: Shape,
) -> bool:
    """One tick after those that are done, and what it earns. Is it right?"""
    words, data, parent, child, ticks = memory
    before, after, decided = ticks[done], ticks[done + 1], known.decided[entry]
    last, cell = before[ADDRESS], before[CELLS]
    after[OLD_WORD] = after[OLD_CHILD] = NONE
    if last >= 0:
        after[OLD_WORD], words[last] = words[last], decided[REWRITE]
        after[OLD_CHILD] = child[last]
    if decided[STORE] >= 0:
        words[cell], data[cell], parent[cell], child[cell] = decided[STORE], row[1], last, NONE
        if last >= 0:
            child[last] = cell
        cell += 1
    address = named(decided, memory, last, cell, known.sums[entry, shape[2] :])
    after[ADDRESS], after[CELLS], after[POINTS] = address, cell, before[POINTS]
    if address < 0:
        return False
    word = words[address]
    if known.ops[entry, word] < 0:
        known.ops[entry, word] = operation(known.sums[entry], transform, row[0], word, shape)
    after[WORD], after[OP] = word, known.ops[entry, word]
    op_right, word_right = after[OP] == row[2], data[address] == row[3]
    after[POINTS] += op_right + 2 * word_right
    return bool(op_right and (word_right or row[3] == ANY))


@part
def named(decided: Ints, memory: Memory, last: int, cells: int, key: Reals) -> int:
    """The address that the strongest mechanism with one names, `NONE` if none has."""
    for rank in range(RANKED, len(decided)):
        mechanism, address = decided[rank], NONE
        if mechanism == CONTENT:
            address = lookup(memory.words, cells, key)
        elif last >= 0 and mechanism == FORWARD:
            address = last + 1 if last + 1 < cells else NONE
        elif last >= 0 and mechanism == BACKWARD:
            address = last - 1  # Before the first cell this is `NONE`.
        elif last >= 0 and mechanism == USAGE_FORWARD:
            address = memory.child[last]
        elif last >= 0 and mechanism == USAGE_BACKWARD:
            address = memory.parent[last]
        if address >= 0:
            return address
    return NONE


@part
def take_back(memory: Memory, tick: int) -> None:
    """Leave the memory as it was before a tick, which is the last one."""
    last, after = memory.ticks[tick - 1, ADDRESS], memory.ticks[tick]
    if last >= 0:
        memory.words[last], memory.child[last] = after[OLD_WORD], after[OLD_CHILD]


@part
def lookup(words: Ints, cells: int, key: Reals) -> int:
    """The lowest of the cells whose words are most similar to the key."""
    best, most = NONE, np.float32(-np.inf)
    for cell in range(cells):
        total = key[0] * sign(words[cell], 0)
        for bit in range(1, len(key)):
            total += key[bit] * sign(words[cell], bit)
        if total > most:
            best, most = cell, total
    return best


@part
def operation(sums: Reals, transform: Reals, signals: int, word: int, shape: Shape) -> int:
    """c_f = argmax(W [c_c, c_m, c_i] + b), the lowest operation on ties."""
    count, word_size, ops, _ = shape
    units = len(transform) - 1 - word_size - count
    best, most = 0, np.float32(-np.inf)
    for op in range(ops):
        total = sums[op]
        for bit in range(word_size):
            total += transform[units + bit, op] * sign(word, bit)
        for bit in range(count):
            total += transform[units + word_size + bit, op] * np.float32(signals >> bit & 1)
        total += transform[len(transform) - 1, op]
        if total > most:
            best, most = op, total
    return best


@part
def sign(word: int, bit: int) -> np.float32:
    """A bit of a word: 1 or -1."""
    return np.float32(1) if word >> bit & 1 else np.float32(-1)


@part
def add(sums: Reals, weights: Reals, factor: np.float32) -> None:
    """Add the products of one input."""
    for row in range(len(sums)):
        sums[row] += weights[row] * factor
