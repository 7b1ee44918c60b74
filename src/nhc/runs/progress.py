"""Progress of a training run for the person who waits: a live table on a terminal, else a line now and then.

Everything goes to the given stream, normally standard error, so that standard output stays data.
"""

import time
from datetime import timedelta
from typing import Protocol, TextIO, runtime_checkable

from rich.console import Console
from rich.live import Live
from rich.table import Table

from nhc.runs.meter import Clock, Meter, Pace, Snapshot

LINE_INTERVAL = 5.0
LIVE_INTERVAL = 0.1


@runtime_checkable
class Progress(Protocol):
    """Told about every iteration; closed once at the end, also after an interrupt."""

    def update(self, snapshot: Snapshot) -> None:
        """Take note of an iteration and show it if it is time."""
        ...

    def close(self) -> None:
        """Show where the run ended; more calls do nothing."""
        ...


@runtime_checkable
class TextStream(Protocol):
    """What a line needs of its stream."""

    def write(self, text: str, /) -> int:
        """Take the text; returns how many characters were taken."""
        ...

    def flush(self) -> None:
        """Show it."""
        ...


class SilentProgress:
    """Shows nothing."""

    def update(self, snapshot: Snapshot) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class LineProgress:
    """One plain line at the first iteration, at most one every five seconds, and one at the end."""

    def __init__(self, stream: TextStream, clock: Clock = time.monotonic) -> None:
        self._stream = stream
        self._meter = Meter(clock)
        self._pace = Pace(LINE_INTERVAL)
        self._pending = False

    def update(self, snapshot: Snapshot) -> None:
        """Print a line if the last one is old enough."""
        now = self._meter.note(snapshot)
        self._pending = True
        if self._pace.due(now):
            self._print()

    def close(self) -> None:
        """Print the last iteration unless its line is there already."""
        if self._pending:
            self._print()

    def _print(self) -> None:
        self._pending = False
        line = "  ".join(f"{name} {value}" for name, value in fields(self._meter))
        self._stream.write(line + "\n")
        self._stream.flush()


class LiveProgress:
    """A table of one row that is redrawn in place; it stays on the screen at the end."""

    def __init__(self, console: Console, clock: Clock = time.monotonic) -> None:
        self._meter = Meter(clock)
        self._pace = Pace(LIVE_INTERVAL)
        self._closed = False
        # Without redirection: what others print to standard output must not move to this console.
        self._live = Live(
            console=console, auto_refresh=False, redirect_stdout=False, redirect_stderr=False, transient=False
        )

    def update(self, snapshot: Snapshot) -> None:
        """Redraw if the last picture is old enough."""
        now = self._meter.note(snapshot)
        if self._pace.due(now) and not self._closed:
            self._live.start()
            self._live.update(table(self._meter), refresh=True)

    def close(self) -> None:
        """Draw the last iteration and give the terminal back."""
        if self._live.is_started:
            self._live.update(table(self._meter), refresh=True)
            self._live.stop()
        self._closed = True


def progress_on(stream: TextIO) -> Progress:
    """Live on a terminal that can move its cursor, lines elsewhere.

    Colours follow the environment (NO_COLOR, TERM), as rich reads it.
    """
    if not stream.isatty():
        return LineProgress(stream)
    console = Console(file=stream)
    return LineProgress(stream) if console.is_dumb_terminal else LiveProgress(console)


def fields(meter: Meter) -> list[tuple[str, str]]:
    """Names and values to show, in order."""
    now = meter.newest
    return [
        ("iteration", f"{now.iteration}/{now.budget}"),
        ("level", f"{now.level}/{now.levels}"),
        ("fitness", f"{now.fitness:.2f}/{now.maximum:g}"),
        ("learning", f"{now.learning_iterations}"),
        ("restarts", f"{now.restarts}"),
        ("ticks/s", _rate(meter.ticks_per_second)),
        ("elapsed", _duration(meter.elapsed)),
        ("left", _duration(meter.left)),
    ]


def table(meter: Meter) -> Table:
    """The fields as a table of one row."""
    shown = Table(box=None, pad_edge=False, header_style="dim")
    for name, _ in fields(meter):
        shown.add_column(name, justify="right", no_wrap=True)
    style = "green" if meter.newest.perfect else ""
    shown.add_row(*(value for _, value in fields(meter)), style=style)
    return shown


def _rate(per_second: float | None) -> str:
    if per_second is None:
        return "-"
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if per_second >= 0.9995 * size:
            return f"{per_second / size:.3g}{unit}"
    return f"{per_second:.3g}"


def _duration(seconds: float | None) -> str:
    return "-" if seconds is None else str(timedelta(seconds=round(seconds)))
