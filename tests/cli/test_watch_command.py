"""`nhc watch`: what it shows of a run that goes on, has ended, or is none."""

import json
import shutil
import threading
from pathlib import Path

import pytest

from nhc.cli import watch_command
from nhc.runs.progress import SilentProgress
from nhc.training.keeping import train_in_directory
from nhc.training.watching import WatchedRun
from tests.cli.command import Command
from tests.training.small import config

TIMES = [(4, 2.0, 400), (8, 4.0, 1400), (12, 6.0, 3400)]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of twelve iterations, whose log was written at three times."""
    path = tmp_path_factory.mktemp("runs") / "search-seed8"
    train_in_directory(config(budget=12), path, SilentProgress())
    write_times(path, TIMES)
    return path


@pytest.fixture
def folder(finished: Path, tmp_path: Path) -> Path:
    """A copy that a test may change."""
    return Path(shutil.copytree(finished, tmp_path / "runs" / "one"))


def write_times(path: Path, times: list[tuple[int, float, int]]) -> None:
    lines = [{"iteration": number, "elapsed_s": seconds, "ticks": ticks} for number, seconds, ticks in times]
    (path / "timing.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def set_status(path: Path, status: str) -> None:
    WatchedRun(path).directory.update_meta({"status": status})


def test_the_present_state(nhc: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = nhc("watch", folder)
    assert (done.code, done.err) == (0, "")
    first, line, last = done.out.splitlines()
    assert first == f"Learning to search, seed 8: {folder}"
    records = [json.loads(text) for text in (folder / "metrics.jsonl").read_text().splitlines()]
    shown = f"iteration 12/12  level 1/3  fitness {records[-1]['fitness']:.2f}/120"
    assert line.startswith(shown) and f"learning {records[-1]['learning_iterations']}" in line
    assert "ticks/s 750" in line, "3,000 ticks in the last 4 seconds of the run, not of the watch"
    assert "elapsed 0:00:06" in line
    assert last == "finished: level 1 was reached within the budget"
    monkeypatch.chdir(folder.parents[1])
    assert nhc("watch").out == done.out.replace(str(folder), "runs/one"), "the newest run by default"


def test_once_does_not_wait(nhc: Command, folder: Path) -> None:
    set_status(folder, "running")
    assert nhc("watch", folder, "--once").out.splitlines()[-1] == "running"
    (folder / "timing.jsonl").unlink()
    (folder / "metrics.jsonl").unlink()
    done = nhc("watch", folder, "--once")
    assert (done.code, done.out.splitlines()[1:]) == (0, ["No iteration is logged so far.", "running"])


def test_it_follows_until_the_run_ends(nhc: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread plays the run."""
    monkeypatch.setattr(watch_command, "REFRESH", 0.01)
    monkeypatch.setattr(watch_command, "SILENCE", 0.02)
    set_status(folder, "running")
    write_times(folder, TIMES[:1])

    def end() -> None:
        write_times(folder, [*TIMES[:2], (12, 12.0, 3400)])
        set_status(folder, "interrupted")

    timer = threading.Timer(0.4, end)
    timer.start()
    _, *lines, last = nhc("watch", folder).out.splitlines()
    timer.join()
    assert [line.split()[:2] for line in lines if line.startswith("iteration")] == [
        ["iteration", "4/12"],
        ["iteration", "12/12"],
    ]
    assert sum("No news" in line for line in lines) == 1
    assert last == "interrupted"


def test_news_are_told_once_and_a_resumed_process_counts_anew(folder: Path) -> None:
    watched = WatchedRun(folder)
    assert [look.standing.done for look in watched.news()] == [4, 8, 12]
    assert watched.news() == []
    write_times(folder, [*TIMES[:2], (9, 1.0, 50), (12, 2.0, 90)])
    (resumed,) = watched.news()
    assert resumed.standing.totals == (("ticks", 90),)
    phases = [look.standing.phase for look in WatchedRun(folder).news()]
    assert phases == ["0", "0", "1", "1"]


def test_what_is_no_run_is_refused(nhc: Command, folder: Path, tmp_path: Path) -> None:
    assert nhc("watch", tmp_path).error_code == "run.missing"
    assert nhc("watch", tmp_path / "nowhere").error_code == "run.missing"
    (folder / "metrics.jsonl").write_text('{"iteration": 12}\n')
    assert nhc("watch", folder, "--once").error_code == "run.damaged"
    (folder / "config.toml").write_text('task = "juggling"\n')
    assert nhc("watch", folder).error_code == "watch.run"
