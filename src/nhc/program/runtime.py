"""The loops that execute a program: no Python, no network, the same cost a tick whatever the memory holds.

One tick, as in docs/design: the goal test, the constrained write at the cell read last, the free write into
the new cell, the read, the operation. All compiled code is in this file, see `jit.py`; data reach it as
arrays whose entry c is the data word of cell c, and entry `ticks` the output of the tick before.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.domains.free_tree import LAST_NODE, LAST_PARENT
from nhc.domains.protocol import BRANCHING, NOP
from nhc.program.compiled import (
    BACKWARD,
    CONTENT,
    FORWARD,
    NO_OP,
    USAGE_BACKWARD,
    USAGE_FORWARD,
    Tables,
)
from nhc.program.control import Phase
from nhc.program.jit import part
from nhc.program.memory import Memory
from nhc.program.outcome import ProgramStatus
from nhc.shapes import NONE

SEARCH, BACK = int(Phase.SEARCH), int(Phase.BACK)
RUNNING, FINISHED = int(ProgramStatus.RUNNING), int(ProgramStatus.FINISHED)
STOPPED, UNKNOWN = int(ProgramStatus.STOPPED_WITHOUT_GOAL), int(ProgramStatus.UNKNOWN_STATE)
MIX = 6364136223846793005
"""Odd, so that a checksum, multiplied with it each tick modulo 2^64, forgets nothing."""


class Registers(NamedTuple):
    """A run between two ticks, without its memory."""

    ticks: int
    address: int
    word: int
    op: int
    phase: int
    status: int
    met_at: int
    """The tick that sees the goal, `NONE` before."""
    checksum: int


class Log(NamedTuple):
    """What ticks did, in order; empty arrays where nobody asked."""

    address: NDArray[np.int64]
    op: NDArray[np.uint8]
    word: NDArray[np.uint8]


class SokobanCells(NamedTuple):
    """Data words of Sokoban: boxes as a bit board, and the agent's cell."""

    boxes: NDArray[np.uint64]
    agent: NDArray[np.uint8]


class SokobanTask(NamedTuple):
    """What the data in a Sokoban run are compared with.

    The goal is met where boxes and `boxes` agree in the bits of `care`, and the agent stands on `agent` if
    that is a cell.
    """

    width: int
    walls: np.uint64
    boxes: np.uint64
    care: np.uint64
    agent: int


def first_registers(tables: Tables) -> Registers:
    """Before the first tick."""
    return Registers(0, NONE, len(tables.codes), NO_OP, SEARCH, RUNNING, NONE, 0)


def free_tree_loop(
    tables: Tables, memory: Memory, nodes: NDArray[np.uint32], goal: int, run: Registers, limit: int, log: Log
) -> Registers:
    """Ticks until the run ends, has `limit` ticks, or is about to see the goal (for the first time)."""
    ticks, address, word, op, phase, status, met_at, checksum = run
    while ticks < limit and status == RUNNING:
        output = nodes[ticks]
        if phase == SEARCH:
            if output == goal:
                phase, met_at = BACK, ticks + 1
                break
        elif output == nodes[0] and ticks >= met_at:
            status = UNKNOWN
            break
        address, word, op = control_tick(tables, memory, ticks, phase, address, word, op)
        if address < 0:
            status = UNKNOWN
            break
        nodes[ticks + 1] = child_node(nodes[address], op)
        note(log, ticks - run.ticks, address, word, op)
        ticks += 1
        checksum = checksum * MIX + (address * BRANCHING * 2 + op)
        status = status_after(phase, op, tables.backtracks, nodes[ticks] == nodes[0])
    return Registers(ticks, address, word, op, phase, status, met_at, checksum)


def sokoban_loop(
    tables: Tables,
    memory: Memory,
    cells: SokobanCells,
    task: SokobanTask,
    run: Registers,
    limit: int,
    log: Log,
) -> Registers:
    """The same on Sokoban boards of up to 64 cells."""
    ticks, address, word, op, phase, status, met_at, checksum = run
    boxes, agent = cells
    while ticks < limit and status == RUNNING:
        if phase == SEARCH:
            if goal_met(task, boxes[ticks], agent[ticks]):
                phase, met_at = BACK, ticks + 1
                break
        elif boxes[ticks] == boxes[0] and agent[ticks] == agent[0] and ticks >= met_at:
            status = UNKNOWN
            break
        address, word, op = control_tick(tables, memory, ticks, phase, address, word, op)
        if address < 0:
            status = UNKNOWN
            break
        boxes[ticks + 1], agent[ticks + 1] = moved(task, boxes[address], agent[address], op)
        note(log, ticks - run.ticks, address, word, op)
        ticks += 1
        checksum = checksum * MIX + (address * BRANCHING * 2 + op)
        at_start = boxes[ticks] == boxes[0] and agent[ticks] == agent[0]
        status = status_after(phase, op, tables.backtracks, at_start)
    return Registers(ticks, address, word, op, phase, status, met_at, checksum)


