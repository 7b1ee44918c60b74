"""A run with all that a person may want to see of it at a tick: data, memory, program, and where to stop."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from nhc.errors import ConfigError
from nhc.model import Model
from nhc.program.control import Control, Shown
from nhc.program.table import word_code, word_signs
from nhc.runs.trace import Trace
from nhc.shapes import NONE
from nhc.viewer.learned import Line, Program, Section, program_lines, state_key
from nhc.viewer.replay import PlanningReplay, Replay


class Wanted(NamedTuple):
    """Where to stop; see `breaksAt` of the page."""

    signals: bool = True
    """Where the signals change: for search and plan, where the goal is seen."""
    mechanism: bool = False
    """Where another mechanism wins than at the tick before."""
    word: str = ""
    """Where a word of this name is read."""


@dataclass(frozen=True, eq=False)
class Scene:
    """One run. Ticks count from 1."""

    name: str
    """Of the model, as it was asked for."""
    model: Model
    replay: Replay
    failure: str = ""
    """Why the run did not come to its end, after `The run`."""

    @cached_property
    def visits(self) -> list[list[int]]:
        """By cell: the ticks that read it."""
        visits: list[list[int]] = [[] for _ in self.replay.born]
        for tick, cell in enumerate(self.made.read.tolist(), start=1):
            if cell != NONE:
                visits[cell].append(tick)
        return visits

    @property
    def made(self) -> Trace:
        """All that the machine did."""
        return self.replay.made

    @property
    def ticks(self) -> int:
        """Length of the run."""
        return self.made.ticks

    @cached_property
    def program(self) -> Program:
        """The learned program, as the page shows it."""
        return program_lines(self.model)

    @cached_property
    def lines(self) -> dict[str, tuple[Section, Line]]:
        """By state of control: the line of the program, and its section."""
        sections = self.program.sections
        return {key: (section, line) for section in sections for line in section.lines for key in line.keys}

    @property
    def is_planning(self) -> bool:
        """Are its data states of a world?"""
        return isinstance(self.replay, PlanningReplay)

    @cached_property
    def goal_at(self) -> int | None:
        """Search and plan: the tick that saw the goal."""
        return self.replay.met_at if isinstance(self.replay, PlanningReplay) else None

    def line_at(self, tick: int) -> tuple[Section, Line] | None:
        """The section and the line that a tick executes; None where there is none."""
        shown = self._shown(tick)
        bits = [shown.signals >> bit & 1 for bit in range(self.model.config.signals)]
        return self.lines.get(state_key(bits, shown.word, shown.op))

    def word_read(self, tick: int) -> int:
        """The code of the word that a tick read."""
        return word_code(self.made.word[tick - 1])

    def word_of(self, cell: int, tick: int) -> int | None:
        """The code of the word in a cell after a tick; None for a machine whose control is no table."""
        if self._control is None:
            return None
        visit = max((each for each in self.visits[cell] if each < tick), default=None)
        if visit is None:
            return self._control.decided(self._shown(self.replay.born[cell])).fresh
        return self._control.decided(self._shown(visit + 1)).constrained

    def word_name(self, code: int | None) -> str:
        """The name that the program gives to a word, or its signs."""
        if code is None:
            return "?"
        return self.program.names.get(code, word_signs(code, self.model.config.word_size))

    def stops(self, tick: int, wanted: Wanted) -> bool:
        """Does something happen at a tick at which a person wants to stop?"""
        if tick < 2:
            return False
        made, now = self.made, tick - 1
        if wanted.mechanism and made.winner[now] != made.winner[now - 1]:
            return True
        if wanted.signals and (made.signals[now] != made.signals[now - 1]).any():
            return True
        return bool(wanted.word) and self.word_name(self.word_read(tick)) == wanted.word

    @cached_property
    def _control(self) -> Control | None:
        try:
            return Control(self.model.parameters, self.model.config)
        except ConfigError:
            return None

    def _shown(self, tick: int) -> Shown:
        """The state of control at a tick."""
        signals = word_code(self.made.signals[tick - 1])  # bits, like a word's
        if tick == 1:
            return Shown(signals, NONE, NONE)
        return Shown(signals, self.word_read(tick - 1), int(self.made.op[tick - 2]))
