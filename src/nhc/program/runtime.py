"""The loops that execute a program: no Python, no network, the same cost a tick whatever the memory holds.

One tick: the goal test, the constrained write at the cell read last, the free write into the new cell, the
read, the operation; `twin.py` says the same in plain Python. All compiled code is in this file, see `jit.py`.
Columns of data and the index of words are laid out in `execution.py` and `memory.py`.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nhc.domains.free_tree import LAST_NODE, LAST_PARENT
from nhc.domains.protocol import BRANCHING, NOP
from nhc.program import compiled
from nhc.program.compiled import Ops, Rows, Tables
from nhc.program.control import Phase
from nhc.program.jit import part
from nhc.program.memory import COUNT, LEVELS, LOWEST, Bits, Held, Memory, Parents, Words
from nhc.program.outcome import MIX, ProgramStatus
from nhc.program.registers import Log, Registers
from nhc.program.sokoban_columns import SokobanData, SokobanTask
from nhc.shapes import NONE

Before: TypeAlias = tuple[int, int, int, int, int]

FORMAT = 1
"""Raised when `jit.py` or an imported constant changes: kept loops are known by the text of this file."""
SEARCH, BACK = int(Phase.SEARCH), int(Phase.BACK)
RUNNING, FINISHED = int(ProgramStatus.RUNNING), int(ProgramStatus.FINISHED)
STOPPED, UNKNOWN = int(ProgramStatus.STOPPED_WITHOUT_GOAL), int(ProgramStatus.UNKNOWN_STATE)
BY_CONTENT = -2
"""Stands for the address that a lookup finds."""


def free_tree_loop(
    tables: Tables, memory: Memory, nodes: NDArray[np.uint32], goal: int, run: Registers, limit: int, log: Log
) -> Registers:
    """Ticks until the run ends, has `limit` ticks, or is about to see the goal (for the first time)."""
    after, rows, ops, backtracks = tables.after, tables.rows, tables.ops, tables.backtracks
    words, parents, bits, held = memory
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
        address, word, op, steps = control_tick(after, rows, ops, words, parents, bits, held, before)
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


def sokoban_loop(
    tables: Tables, memory: Memory, data: SokobanData, run: Registers, limit: int, log: Log
) -> Registers:
    """The same on Sokoban boards of up to 64 cells."""
    after, rows, ops, backtracks = tables.after, tables.rows, tables.ops, tables.backtracks
    words, parents, bits, held = memory
    (boxes, agent), task = data
    log_address, log_op, log_word = log
    ticks, address, word, op, phase, status, met_at, scanned, checksum = run
    while ticks < limit and status == RUNNING:
        if phase == SEARCH and goal_met(task, boxes[ticks], agent[ticks]):
            phase, met_at = BACK, ticks + 1
            break
        if phase == BACK and ticks >= met_at and boxes[ticks] == boxes[0] and agent[ticks] == agent[0]:
            status = UNKNOWN
            break
        before = (ticks, phase, address, word, op)
        address, word, op, steps = control_tick(after, rows, ops, words, parents, bits, held, before)
        if address < 0:
            status = UNKNOWN
            break
        if len(log_op) > 0:
            row = ticks - run.ticks
            log_address[row], log_op[row], log_word[row] = address, op, word
        ticks += 1
        boxes[ticks], agent[ticks] = moved(task, boxes[address], agent[address], op)
        at_start = boxes[ticks] == boxes[0] and agent[ticks] == agent[0]
        status = status_after(phase, op, backtracks, at_start)
        scanned += steps
        checksum = checksum * MIX + (address * (BRANCHING * 2) + op)
    return Registers(ticks, address, word, op, phase, status, met_at, scanned, checksum)


@part
def control_tick(
    after: Rows,
    rows: Rows,
    ops: Ops,
    words: Words,
    parents: Parents,
    bits: Bits,
    held: Held,
    before: Before,
) -> tuple[int, int, int, int]:
    """Address, word and operation of a tick, and the index entries that were scanned.

    The address is `NONE` where the program has no entry. `before` are the cell to write, the phase, and
    address, word and operation of the tick before.
    """
    cell, phase, last, word, op = before
    row = after[phase, word, op]
    if row < 0:
        return NONE, word, op, 0
    if last >= 0:
        rewrite(words, bits, held, last, rows[row, compiled.CONSTRAINED])
    words[cell] = rows[row, compiled.FRESH]
    parents[cell] = last
    add(bits, held, rows[row, compiled.FRESH], cell)
    address, scanned = named(rows, row, parents, last, cell), 0
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
def named(rows: Rows, row: int, parents: Parents, last: int, newest: int) -> int:
    """The address of the first mechanism that has one, or `BY_CONTENT`."""
    for rank in range(compiled.MECHANISMS, compiled.PREFERENCE):
        mechanism = rows[row, rank]
        if mechanism == compiled.CONTENT:
            return BY_CONTENT
        if last >= 0:
            if mechanism == compiled.FORWARD:
                return last + 1
            if mechanism == compiled.USAGE_FORWARD:
                return newest
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
    """The halting rules, see `nhc.computer.halting`."""
    if phase == SEARCH:
        return STOPPED if op == NOP else RUNNING
    return FINISHED if (at_start if backtracks else op == NOP) else RUNNING


@part
def child_node(node: int, op: int) -> int:
    """The free tree, as in `nhc.domains.free_tree`."""
    if op == NOP:
        return node
    return node * BRANCHING + 1 + op if node <= LAST_PARENT else LAST_NODE


@part
def moved(task: SokobanTask, boxes: np.uint64, agent: int, op: int) -> tuple[np.uint64, int]:
    """Boxes and agent after an operation, as in `nhc.domains.sokoban.rules`."""
    if op == NOP:
        return boxes, agent
    step = (-task.width, 1, task.width, -1)[op]
    ahead = np.uint64(1) << np.uint64(agent + step)
    if ahead & task.walls:
        return boxes, agent
    if ahead & boxes:
        beyond = np.uint64(1) << np.uint64(agent + 2 * step)
        if beyond & (boxes | task.walls):
            return boxes, agent
        boxes ^= ahead | beyond
    return boxes, agent + step


@part
def goal_met(task: SokobanTask, boxes: np.uint64, agent: int) -> bool:
    """Is the goal met?"""
    return (boxes ^ task.boxes) & task.care == 0 and (task.agent < 0 or agent == task.agent)