@part
def control_tick(
    tables: Tables, memory: Memory, cell: int, phase: int, address: int, word: int, op: int
) -> tuple[int, int, int]:
    """Writes cell `cell`, then the address, word and operation of this tick; the address is NONE where the
    program has no entry."""
    row = tables.state_after[phase, word, op]
    if row < 0:
        return NONE, word, op
    if address >= 0:
        rewrite(tables, memory, address, tables.constrained[row])
    memory.words[cell] = tables.fresh[row]
    memory.parents[cell] = address
    if tables.fresh[row] < tables.lookups:
        add(memory, tables.fresh[row], cell)
    found = read(tables, memory, row, address, cell)
    if found < 0:
        return NONE, word, op
    seen = memory.words[found]
    chosen = tables.ops[row, seen]
    if chosen < 0:
        return NONE, word, op
    return found, int(seen), int(chosen)


@part
def rewrite(tables: Tables, memory: Memory, cell: int, word: int) -> None:
    """The constrained write."""
    before = memory.words[cell]
    if before == word:
        return
    memory.words[cell] = word
    if before < tables.lookups:
        remove(memory, before, cell)
    if word < tables.lookups:
        add(memory, word, cell)


@part
def read(tables: Tables, memory: Memory, row: int, last: int, newest: int) -> int:
    """The address of the first mechanism that has one."""
    for rank in range(tables.mechanisms.shape[1]):
        mechanism = tables.mechanisms[row, rank]
        if mechanism == CONTENT:
            return lookup(tables, memory, row)
        if last >= 0:
            if mechanism == FORWARD:
                return last + 1
            if mechanism == USAGE_FORWARD:
                return newest
            if mechanism == BACKWARD and last > 0:
                return last - 1
            if mechanism == USAGE_BACKWARD and memory.parents[last] >= 0:
                return int(memory.parents[last])
    return NONE


@part
def lookup(tables: Tables, memory: Memory, row: int) -> int:
    """The lowest cell with the most preferred word among those present."""
    for rank in range(tables.preference.shape[1]):
        word = tables.preference[row, rank]
        if word < 0:
            return NONE
        cell = memory.lowest[word]
        if cell >= 0:
            if memory.words[cell] != word:
                cell = following(memory, word, cell + 1)
                memory.lowest[word] = cell
            return int(cell)
    return NONE


@part
def add(memory: Memory, word: int, cell: int) -> None:
    """Note in the index that a cell holds a word."""
    if memory.lowest[word] < 0 or cell < memory.lowest[word]:
        memory.lowest[word] = cell
    for level in range(len(memory.starts)):
        entry = memory.starts[level] + (cell >> 6) * len(memory.lowest) + word
        before = memory.bits[entry]
        memory.bits[entry] = before | np.uint64(1) << np.uint64(cell & 63)
        if before != 0:
            return
        cell >>= 6


@part
def remove(memory: Memory, word: int, cell: int) -> None:
    """Note that a cell holds a word no more; `lowest` stays where it is unless this was the last one."""
    for level in range(len(memory.starts)):
        entry = memory.starts[level] + (cell >> 6) * len(memory.lowest) + word
        memory.bits[entry] &= ~(np.uint64(1) << np.uint64(cell & 63))
        if memory.bits[entry] != 0:
            return
        cell >>= 6
    memory.lowest[word] = NONE


@part
def following(memory: Memory, word: int, cell: int) -> int:
    """The lowest cell from `cell` on that holds a word; there must be one.

    Up to the level that has a later bit, then down along lowest bits.
    """
    level = 0
    bits = entry_from(memory, word, level, cell)
    while bits == 0:
        cell = (cell >> 6) + 1
        level += 1
        bits = entry_from(memory, word, level, cell)
    cell = (cell & ~63) + lowest_bit(bits)
    while level > 0:
        level -= 1
        cell <<= 6
        cell += lowest_bit(entry_from(memory, word, level, cell))
    return cell


@part
def entry_from(memory: Memory, word: int, level: int, position: int) -> np.uint64:
    """The bits of one entry from `position` on; none beyond the end of the level."""
    memory.scanned[0] += 1
    entry = memory.starts[level] + (position >> 6) * len(memory.lowest) + word
    if level + 1 < len(memory.starts) and entry >= memory.starts[level + 1]:
        return np.uint64(0)
    return memory.bits[entry] >> np.uint64(position & 63) << np.uint64(position & 63)


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
def note(log: Log, row: int, address: int, word: int, op: int) -> None:
    """Keep a tick in the log if that has room."""
    if row < len(log.op):
        log.address[row], log.word[row], log.op[row] = address, word, op


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
