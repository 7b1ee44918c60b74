"""The loops that execute a program: on the tree's node numbers, and on an algorithm's own data.

One tick: what the data side shows, the constrained write at the cell read last, the free write into the new
cell, the read, the operation; its cost does not depend on what the memory holds. All compiled code but the
data sides is in this file, see `nhc.jit`; the index of words is laid out in `memory.py`.
"""

from typing import TypeAlias

import numpy as np

from nhc.algorithms.tape import DONE, NOTHING
from nhc.domains.free_tree import LAST_NODE, LAST_PARENT
from nhc.domains.protocol import BRANCHING, NOP
from nhc.jit import part
from nhc.program import compiled
from nhc.program.compiled import Ops, Rows, Tables
from nhc.program.memory import (
    COUNT,
    LEVELS,
    LOWEST,
    Bits,
    DataRegisters,
    Held,
    Log,
    Memory,
    Output,
    Parents,
    ProgramStatus,
    Registers,
    Side,
    Words,
)
from nhc.program.table import Phase
from nhc.shapes import NONE

Before: TypeAlias = tuple[int, int, int, int, int]
Decided: TypeAlias = tuple[int, int, int, int]

FORMAT = 4
"""Raised when `nhc.jit` or an imported constant changes: kept loops are known by the text of this file."""

MIX = 6364136223846793005
"""Each tick a checksum becomes MIX * checksum + 8 * address + op (mod 2^64); MIX is odd: nothing is lost."""
CHECKSUM_MASK = 2**64 - 1
SEARCH, BACK = int(Phase.SEARCH), int(Phase.BACK)
RUNNING, FINISHED, STOPPED, _, UNKNOWN = map(int, ProgramStatus)
BY_CONTENT = -2  # Stands for the address that a lookup finds.


def node_loop(tables: Tables, memory: Memory, goal: int, run: Registers, limit: int, log: Log) -> Registers:
    """Ticks until the run ends, has `limit` ticks, or is about to see the goal node (for the first time)."""
    (_, after, rows, ops, _, backtracks, _), nodes = tables, memory.data
    log_address, log_op, log_word = log
    ticks, address, word, op, phase, status, met_at, scanned, checksum = run
    while ticks < limit and status == RUNNING:
        if phase == SEARCH and nodes[ticks] == goal:
            phase, met_at = BACK, ticks + 1
            break
        if phase == BACK and nodes[ticks] == nodes[0] and ticks >= met_at:
            status = UNKNOWN
            break
        before = (ticks, phase, address, word, op)
        address, word, op, steps = control_tick(after, rows, ops, memory, before)
        if address < 0:
            status = UNKNOWN
            break
        if len(log_op) > 0:
            row = ticks - run.ticks
            log_address[row], log_op[row], log_word[row] = address, op, word
        ticks += 1
        nodes[ticks] = child_node(nodes[address], op)
        status = status_after(phase, op, backtracks, nodes[ticks] == nodes[0])
        scanned += steps
        checksum = checksum * MIX + (address * (BRANCHING * 2) + op)
    return Registers(ticks, address, word, op, phase, status, met_at, scanned, checksum)


def data_loop(
    tables: Tables, memory: Memory, side: Side, output: Output, run: DataRegisters, limit: int
) -> DataRegisters:
    """Ticks until the run ends, has `limit` ticks, fills the output, or meets a state that is not known.

    The output has room for a word of each tick that is begun. An unknown state changes nothing. The
    first tick must store a word.
    """
    (_, after, rows, ops, _, _, _), data = tables, memory.data
    observe, act, tape, registers = side
    ticks, address, word, op, signals, status, cells, written, checksum = run
    while ticks < limit and written < len(output):
        row = after[signals, word, op]
        if row < 0:
            status = UNKNOWN
            break
        before = (cells, signals, address, word, op)
        address, word, op, _ = control_tick(after, rows, ops, memory, before)
        cells += rows[row, compiled.FRESH] >= 0
        ticks += 1
        checksum = checksum * MIX + (address * (BRANCHING * 2) + op)
        made = act(op, data[address], tape.ctypes, len(tape), registers.ctypes, len(registers))
        if made != NOTHING:
            output[written] = made
            written += 1
        if registers[DONE] != 0:
            status = FINISHED
            break
        shown, data[cells] = observe(tape.ctypes, len(tape), registers.ctypes, len(registers))
        signals = int(shown)
    return DataRegisters(ticks, address, word, op, signals, status, cells, written, checksum)


def index_words(memory: Memory, cells: int) -> None:
    """Fill an empty index with the words of the first cells."""
    for cell in range(cells):
        add(memory.bits, memory.held, int(memory.words[cell]), cell)


@part
def control_tick(after: Rows, rows: Rows, ops: Ops, memory: Memory, before: Before) -> Decided:
    """Address (`NONE` where the program has no entry), word and operation of a tick, and index entries read.

    `before` are the cell to write, the phase, and address, word and operation of the tick before.
    """
    words, parents, children, _, bits, held = memory
    cell, phase, last, word, op = before
    row = after[phase, word, op]
    if row < 0:
        return NONE, word, op, 0
    if last >= 0:
        rewrite(words, bits, held, last, rows[row, compiled.CONSTRAINED])
    fresh = rows[row, compiled.FRESH]
    newest = cell if fresh >= 0 else cell - 1
    if fresh >= 0:
        words[cell], parents[cell] = fresh, last
        add(bits, held, fresh, cell)
        if len(children) > 0:
            children[cell] = NONE
            if last >= 0:
                children[last] = cell
    address, scanned = named(rows, row, parents, children, last, newest), 0
    if address == BY_CONTENT:
        address, scanned = lookup(rows, row, words, bits, held)
    if address < 0:
        return NONE, word, op, scanned
    seen = int(words[address])
    chosen = int(ops[row, seen])
    return (address if chosen >= 0 else NONE), seen, chosen, scanned


