"""Progress: right numbers, at a bearable pace, on the right stream."""

import io
import sys

import pytest
from rich.console import Console

from nhc.runs.progress import (
    LineProgress,
    LiveProgress,
    Meter,
    Progress,
    SilentProgress,
    Standing,
    progress_on,
)


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


def standing(iteration: int, *, left: int | None = None, phase: str = "", good: bool = False) -> Standing:
    fields = (("iteration", f"{iteration}/1000"), ("level", "3/5"))
    return Standing(
        fields,
        done=iteration,
        left=1000 - iteration if left is None else left,
        totals=(("ticks", 2000 * iteration),),
        phase=phase,
        good=good,
    )


def test_rates_and_time_left() -> None:
    clock = Clock()
    meter = Meter(clock)
    clock.now += 60  # compilation
    meter.note(standing(1))
    assert (meter.rates, meter.left) == ([("ticks", None)], None)
    clock.now += 4
    meter.note(standing(11))
    assert meter.rates == [("ticks", 2000 * 10 / 4)]
    assert meter.left == (1000 - 11) * 4 / 10
    meter.note(standing(11))
    assert dict(meter.shown)["elapsed"] == "0:01:04"


def test_rates_are_the_present_ones() -> None:
    clock = Clock()
    meter = Meter(clock)
    for iteration in range(1, 101):
        clock.now += 0.5
        meter.note(standing(iteration))
    for iteration in range(101, 121):
        clock.now += 2
        meter.note(standing(iteration, left=140))
    assert meter.rates == [("ticks", 1000)]
    assert meter.left == 140 * 2
    clock.now += 30
    meter.note(standing(121))
    assert meter.rates == [("ticks", pytest.approx(2000 / 30))]


def test_the_window_reaches_back_at_least_ten_seconds() -> None:
    clock = Clock()
    meter = Meter(clock)
    for later, iteration in ((0, 1), (9, 2), (2, 10), (1, 11)):
        clock.now += later
        meter.note(standing(iteration))
    assert meter.rates == [("ticks", pytest.approx(2000 * 10 / 12))]
    clock.now += 8  # the second standing is now older than ten seconds, so the first is not needed
    meter.note(standing(12))
    assert meter.rates == [("ticks", pytest.approx(2000 * 10 / 11))]


def test_each_phase_has_its_own_rates_and_is_shown_at_once() -> None:
    stream, clock = io.StringIO(), Clock()
    progress = LineProgress(stream, clock)
    for iteration, phase in ((1, "a"), (2, "a"), (1, "b"), (2, "b")):
        progress.update(standing(iteration, phase=phase))
        clock.now += 1
    progress.say("a word")
    progress.close()
    lines = stream.getvalue().splitlines()
    assert [line.split()[1] for line in lines] == ["1/1000", "2/1000", "1/1000", "word", "2/1000"]
    assert "left -" in lines[2] and "left 0:16:38" in lines[4]


def test_plain_lines() -> None:
    stream, clock = io.StringIO(), Clock()
    progress = LineProgress(stream, clock)
    for iteration in range(1, 13):
        progress.update(standing(iteration))
        clock.now += 1
    progress.close()
    progress.close()
    lines = stream.getvalue().splitlines()
    assert [line.split()[1] for line in lines] == ["1/1000", "6/1000", "11/1000", "12/1000"]
    assert lines[-1] == ("iteration 12/1000  level 3/5  ticks/s 2k  elapsed 0:00:11  left 0:16:28")
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
        progress.update(standing(iteration, good=True))
        clock.now += 0.05
        if iteration == 20:
            print("data")
    progress.close()
    progress.close()
    progress.update(standing(99))
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
    progress.update(standing(1, good=True))
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
    progress.update(standing(1))
    progress.close()
    assert capsys.readouterr() == ("", "")
    progress.say("but a warning")
    assert capsys.readouterr() == ("", "but a warning\n")
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
    progress.update(standing(1)._replace(totals=(("ticks", 0),)))
    clock.now += 10
    progress.update(standing(2)._replace(totals=(("ticks", round(10 * ticks)),)))
    assert f"ticks/s {shown}  " in stream.getvalue().splitlines()[-1]
