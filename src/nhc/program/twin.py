"""What it means to run a program, in plain Python: the twin of the compiled loops, tick for tick.

Memory is two lists and a lookup looks at every cell, so this is for reading, for tests, and for worlds that
have no compiled loop.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from nhc.domains.protocol import NOP
from nhc.domains.registry import AnyDomain, AnyState
from nhc.domains.states import plain
from nhc.program.compiled import BACKWARD, CONTENT, FORWARD, USAGE_BACKWARD, USAGE_FORWARD
from nhc.program.control import FIRST_STATE, ControlState, Phase
from nhc.program.outcome import MIX, ProgramOutcome, ProgramStatus, ProgramTrace
from nhc.program.table import Program, Row
from nhc.shapes import NONE
from nhc.tasks.algorithm import ALGORITHMS
from nhc.tasks.planning import PlanningTask


class TwinTick(NamedTuple):
    """One tick: cell read, operation, code of the word read, data word read."""

    address: int
    op: int
    word: int
    data: AnyState


@dataclass
class Twin:
    """A run in memory without limits."""

    program: Program
    domain: AnyDomain
    task: PlanningTask
    output: AnyState
    """The start, then what the tick before made."""
    status: ProgramStatus = ProgramStatus.RUNNING
    met_at: int | None = None
    words: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    data: list[AnyState] = field(default_factory=list)
    address: int = NONE
    before: ControlState = FIRST_STATE

    def ticks(self, most: int) -> Iterator[TwinTick]:
        """The ticks of the run, at most so many."""
        while self.status == ProgramStatus.RUNNING and len(self.words) < most:
            made = self._tick()
            if made is None:
                self.status = ProgramStatus.UNKNOWN_STATE
                return
            yield made

    def _tick(self) -> TwinTick | None:
        """One tick, or None where the program has no entry."""
        start, met_before = self.task.start, self.met_at is not None
        if met_before and self.output == start:
            return None  # a third signal, which no row is about
        if not met_before and self.task.is_met(self.output):
            self.met_at = len(self.words) + 1
        phase = Phase.SEARCH if self.met_at is None else Phase.BACK
        row = self.program.rows.get(ControlState(phase, self.before.word, self.before.op))
        found = None if row is None else self._access(row)
        if row is None or found is None or self.words[found] not in row.ops:
            return None
        made = TwinTick(found, row.ops[self.words[found]], self.words[found], self.data[found])
        self.address, self.before = found, ControlState(phase, made.word, made.op)
        self.output = made.data if made.op == NOP else plain(self.domain.step(made.data, made.op))
        self.status = self._status(phase, made.op)
        return made

    def _access(self, row: Row) -> int | None:
        """Both writes, and the address of the read."""
        if self.address != NONE:
            self.words[self.address] = row.constrained
        self.words.append(row.fresh)
        self.parents.append(self.address)
        self.data.append(self.output)
        for mechanism in row.mechanisms:
            if mechanism == CONTENT:
                return next((self.words.index(w) for w in row.preference if w in self.words), None)
            address = self._named(mechanism)
            if address >= 0:
                return address
        return None

    def _named(self, mechanism: int) -> int:
        """The address that a link names, relative to the one read last."""
        if self.address == NONE:
            return NONE
        return {
            FORWARD: self.address + 1,
            BACKWARD: self.address - 1,
            USAGE_FORWARD: len(self.words) - 1,
            USAGE_BACKWARD: self.parents[self.address],
        }[mechanism]

    def _status(self, phase: Phase, op: int) -> ProgramStatus:
        if phase == Phase.SEARCH:
            return ProgramStatus.STOPPED_WITHOUT_GOAL if op == NOP else ProgramStatus.RUNNING
        backtracks = ALGORITHMS[self.program.task].backtracks
        finished = self.output == self.task.start if backtracks else op == NOP
        return ProgramStatus.FINISHED if finished else ProgramStatus.RUNNING


def run_twin(
    program: Program, task: PlanningTask, *, max_ticks: int, on_tick: Callable[[TwinTick], None]
) -> ProgramOutcome:
    """What `nhc.program.engine.run_program` gives, in plain Python; any world that has a name will do."""
    twin = Twin(program, task.world, task, task.start)
    ticks, checksum = 0, 0
    emitted: list[AnyState] = []
    for tick in twin.ticks(max_ticks):
        ticks += 1
        checksum = (checksum * MIX + 8 * tick.address + tick.op) % 2**64
        if twin.met_at is not None:
            emitted.append(tick.data)
        on_tick(tick)
    return ProgramOutcome(twin.status, ticks, twin.met_at, _batch(task.start, emitted), checksum)


def twin_trace(program: Program, task: PlanningTask, *, max_ticks: int) -> ProgramTrace:
    """What `nhc.program.engine.trace_program` gives, in plain Python."""
    ticks: list[TwinTick] = []
    outcome = run_twin(program, task, max_ticks=max_ticks, on_tick=ticks.append)
    address, op, word = (np.array([tick[i] for tick in ticks], np.int64) for i in range(3))
    return ProgramTrace(address, op, word, outcome)


def _batch(kind: AnyState, states: list[AnyState]) -> AnyState:
    """The states as one batch of arrays."""
    columns = [[state[i] for state in states] for i in range(len(kind))]
    return type(kind)(*(np.array(column, np.uint64) for column in columns))
