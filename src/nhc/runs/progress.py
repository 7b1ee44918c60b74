"""Progress of long work for the person who waits: a table redrawn on a terminal, else a line now and then.

Everything goes to the given stream, normally standard error, so that standard output stays data.
"""

import sys
import time
from collections import deque
from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple, Protocol, TextIO, runtime_checkable

from rich.console import Console
from rich.live import Live
from rich.table import Table

Clock = Callable[[], float]

LINE_INTERVAL = 5.0
LIVE_INTERVAL = 0.1
RATE_WINDOW = 10.0
"""Seconds over which rates are taken: phases differ in speed, so the present rate tells more."""


class Standing(NamedTuple):
    """Where some work stands."""

    fields: tuple[tuple[str, str], ...]
    """Names and values to show, in order."""
    done: int | float
    """Units of work, of whatever kind."""
    left: int | float
    """At most so many units are still to come."""
    totals: tuple[tuple[str, int | float], ...] = ()
    """Growing counts that are shown as rates, for example `ticks` as `ticks/s`."""
    phase: str = ""
    """Rates and the time left begin anew with each phase, whose first standing is shown at once."""
    good: bool = False
    """Is all as it should be in the end? Shown in green."""


@runtime_checkable
class Progress(Protocol):
    """Told where the work stands; closed once at the end, also after an interrupt."""

    def update(self, standing: Standing) -> None:
        """Take note, and show it if it is time."""
        ...

    def say(self, text: str) -> None:
        """Show a line at once, whatever else is shown."""
        ...

    def close(self) -> None:
        """Show where the work ended; more calls do nothing."""
        ...


class Meter:
    """The newest standing, and the rates of its phase over the last ten seconds.

    A rate needs two standings, so the first one with its compilation does not count.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._start = clock()
        self._recent: deque[tuple[float, Standing]] = deque()

    def note(self, standing: Standing) -> float:
        """Take a standing; returns the time."""
        now = self._clock()
        if self._recent and (self.newest.phase != standing.phase or standing.done < self.newest.done):
            self._recent.clear()
        self._recent.append((now, standing))
        # Keep one point older than the window, so that slow work has a rate too.
        while len(self._recent) > 2 and self._recent[1][0] <= now - RATE_WINDOW:
            self._recent.popleft()
        return now

    @property
    def newest(self) -> Standing:
        """The last standing."""
        return self._recent[-1][1]

    @property
    def rates(self) -> list[tuple[str, float | None]]:
        """Each total a second; None before there are two standings."""
        (before, first), (now, last) = self._recent[0], self._recent[-1]
        old = dict(first.totals)
        return [
            (name, (total - old.get(name, total)) / (now - before) if now > before else None)
            for name, total in last.totals
        ]

    @property
    def left(self) -> float | None:
        """Seconds left at the present rate of work; None before there is one."""
        (before, first), (now, last) = self._recent[0], self._recent[-1]
        done = last.done - first.done
        return None if done <= 0 else last.left * (now - before) / done

    @property
    def shown(self) -> list[tuple[str, str]]:
        """Names and values, in order."""
        rates = [(f"{name}/s", _rate(value)) for name, value in self.rates]
        times = [("elapsed", duration(self._recent[-1][0] - self._start)), ("left", duration(self.left))]
        return [*self.newest.fields, *rates, *times]


class SilentProgress:
    """Shows nothing but what is said."""

    def update(self, standing: Standing) -> None:
        """Do nothing."""

    def say(self, text: str) -> None:
        """Write the line to standard error: it is a warning."""
        print(text, file=sys.stderr)

    def close(self) -> None:
        """Do nothing."""


class _Paced:
    """Shows at most one standing an interval, the first of each phase at once."""

    interval: float

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._meter = Meter(clock)
        self._next = float("-inf")
        self._phase: str | None = None
        self._pending = self._closed = False

    def update(self, standing: Standing) -> None:
        """Show it if the last one is old enough; the last one of a phase is shown before the next begins."""
        if self._phase not in (None, standing.phase):
            self._flush()
        now = self._meter.note(standing)
        self._pending = True
        if not self._closed and (now >= self._next or self._phase != standing.phase):
            self._next = now + self.interval
            self._flush()
        self._phase = standing.phase

    def note(self, standing: Standing) -> None:
        """Take note for the rates, and show nothing: it is past."""
        self._meter.note(standing)
        self._phase = standing.phase

    def _flush(self) -> None:
        if self._pending:
            self._pending = False
            self._show()

    def _show(self) -> None:
        raise NotImplementedError


class LineProgress(_Paced):
    """Plain lines: the first, at most one every five seconds, and the last."""

    interval = LINE_INTERVAL

    def __init__(self, stream: TextIO, clock: Clock = time.monotonic) -> None:
        super().__init__(clock)
        self._stream = stream

    def say(self, text: str) -> None:
        """A line of its own."""
        self._stream.write(text + "\n")
        self._stream.flush()

    def close(self) -> None:
        """Print the last standing unless its line is there already."""
        self._flush()
        self._closed = True

    def _show(self) -> None:
        self.say("  ".join(f"{name} {value}" for name, value in self._meter.shown))


class LiveProgress(_Paced):
    """A table of one row that is redrawn in place; it stays on the screen at the end."""

    interval = LIVE_INTERVAL

    def __init__(self, console: Console, clock: Clock = time.monotonic) -> None:
        super().__init__(clock)
        # Without redirection: what others print to standard output must not move to this console.
        self._live = Live(
            console=console, auto_refresh=False, redirect_stdout=False, redirect_stderr=False, transient=False
        )

    def say(self, text: str) -> None:
        """A line above the table."""
        self._live.console.print(text, markup=False, highlight=False)

    def close(self) -> None:
        """Draw the last standing and give the terminal back."""
        if self._live.is_started:
            self._flush()
            self._live.stop()
        self._closed = True

    def _show(self) -> None:
        self._live.start()
        table = Table(box=None, pad_edge=False, header_style="dim")
        for name, _ in self._meter.shown:
            table.add_column(name, justify="right", no_wrap=True)
        table.add_row(
            *(value for _, value in self._meter.shown), style="green" if self._meter.newest.good else ""
        )
        self._live.update(table, refresh=True)


def progress_on(stream: TextIO, clock: Clock = time.monotonic) -> LineProgress | LiveProgress:
    """Live on a terminal that can move its cursor, lines elsewhere.

    Colours follow the environment (NO_COLOR, TERM), as rich reads it.
    """
    if not stream.isatty():
        return LineProgress(stream, clock)
    console = Console(file=stream)
    return LineProgress(stream, clock) if console.is_dumb_terminal else LiveProgress(console, clock)


def progress_unless(quiet: bool) -> Progress:
    """What a person who waits sees on standard error."""
    return SilentProgress() if quiet else progress_on(sys.stderr)


def warning(code: str, text: str) -> str:
    """A line that tells of something that need not be a fault; docs/errors.md lists the codes."""
    return f"warning: {text} [{code}]"


def duration(seconds: float | None) -> str:
    """As hours, minutes and seconds; a dash for None."""
    return "-" if seconds is None else str(timedelta(seconds=round(seconds)))


def _rate(per_second: float | None) -> str:
    if per_second is None:
        return "-"
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if per_second >= 0.9995 * size:
            return f"{per_second / size:.3g}{unit}"
    return f"{per_second:.3g}"
