"""Running programs on the node numbers of the search tree, where node n has the children 4n+1 .. 4n+4.

Control sees nothing of the data but whether the goal or the start is fed. So a run is the same for every
world: its task is the number of the goal's node. A proved machine's program does exactly what the network
does: same ticks, same addresses, same nodes.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from nhc.domains.free_tree import LAST_NODE
from nhc.domains.protocol import BRANCHING
from nhc.errors import ConfigError, InputError
from nhc.jit import compiled
from nhc.program.compiled import Tables, compile_program
from nhc.program.loop import CHECKSUM_MASK, node_loop
from nhc.program.memory import (
    Log,
    Memory,
    Pace,
    ProgramStatus,
    Registers,
    empty_memory,
    grown_memory,
    log_for,
    memory_bytes,
    require_ticks,
)
from nhc.program.table import Phase, Program
from nhc.shapes import NONE

DEFAULT_PACE = Pace(1 << 16)


class ProgramRun(NamedTuple):
    """How a run ended: the twin of `nhc.computer.run.Outcome`, one status richer."""

    status: ProgramStatus
    ticks: int
    """Whole ticks; one that met an unknown state does not count."""
    nodes: list[int]
    """Nodes read since the goal was met, in the order of ticks: from goal to start for Plan."""


class FreeRun(NamedTuple):
    """A run without a goal."""

    ticks: int
    last_node: int
    """The node made by the last tick; saturated, see `nhc.domains.free_tree`."""
    checksum: int
    """Of all addresses and operations, 64 bits: equal runs have equal ones."""
    breadth_first: bool | None
    """Did tick t read cell (t-1) // 4 and choose operation (t-1) % 4, every one? None if not checked."""


def bytes_per_tick(program: Program) -> int:
    """Memory that each tick takes: word, parent, node, and the index of looked-up words."""
    return memory_bytes(compile_program(program), np.uint32)


def execute(
    tables: Tables,
    goal: int | None,
    *,
    max_ticks: int,
    on_chunk: Callable[[Registers, Log], None],
    log_from: Phase = Phase.BACK,
    pace: Pace = DEFAULT_PACE,
) -> tuple[Registers, Memory]:
    """Call the compiled loop, in memory that grows between calls, until the program halts or has `max_ticks`.

    `on_chunk` gets the run after each call and the log of the call's ticks, which is empty before the phase
    `log_from`. Raises ConfigError: `program.ticks` unless `max_ticks` is in 1..2^31-1, `program.node` for a
    goal that is no node.
    """
    require_ticks(max_ticks)
    if goal is not None and not 0 <= goal <= LAST_NODE:
        raise ConfigError("program.node", f"expected a node in 0..{LAST_NODE:,}, found {goal:,}")
    capacity, loop = min(pace.capacity, max_ticks), compiled(node_loop)
    memory = empty_memory(tables, capacity, np.uint32)
    run = Registers(0, NONE, NONE, NONE, int(Phase.SEARCH), int(ProgramStatus.RUNNING), NONE, 0, 0)
    while run.status == ProgramStatus.RUNNING and run.ticks < max_ticks:
        if run.ticks == capacity:
            capacity = min(2 * capacity, max_ticks)
            memory = grown_memory(memory, capacity)
        logged = run.phase >= log_from
        limit = min(run.ticks + pace.chunk, capacity)
        log = log_for(limit - run.ticks if logged else 0)
        done = loop(tables, memory, NONE if goal is None else goal, run, limit, log)
        ticks, run = done.ticks - run.ticks, done
        on_chunk(run, Log(log.address[:ticks], log.op[:ticks], log.word[:ticks]))
    return run, memory


def run_program(program: Program, goal: int, *, max_ticks: int, pace: Pace = DEFAULT_PACE) -> ProgramRun:
    """Run a program towards the goal at a node until it halts or `max_ticks` have passed.

    A goal at node 0 is beyond what programs of proved machines cover and ends with UNKNOWN_STATE at once.
    Raises ConfigError (those of `execute`, `compile_program`).
    """
    back = [np.empty(0, np.int64)]
    tables = compile_program(program)
    run, memory = execute(
        tables, goal, max_ticks=max_ticks, on_chunk=lambda _, log: back.append(log.address), pace=pace
    )
    return ProgramRun(ProgramStatus(run.status), run.ticks, memory.data[np.concatenate(back)].tolist())


def run_free(program: Program, ticks: int, *, check: bool = False) -> FreeRun:
    """Run a program for `ticks` ticks without a goal.

    With `check` every tick is compared with breadth-first search. Raises InputError
    (`program.unknown_state`) if the program does not say what to do, ConfigError as `run_program`.
    """
    agrees = [True]

    def on_chunk(run: Registers, log: Log) -> None:
        tick = np.arange(run.ticks - len(log.op), run.ticks)
        agrees.append(bool((log.address == tick // BRANCHING).all() and (log.op == tick % BRANCHING).all()))

    log_from = Phase.SEARCH if check else Phase.BACK
    run, memory = execute(
        compile_program(program), None, max_ticks=ticks, on_chunk=on_chunk, log_from=log_from
    )
    if run.status == ProgramStatus.UNKNOWN_STATE:
        raise unknown_state(run.ticks)
    last, checksum = int(memory.data[run.ticks]), run.checksum & CHECKSUM_MASK
    return FreeRun(run.ticks, last, checksum, all(agrees) if check else None)


def unknown_state(ticks: int) -> InputError:
    """The error of a run that the program says nothing about."""
    return InputError("program.unknown_state", f"the program does not say what follows tick {ticks:,}")
