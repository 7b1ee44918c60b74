"""Running programs: planning tasks, traces, and long runs on the free tree.

A proved machine's program does exactly what the network does: same ticks, same addresses, same data.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from nhc.domains.free_tree import TreeState
from nhc.domains.protocol import BRANCHING
from nhc.domains.sokoban.rules import State
from nhc.errors import InputError
from nhc.program.compiled import compile_program
from nhc.program.control import Phase
from nhc.program.execution import DEFAULT_PACE, Columns, Executed, Pace, execute
from nhc.program.free_tree_run import NODE_BYTES, free_tree_columns
from nhc.program.memory import memory_bytes
from nhc.program.outcome import (
    UNKNOWN_STATE_CODE,
    FreeRun,
    ProgramOutcome,
    ProgramStatus,
    ProgramTrace,
)
from nhc.program.registers import Log, Registers
from nhc.program.sokoban_run import STATE_BYTES, sokoban_columns
from nhc.program.table import Program
from nhc.program.twin import TwinTick, run_twin, twin_trace
from nhc.shapes import NONE
from nhc.tasks.planning import GoalCells, PlanningTask

CHECKSUM_MASK = 2**64 - 1
TWIN_BYTES = 256
"""Of a tick in the plain Python twin: a word, a parent, a state and the integers in it, measured roughly."""
TWIN_CHUNK = 1 << 10
"""Ticks between two reports of the twin."""


def _ignore(ticks: int) -> None:
    del ticks


def bytes_per_tick(program: Program, task: PlanningTask) -> int:
    """Memory that each tick of a run takes: word, parent, data word, and the index of looked-up words."""
    if not has_loop(task):
        return TWIN_BYTES
    data = NODE_BYTES if task.board is None else STATE_BYTES
    return data + memory_bytes(compile_program(program))


def has_loop(task: PlanningTask) -> bool:
    """Is there a compiled loop for the task's world?  Others run in the plain Python twin."""
    return task.board is not None or isinstance(task.start, TreeState)


def run_program(
    program: Program,
    task: PlanningTask,
    *,
    max_ticks: int,
    on_progress: Callable[[int], None] = _ignore,
    pace: Pace = DEFAULT_PACE,
) -> ProgramOutcome:
    """Run a program on a task until it halts or `max_ticks` have passed.

    `on_progress` gets the ticks done so far. A task whose start meets the goal is beyond what programs of
    proved machines cover and ends with UNKNOWN_STATE at once. Raises ConfigError: `program.board` for
    Sokoban boards of over 64 cells, `program.ticks`, and the codes of `compile_program`.
    """
    if not has_loop(task):
        return run_twin(program, task, max_ticks=max_ticks, on_tick=_counted(on_progress))
    back: list[NDArray[np.int64]] = []

    def on_chunk(run: Registers, log: Log) -> None:
        back.append(log.address)
        on_progress(run.ticks)

    tables = compile_program(program)
    done = execute(tables, columns_for(task), max_ticks=max_ticks, on_chunk=on_chunk, pace=pace)
    return outcome(done, np.concatenate([np.empty(0, np.int64), *back]))


def _counted(on_progress: Callable[[int], None]) -> Callable[[TwinTick], None]:
    """Calls `on_progress` now and then with the ticks done so far."""
    done = 0

    def on_tick(tick: TwinTick) -> None:
        nonlocal done
        del tick
        done += 1
        if done % TWIN_CHUNK == 0:
            on_progress(done)

    return on_tick


def trace_program(
    program: Program, task: PlanningTask, *, max_ticks: int, pace: Pace = DEFAULT_PACE
) -> ProgramTrace:
    """Run and keep every tick. Raises what `run_program` raises."""
    if not has_loop(task):
        return twin_trace(program, task, max_ticks=max_ticks)
    tables = compile_program(program)
    logs: list[Log] = []
    done = execute(
        tables,
        columns_for(task),
        max_ticks=max_ticks,
        on_chunk=lambda _, log: logs.append(log),
        log_from=Phase.SEARCH,
        pace=pace,
    )
    address, op, word = (np.concatenate(column) for column in zip(*logs, strict=True))
    met_at = done.run.met_at
    back = address[met_at - 1 :] if met_at > 0 else address[:0]
    return ProgramTrace(address, op.astype(np.int64), tables.codes[word], outcome(done, back))


def run_free(
    program: Program,
    ticks: int,
    *,
    check: bool = False,
    on_progress: Callable[[int], None] = _ignore,
) -> FreeRun:
    """Run a program on the free tree for `ticks` ticks without a goal.

    With `check` every tick is compared with breadth-first search. Raises InputError
    (`program.unknown_state`) if the program does not say what to do, ConfigError as `run_program`.
    """
    agrees = [True]

    def on_chunk(run: Registers, log: Log) -> None:
        first = run.ticks - len(log.op)
        agrees.append(is_breadth_first(first, log))
        on_progress(run.ticks)

    done = execute(
        compile_program(program),
        free_tree_columns(TreeState(0), None),
        max_ticks=ticks,
        on_chunk=on_chunk,
        log_from=Phase.SEARCH if check else Phase.BACK,
    )
    if done.run.status == ProgramStatus.UNKNOWN_STATE:
        message = f"the program does not say what follows tick {done.run.ticks:,}"
        raise InputError(UNKNOWN_STATE_CODE, message)
    last = done.columns.states(np.array([done.run.ticks]))
    assert isinstance(last, TreeState)
    checksum = done.run.checksum & CHECKSUM_MASK
    return FreeRun(done.run.ticks, int(np.asarray(last.node)[0]), checksum, all(agrees) if check else None)


def is_breadth_first(first: int, log: Log) -> bool:
    """Do these ticks, which follow `first` others, read each cell four times and apply the ops in order?"""
    tick = np.arange(first, first + len(log.op))
    return bool((log.address == tick // BRANCHING).all() and (log.op == tick % BRANCHING).all())


def columns_for(task: PlanningTask) -> Columns:
    """The task as data of a run. Raises ConfigError (`program.board`, `program.node`)."""
    if isinstance(task.start, State) and isinstance(task.goal, State | GoalCells):
        assert task.board is not None, "a Sokoban task has a board"
        return sokoban_columns(task.board, task.start, task.goal)
    assert isinstance(task.start, TreeState) and isinstance(task.goal, TreeState)
    return free_tree_columns(task.start, task.goal)


def outcome(done: Executed, back: NDArray[np.int64]) -> ProgramOutcome:
    """What came of a run that read the cells `back` since the goal was met."""
    run = done.run
    return ProgramOutcome(
        status=ProgramStatus(run.status),
        ticks=run.ticks,
        met_at=None if run.met_at == NONE else run.met_at,
        emitted=done.columns.states(back),
        checksum=run.checksum & CHECKSUM_MASK,
    )
