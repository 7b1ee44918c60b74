"""The data of a run, replayed beside its trace: control never sees them, but a person wants to.

A trace says which cells were written and read and which operation was chosen; the rules of the world, or of
the algorithm's tape, give the rest.
"""

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np

from nhc.algorithms.sequence.grammar import NOTATIONS
from nhc.algorithms.sequence.notation import AnyAsked
from nhc.algorithms.tape import NOTHING, OVERFLOW, POSITION, TapeAlgorithm
from nhc.domains.protocol import NOP
from nhc.domains.registry import AnyState
from nhc.domains.stacking import Stacking
from nhc.domains.states import plain
from nhc.runs.behaviour import ARROWS
from nhc.runs.trace import Trace
from nhc.shapes import NONE
from nhc.tasks.planning import PlanningTask

VERDICTS = ("brackets", "counts")
"""Algorithms whose output is one word, 1 or 0."""
LONGEST = 16
"""Operations that are shown of a way."""
SIGNS = (*ARROWS[:NOP], "·")
"""Of operations, each a single sign."""


class Replay(ABC):
    """What the ticks of a run, from 1, stored, read and made."""

    def __init__(self, made: Trace) -> None:
        self.made = made
        self.born = [int(t) + 1 for t in np.flatnonzero(made.written != NONE)]
        """By cell: the tick that wrote it."""

    def cells_at(self, tick: int) -> int:
        """How many cells there are after a tick."""
        return int((self.made.written[:tick] != NONE).sum())

    def op_text(self, op: int) -> str:
        """An operation as a person reads it."""
        return self.made.ops[op]

    @abstractmethod
    def cell(self, cell: int) -> str:
        """The data of a cell in a few words."""

    @property
    @abstractmethod
    def ending(self) -> str:
        """What came of the run, if it ended."""


class PlanningReplay(Replay):
    """States of a world."""

    def __init__(self, made: Trace, task: PlanningTask) -> None:
        super().__init__(made)
        self.task = task
        self.states = [plain(task.start)]
        """By tick: the state that it made, which the next one could store; at first the start."""
        for tick, op in enumerate(made.op.tolist(), start=1):
            self.states.append(self._applied(op, tick))

    def op_text(self, op: int) -> str:
        """With a sign before its name: an arrow, or the place in worlds that have places."""
        sign = str(op) if isinstance(self.task.world, Stacking) and op != NOP else SIGNS[op]
        return f"{sign} {self.made.ops[op]}"

    def _applied(self, op: int, tick: int) -> AnyState:
        before = self.read_at(tick)
        if before is None:
            return self.states[-1]
        return before if op == NOP else plain(self.task.world.step(before, op))

    def read_at(self, tick: int) -> AnyState | None:
        """The state that a tick read."""
        cell = int(self.made.read[tick - 1])
        return None if cell == NONE else self.states[self.born[cell] - 1]

    def cell(self, cell: int) -> str:
        """The operations that lead to it from the start."""
        signs = ""
        while cell != NONE and self.born[cell] > 1 and len(signs) <= LONGEST:
            maker = self.born[cell] - 2
            signs = self.op_text(int(self.made.op[maker]))[0] + signs
            cell = int(self.made.read[maker])
        return f"…{signs[1:]}" if len(signs) > LONGEST else signs or "start"

    @property
    def met_at(self) -> int | None:
        """The tick that saw the goal."""
        met = np.flatnonzero(self.made.signals[:, 1] > 0)
        return int(met[0]) + 1 if len(met) else None

    @property
    def ending(self) -> str:
        """The plan, if the cells on the way back lead from the start to the goal."""
        if self.met_at is None:
            return "the goal was not met"
        cells = self.made.read[self.met_at - 1 :][::-1].tolist()
        ops, state = list[int](), plain(self.task.start)
        for cell in cells[1:]:
            ops.append(int(self.made.op[self.born[cell] - 2]))
            state = plain(self.task.world.step(state, ops[-1]))
        leads = cells[0] == 0 and self.task.is_met(state)
        return f"plan: {' '.join(self.op_text(op)[0] for op in ops)}" if leads else "goal met"


class TapeReplay(Replay):
    """Words of a tape."""

    def __init__(self, made: Trace, algorithm: TapeAlgorithm[object], asked: AnyAsked) -> None:
        super().__init__(made)
        self.asked, self._algorithm = asked, algorithm
        self.tape, registers = algorithm.load(asked.instance)
        self.positions: list[int] = []
        """By tick: how many words of the input were shown."""
        self.written: list[int] = []
        """By tick: how many words were written by then."""
        self.stored: list[int] = []
        """By tick: the word that could be stored."""
        self._output: list[int] = []
        for op, read in zip(made.op.tolist(), made.read.tolist(), strict=True):
            self.stored.append(int(algorithm.functions.observe(self.tape, registers)[1]))
            self.positions.append(int(registers[POSITION]))
            word = algorithm.functions.act(op, self.stored[self.born[read] - 1], self.tape, registers)
            self._output += [] if word == NOTHING else [int(word)]
            self.written.append(len(self._output))
        self._too_large = bool(registers[OVERFLOW])

    @cached_property
    def input(self) -> list[str]:
        """The words of the tape, as a person reads them."""
        return [self.asked.name(int(word)) for word in self.tape]

    def output_at(self, tick: int) -> list[str]:
        """What was written by then."""
        words = self._output[: self.written[tick - 1]]
        if self._algorithm.name in VERDICTS:
            return ["yes" if word else "no" for word in words]
        return [*map(self.asked.name, words)]

    def cell(self, cell: int) -> str:
        """The word."""
        return self.asked.name(self.stored[self.born[cell] - 1])

    @property
    def ending(self) -> str:
        """The answer."""
        if self._too_large:
            return "a number got too large"
        answer = self._algorithm.answer(tuple(self._output))
        return f"answer: {NOTATIONS[self._algorithm.name].show(answer, self.asked) or 'nothing'}"
