"""`nhc train --seeds`: several runs in worker processes, each equal to the run by itself."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nhc.runs.progress import SilentProgress
from nhc.training.keeping import train_in_directory
from tests.cli.command import Command
from tests.cli.test_train_command import KEYS, kept
from tests.training.processes import ROOT, environment, python
from tests.training.small import arguments, config

SEEDS = (8, 11)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("seeds")


def several(folder: Path, *more: object, **changes: object) -> list[object]:
    options = [option for option in arguments(**changes) if option]
    at = options.index("--seed")
    return ["train", *options[:at], *options[at + 2 :], "--seeds", "8,11", "--out", folder, *more]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of workers, after a run that left its compiled code for them."""
    env, path = environment(tmp_path_factory), tmp_path_factory.mktemp("compiled") / "run"
    done = python("-m", "tests.cli.interruptible", "train", *arguments(), "--out", str(path), env=env)
    assert done.returncode == 0, done.stderr
    return env


@pytest.fixture
def workers(nhc: Command, monkeypatch: pytest.MonkeyPatch, compiled: dict[str, str]) -> Command:
    """Runs commands with worker processes, which set their own flags."""
    for name, value in compiled.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("XLA_FLAGS")
    return nhc


def test_workers_do_what_single_runs_do(workers: Command, folder: Path, tmp_path: Path) -> None:
    done = workers(*several(folder, "--jobs", "2", "--json"))
    assert done.code == 0
    assert [summary["seed"] for summary in done.data] == list(SEEDS)
    assert all(list(summary) == KEYS and summary["mastered"] for summary in done.data)
    for seed in SEEDS:
        train_in_directory(config(seed=seed), tmp_path / f"{seed}", SilentProgress())
        assert kept(folder / f"search-seed{seed}") == kept(tmp_path / f"{seed}")
    pictures = sorted(path.name for path in folder.iterdir() if path.is_file())
    assert pictures == ["search-seeds.png", "search-seeds.svg"]
    lines = done.err.splitlines()
    assert lines[0] == f"Learning to search: 2 runs in {folder}, 2 at a time"
    assert sorted(line.split(":")[0] for line in lines[1:3]) == ["  seed 11", "  seed 8"]
    assert "2/2 done" in lines[2]
    assert lines[3] == f"Picture: {folder / 'search-seeds.png'}"


def test_finished_runs_are_not_repeated_on_resume(workers: Command, folder: Path) -> None:
    before = {
        path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.glob("*/*") if path.is_file()
    }
    assert before
    options = several(folder)
    at = options.index("--out")
    done = workers(*options[:at], "--resume", folder, "--json", "--quiet", "--jobs", "1")
    assert (done.code, [summary["seed"] for summary in done.data]) == (0, list(SEEDS))
    after = {
        path: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.glob("*/*") if path.is_file()
    }
    assert after == before


def test_runs_that_exist_are_refused_with_the_code(workers: Command, folder: Path) -> None:
    """An error in a worker is reported like one in this process."""
    before = [kept(folder / f"search-seed{seed}") for seed in SEEDS]
    done = workers(*several(folder, "--jobs", "1"))
    assert (done.code, done.out, done.error_code) == (2, "", "run.exists")
    assert [kept(folder / f"search-seed{seed}") for seed in SEEDS] == before


def test_overwrite_repeats_them(workers: Command, folder: Path) -> None:
    done = workers(*several(folder, "--jobs", "1", "--overwrite", "--quiet", budget=25))
    assert done.code == 1
    assert done.out.startswith("0 of 2 mastered all levels")
    logs = [kept(folder / f"search-seed{seed}")[0].splitlines() for seed in SEEDS]
    assert [len(log) for log in logs] == [25, 25]


def test_ctrl_c_ends_the_running_ones_and_begins_no_others(tmp_path: Path, compiled: dict[str, str]) -> None:
    """As a terminal does it: the signal goes to the command and its workers alike."""
    options = several(
        tmp_path, "--jobs", "1", "--quiet", **{"budget": 20_000, "curriculum.solved-after": 20_000}
    )
    options[options.index("8,11")] = "8..11"
    command = [sys.executable, "-m", "tests.cli.interruptible", *map(str, options)]
    process = subprocess.Popen(
        command,
        env=compiled,
        cwd=ROOT,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        log, deadline = tmp_path / "search-seed8" / "metrics.jsonl", time.monotonic() + 60
        while not log.exists():
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)
        try:
            out, err = process.communicate(timeout=25)
        except subprocess.TimeoutExpired:
            pytest.fail("runs went on after Ctrl-C")
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-1] == "interrupted"
    assert json.loads((log.parent / "meta.json").read_text())["status"] == "interrupted"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["search-seed8"], "no other run was begun"