@part
def rewrite(words: Words, bits: Bits, held: Held, cell: int, word: int) -> None:
    """The constrained write."""
    if words[cell] != word:
        remove(bits, held, int(words[cell]), cell)
        words[cell] = word
        add(bits, held, word, cell)


@part
def named(rows: Rows, row: int, parents: Parents, children: Parents, last: int, newest: int) -> int:
    """The address of the first mechanism that has one, or `BY_CONTENT`; at first there is only one cell."""
    if last < 0:
        return newest
    for rank in range(compiled.MECHANISMS, compiled.PREFERENCE):
        mechanism = rows[row, rank]
        if mechanism == compiled.CONTENT:
            return BY_CONTENT
        if mechanism == compiled.FORWARD and last < newest:
            return last + 1
        if mechanism == compiled.USAGE_FORWARD:
            if len(children) == 0:
                return newest
            if children[last] >= 0:
                return int(children[last])
        if mechanism == compiled.BACKWARD and last > 0:
            return last - 1
        if mechanism == compiled.USAGE_BACKWARD and parents[last] >= 0:
            return int(parents[last])
    return NONE


@part
def lookup(rows: Rows, row: int, words: Words, bits: Bits, held: Held) -> tuple[int, int]:
    """The lowest cell with the most preferred word among those present, and the index entries scanned."""
    for rank in range(compiled.PREFERENCE, rows.shape[1]):
        word = rows[row, rank]
        if word < 0:
            break
        if held[word, COUNT] > 0:
            cell, scanned = held[word, LOWEST], 0
            if words[cell] != word:
                cell, scanned = following(bits, len(held), word, cell + 1)
                held[word, LOWEST] = cell
            return cell, scanned
    return NONE, 0


@part
def add(bits: Bits, held: Held, word: int, cell: int) -> None:
    """Note in the index that a cell holds a word, if lookups may ask for that."""
    if word >= len(held):
        return
    if held[word, COUNT] == 0 or cell < held[word, LOWEST]:
        held[word, LOWEST] = cell
    held[word, COUNT] += 1
    for level in range(LEVELS):
        row, column = place(len(held), word, level, cell >> 6)
        before = bits[row, column]
        bits[row, column] = before | np.uint64(1) << np.uint64(cell & 63)
        if before != 0:
            return
        cell >>= 6


@part
def remove(bits: Bits, held: Held, word: int, cell: int) -> None:
    """Note that a cell holds a word no more; bits above and the lowest cell are left to lookups."""
    if word < len(held):
        held[word, COUNT] -= 1
        bits[cell >> 6, word] &= ~(np.uint64(1) << np.uint64(cell & 63))


@part
def following(bits: Bits, lookups: int, word: int, cell: int) -> tuple[int, int]:
    """The lowest cell from `cell` on that holds a word (there must be one), and the entries scanned.

    Up while an entry has no later bit, down where it has one. Bits above empty entries are cleared: each was
    set by a write, so writes pay for that.
    """
    level, scanned = 0, 1
    found = entry_from(bits, lookups, word, level, cell)
    while level > 0 or found == 0:
        if found == 0:
            if cell & 63 == 0:
                clear(bits, lookups, word, level + 1, cell >> 6)
            cell = (cell >> 6) + 1
            level += 1
        else:
            cell = (cell >> 6 << 6) + lowest_bit(found)
            level -= 1
            cell <<= 6
        found = entry_from(bits, lookups, word, level, cell)
        scanned += 1
    return (cell >> 6 << 6) + lowest_bit(found), scanned


@part
def entry_from(bits: Bits, lookups: int, word: int, level: int, position: int) -> np.uint64:
    """The bits of one entry from `position` of its level on; none beyond the end of the level."""
    row, column = place(lookups, word, level, position >> 6)
    if row >= len(bits):
        return np.uint64(0)
    return bits[row, column] >> np.uint64(position & 63) << np.uint64(position & 63)


@part
def clear(bits: Bits, lookups: int, word: int, level: int, position: int) -> None:
    """Clear a bit of a level above the lowest, if the level reaches that far."""
    row, column = place(lookups, word, level, position >> 6)
    if row < len(bits):
        bits[row, column] &= ~(np.uint64(1) << np.uint64(position & 63))


@part
def place(lookups: int, word: int, level: int, entry: int) -> tuple[int, int]:
    """Row and column of an entry."""
    if level == 0:
        return entry, word
    return (entry << 6 * level) + level - 1, lookups + word


@part
def lowest_bit(bits: np.uint64) -> int:
    """The number of the lowest bit that is set, by halving."""
    number = 0
    for half in (32, 16, 8, 4, 2, 1):
        if bits & ((np.uint64(1) << np.uint64(half)) - np.uint64(1)) == 0:
            bits >>= np.uint64(half)
            number += half
    return number


@part
def status_after(phase: int, op: int, backtracks: bool, at_start: bool) -> int:
    """The halting rules, see `nhc.algorithms.tree.environment`."""
    if phase == SEARCH:
        return STOPPED if op == NOP else RUNNING
    return FINISHED if (at_start if backtracks else op == NOP) else RUNNING


@part
def child_node(node: int, op: int) -> int:
    """The free tree, as in `nhc.domains.free_tree`."""
    if op == NOP:
        return node
    return node * BRANCHING + 1 + op if node <= LAST_PARENT else LAST_NODE
