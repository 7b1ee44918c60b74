"""The paper's fitness of many members on listed tasks, compiled: what `evaluate` says, much sooner.

Control sees signals, the word read last and the operation chosen last. That is a finite table, of which a
member meets a few dozen entries: each is worked out once, and a tick looks up what it says. Tasks are sorted,
so that neighbours begin alike; of each the beginning that it shares with the one before is not run again,
since ticks can be taken back.

Sums are added in the order of their inputs, in float32. `nhc.machine` may add them in another one, so the two
can differ where a decision hangs on the last bit.
"""

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import jax
import numpy as np
from numpy.typing import NDArray

from nhc.algorithms.judge import Judge, Steps
from nhc.algorithms.traces import ANY, Traces
from nhc.evolve.evaluate import Scores
from nhc.jit import compiled, part
from nhc.machine.config import GATED, MachineConfig, options_unlike
from nhc.machine.layout import MECHANISMS, interface_blocks
from nhc.machine.parameters import Linear, Parameters
from nhc.shapes import NONE

FORMAT = 1
"""Raised when `nhc.jit` or an imported constant changes: kept loops are known by the text of this file."""
PLAIN: dict[str, object] = {**GATED, "usage_link": True}
"""Options of machines whose control is such a table."""
MOST_STATES = 1 << 20
"""Control states that there is room for."""
STEERING = ("read.key", "read.modes", "write.word", "constrained.word", "write.gate")
"""Blocks of the interface that such a machine uses, in the order in which they are packed."""
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


def fits(config: MachineConfig, judge: Judge, tasks: Traces) -> bool:
    """Is there a compiled evaluation of such machines, of this fitness and these signals?"""
    small = config.word_size <= 8 and states_of(config) <= MOST_STATES
    bits = bool(np.isin(np.asarray(tasks.signals), (0, 1)).all())
    return type(judge) is Steps and small and bits and not options_unlike(config, PLAIN)


def states_of(config: MachineConfig) -> int:
    """Control states: values of the signals, words or none, operations or none."""
    return (1 << config.signals) * ((1 << config.word_size) + 1) * (config.ops + 1)


def evaluator(tasks: Traces, config: MachineConfig) -> Callable[[Parameters], Scores]:
    """The scores that `nhc.evolve.evaluate` gives members on these tasks with `Steps`; see `fits`.

    Ticks are those that were run: what tasks share counts once. Members that are not finite earn nothing.
    """
    ordered, order = in_order(tasks)
    ticks = int(ordered.length.max())
    entries = min(states_of(config), int(ordered.length.sum() - ordered.alike.sum()) + 1)
    codes = 1 << config.word_size

    def run(members: Parameters) -> Scores:
        weights = packed(members, config)
        count = len(weights.controller)
        entry, owner = np.zeros((2, states_of(config)), np.int32)
        known = Known(
            entry,
            owner,
            np.zeros((entries, config.ops + config.word_size), np.float32),
            np.zeros((entries, RANKED + len(MECHANISMS)), np.int32),
            np.zeros((entries, codes), np.int32),
            np.zeros(config.hidden, np.float32),
            np.zeros(weights.interface.shape[2], np.float32),
        )
        words, data, parent, child = np.zeros((4, ticks + 1), np.int32)
        memory = Memory(words, data, parent, child, np.zeros((ticks + 1, OLD_CHILD + 1), np.int32))
        scores = np.zeros((3, count, len(order)), np.int32)
        shape = config.signals, config.word_size, config.ops, config.write_gate == "learned"
        compiled(run_members, _nrt=False)(weights, ordered, known, memory, scores, shape)
        found = np.empty_like(scores)
        found[:, :, order] = scores
        return Scores(*found)

    return run


def packed(members: Parameters, config: MachineConfig) -> Weights:
    """The weights of members, as the loop reads them."""
    rows, chosen = 0, dict[str, NDArray[np.intp]]()
    for block in interface_blocks(config):
        chosen[block.name.removeprefix("interface.")] = np.arange(rows, rows + block.rows)
        rows += block.rows
    steering = np.concatenate([chosen[name] for name in STEERING])
    controller, interface, transform_c = jax.device_get(
        (members.controller, members.interface, members.transform_c)
    )

    def turned(linear: Linear, rows: NDArray[np.intp] | slice = slice(None)) -> Reals:
        w, b = np.asarray(linear.w)[:, rows], np.asarray(linear.b)[:, rows]
        return np.ascontiguousarray(np.concatenate([w.transpose(0, 2, 1), b[:, None]], axis=1))

    return Weights(turned(controller), turned(interface, steering), turned(transform_c))


def in_order(tasks: Traces) -> tuple[Sorted, NDArray[np.intp]]:
    """The tasks sorted, and the number of each among those given."""
    signals = np.asarray(tasks.signals).astype(np.int32) @ (1 << np.arange(tasks.signals.shape[-1]))
    rows = np.stack([signals, *(np.asarray(column) for column in tasks[1:4])], axis=2).astype(np.int32)
    length = np.asarray(tasks.length, np.int32)
    within = np.arange(rows.shape[1]) < length[:, None]
    rows[~within] = NONE
    order = np.lexsort(rows.reshape(len(rows), -1).T[::-1])
    rows, length, within = rows[order], length[order], within[order]
    same = (rows[1:] == rows[:-1]).all(axis=2) & within[1:] & within[:-1]
    alike = np.concatenate([[0], np.cumprod(same, axis=1).sum(axis=1)]).astype(np.int32)
    main = np.asarray(tasks.main, np.int32)[order]
    return Sorted(np.ascontiguousarray(rows), length, main, alike), order


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
