"""Progress of the data modules: one line redrawn on a terminal, else a line now and then."""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple, Protocol, TextIO, runtime_checkable

from nhc.runs.meter import Clock, Pace
from nhc.runs.progress import LINE_INTERVAL, LIVE_INTERVAL

WIDTH = 118
"""Characters of the redrawn line; a line that wraps could not be redrawn."""


class Standing(NamedTuple):
    """What is shown of a module; None for what is not known yet."""

    module: str
    updates: int
    budget: int
    loss: float | None
    fresh: int
    """Rows of the last round."""
    errors: int | None
    """Of these."""
    check_errors: int | None
    """Errors of the last check."""
    coverage: float | None
    """Fresh rows so far as a share of the family, at most 1; None if the family has no known size."""
    checked: float | None = None
    """Share of the family that the check in progress has run."""


@runtime_checkable
class ModulesProgress(Protocol):
    """Told of every round and of the parts of checks; closed once at the end, also after an interrupt."""

    def update(self, standing: Standing) -> None:
        """Take note, and show it if it is time."""
        ...

    def close(self) -> None:
        """Show where the run ended."""
        ...


class SilentModulesProgress:
    """Shows nothing."""

    def update(self, standing: Standing) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class StreamModulesProgress:
    """Writes to a stream: at most a line an interval, redrawn in place if `live`."""

    def __init__(self, write: Callable[[str], None], live: bool, clock: Clock = time.monotonic) -> None:
        self._write, self._live, self._clock = write, live, clock
        self._pace = Pace(LIVE_INTERVAL if live else LINE_INTERVAL)
        self._began: tuple[str, bool, float, float] | None = None
        self._pending: str | None = None

    def update(self, standing: Standing) -> None:
        """Show it if the last line is old enough, and always the first of a module."""
        now = self._clock()
        new = self._began is None or self._began[0] != standing.module
        if new:
            self.close()
        phase = (standing.module, standing.checked is not None)
        done = _done(standing)
        if self._began is None or self._began[:2] != phase:
            self._began = (*phase, now, done)
        self._pending = text(standing, _left(now - self._began[2], self._began[3], done))
        if self._pace.due(now) or new:
            self._show("")

    def close(self) -> None:
        """Leave the last line on the screen."""
        if self._live and self._began is not None:
            self._show("\n")
        elif self._pending is not None:
            self._show("")

    def _show(self, end: str) -> None:
        line = self._pending or ""
        if self._live:
            self._write(("\r" + line[:WIDTH].ljust(WIDTH) if self._pending else "") + end)
        else:
            self._write(line + "\n")
        self._pending = None if not self._live or end else line


def modules_progress_on(stream: TextIO) -> ModulesProgress:
    """Redrawn on a terminal, lines elsewhere."""

    def write(part: str) -> None:
        stream.write(part)
        stream.flush()

    return StreamModulesProgress(write, stream.isatty())


def text(standing: Standing, left: float | None) -> str:
    """One line."""
    parts = [f"{standing.module:<11}", f"updates {standing.updates}"]
    if standing.loss is not None:
        parts.append(f"loss {standing.loss:.5f}")
    if standing.errors is not None:
        parts.append(f"errors {standing.errors}/{standing.fresh}")
    if standing.coverage is not None:
        parts.append(f"family seen <= {100 * standing.coverage:.3g}%")
    if standing.check_errors is not None:
        parts.append(f"last check {standing.check_errors} errors")
    if standing.checked is not None:
        parts.append(f"checking {100 * standing.checked:.0f}%")
    if left is not None:
        parts.append(f"{'' if standing.checked is not None else 'at most '}{_duration(left)} left")
    return "  ".join(parts)


def _done(standing: Standing) -> float:
    """Share of the check, or of the budget, that is done."""
    return standing.updates / standing.budget if standing.checked is None else standing.checked


def _left(seconds: float, before: float, done: float) -> float | None:
    """Seconds left at the rate since this phase began; None before there is one."""
    return None if done <= before or seconds <= 0 else seconds * (1 - done) / (done - before)


def _duration(seconds: float) -> str:
    return str(timedelta(seconds=max(round(seconds), 0)))
