"""Progress: right numbers, at a bearable pace, on the right stream."""

import io
import sys

import pytest
from rich.console import Console

from nhc.runs.meter import Meter, Pace, Snapshot, remaining_iterations
from nhc.runs.progress import LineProgress, LiveProgress, Progress, SilentProgress, progress_on


class Stream(io.StringIO):
    """A file in memory."""

    name = "stream"
    mode = "w"


class Terminal(Stream):
    """A terminal in memory."""

    def isatty(self) -> bool:
        return True


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def snapshot(iteration: int, *, level: int = 3, streak: int = 0, fitness: float = 37.5) -> Snapshot:
    return Snapshot(
        iteration=iteration,
        budget=1000,
        level=level,
        levels=5,
        fitness=fitness,
        maximum=150.0,
        streak=streak,
        streak_to_solve=50,
        learning_iterations=7,
        restarts=1,
        ticks=2000 * iteration,
    )


def test_remaining_iterations() -> None:
    assert remaining_iterations(snapshot(100)) == 900
    assert remaining_iterations(snapshot(100, streak=20)) == 3 * 50 - 20
    # A streak that was just counted to its end is still perfect.
    assert remaining_iterations(snapshot(100, level=4, fitness=150.0)) == 2 * 50
    assert remaining_iterations(snapshot(950, streak=20)) == 50
    assert remaining_iterations(snapshot(100, level=5, streak=50)) == 0
    assert remaining_iterations(snapshot(1001)) == 0


def test_rates_and_time_left() -> None:
    clock = Clock()
    meter = Meter(clock)
    with pytest.raises(ValueError):
        _ = meter.newest
    clock.now += 60  # compilation
    meter.note(snapshot(1))
    assert (meter.elapsed, meter.ticks_per_second, meter.left) == (60, None, None)
    clock.now += 4
    meter.note(snapshot(11))
    assert meter.ticks_per_second == 2000 * 10 / 4
    assert meter.left == (1000 - 11) * 4 / 10
    meter.note(snapshot(11))
    assert meter.elapsed == 64


def test_rates_are_the_present_ones() -> None:
    clock = Clock()
    meter = Meter(clock)
    for iteration in range(1, 101):
        clock.now += 0.5
        meter.note(snapshot(iteration))
    for iteration in range(101, 121):
        clock.now += 2
        meter.note(snapshot(iteration, streak=10))
    assert meter.ticks_per_second == 1000
    assert meter.left == 140 * 2
    clock.now += 30
    meter.note(snapshot(121))
    assert meter.ticks_per_second == pytest.approx(2000 / 30)


def test_the_window_reaches_back_at_least_ten_seconds() -> None:
    clock = Clock()
    meter = Meter(clock)
    for later, iteration in ((0, 1), (9, 2), (2, 10), (1, 11)):
        clock.now += later
        meter.note(snapshot(iteration))
    assert meter.ticks_per_second == pytest.approx(2000 * 10 / 12)
    clock.now += 8  # the second snapshot is now older than ten seconds, so the first is not needed
    meter.note(snapshot(12))
    assert meter.ticks_per_second == pytest.approx(2000 * 10 / 11)


def test_pace() -> None:
    pace = Pace(5.0)
    assert [pace.due(now) for now in (0.0, 1.0, 4.9, 5.0, 9.9, 17.0, 21.0, 22.0)] == [
        True,
        False,
        False,
        True,
        False,
        True,
        False,
        True,
    ]


def test_plain_lines() -> None:
    stream, clock = io.StringIO(), Clock()
    progress = LineProgress(stream, clock)
    for iteration in range(1, 13):
        progress.update(snapshot(iteration))
        clock.now += 1
    progress.close()
    progress.close()
    lines = stream.getvalue().splitlines()
    assert [line.split()[1] for line in lines] == ["1/1000", "6/1000", "11/1000", "12/1000"]
    assert lines[-1] == (
        "iteration 12/1000  level 3/5  fitness 37.50/150  learning 7  restarts 1  ticks/s 2k"
        "  elapsed 0:00:11  left 0:16:28"
    )
    assert lines[0].endswith("ticks/s -  elapsed 0:00:00  left -")


def test_nothing_happened_nothing_shown() -> None:
    streams = [io.StringIO(), Terminal()]
    shown: list[Progress] = [LineProgress(streams[0]), LiveProgress(Console(file=streams[1]))]
    for progress in shown:
        progress.close()
    assert [stream.getvalue() for stream in streams] == ["", ""]


def test_live_table(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    stream, clock = Terminal(), Clock()
    progress = LiveProgress(Console(file=stream), clock)
    for iteration in range(1, 41):
        progress.update(snapshot(iteration, streak=iteration, fitness=150.0))
        clock.now += 0.05
        if iteration == 20:
            print("data")
    progress.close()
    progress.close()
    progress.update(snapshot(99))
    text = stream.getvalue()
    assert "\x1b[32m" in text and text.endswith("\x1b[?25h")  # green, and the cursor is back
    assert "40/1000" in text and "39/1000" in text and "38/1000" not in text and "99/1000" not in text
    assert "\u2026" not in text  # nothing is cut off at 80 columns
    assert text.count("iteration") <= 22
    assert capsys.readouterr() == ("data\n", "")


def test_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    stream = Terminal()
    progress = progress_on(stream)
    progress.update(snapshot(1, streak=1))
    progress.close()
    assert isinstance(progress, LiveProgress)
    assert "1/1000" in stream.getvalue() and "\x1b[32m" not in stream.getvalue()


def test_choice_by_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    assert isinstance(progress_on(Stream()), LineProgress)
    assert isinstance(progress_on(Terminal()), LiveProgress)
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(progress_on(Terminal()), LineProgress)


def test_silence(capsys: pytest.CaptureFixture[str]) -> None:
    progress: Progress = SilentProgress()
    progress.update(snapshot(1))
    progress.close()
    assert capsys.readouterr() == ("", "")
    assert sys.stderr is not None


@pytest.mark.parametrize(
    ("ticks", "shown"),
    [
        (0, "0"),
        (999, "999"),
        (999.4, "999"),
        (999.6, "1k"),
        (1234, "1.23k"),
        (70_900_000, "70.9M"),
        (3e9, "3G"),
    ],
)
def test_rates_are_short(ticks: float, shown: str) -> None:
    stream, clock = io.StringIO(), Clock()
    progress = LineProgress(stream, clock)
    progress.update(snapshot(1)._replace(ticks=0))
    clock.now += 10
    progress.update(snapshot(2)._replace(ticks=round(10 * ticks)))
    assert f"ticks/s {shown}  " in stream.getvalue().splitlines()[-1]
