"""`nhc train --seeds`: several runs in worker processes, each equal to the run by itself."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nhc.runs.progress import SilentProgress
from nhc.training.keeping import train_in_directory
from tests.cli.command import Command, Done
from tests.cli.test_train_command import KEYS, kept
from tests.training.processes import ROOT, environment, python
from tests.training.small import arguments, config

SEEDS = (8, 11)
BUDGET = 80


def several(folder: Path, *more: object, **changes: object) -> list[str]:
    """Two runs at once into a folder."""
    options = arguments(**({"budget": BUDGET} | changes))
    at = options.index("--seed")
    chosen = [*options[:at], "--seeds", "8,11", *options[at + 2 :]]
    return ["train", *chosen, "--out", str(folder), *map(str, more)]


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of workers, after a run that left its compiled code for them."""
    env, path = environment(tmp_path_factory), tmp_path_factory.mktemp("compiled") / "run"
    options = [*arguments(budget=BUDGET), "--out", str(path)]
    done = python("-m", "tests.cli.interruptible", "train", *options, env=env)
    assert done.returncode == 1, done.stderr
    del env["XLA_FLAGS"]  # workers set their own
    return env


@pytest.fixture(scope="module")
def finished(compiled: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """The folder of two runs that two workers did, and what the command printed."""
    folder = tmp_path_factory.mktemp("seeds")
    options = several(folder, "--jobs", 2, "--json")
    done = python("-m", "tests.cli.interruptible", *options, env=compiled)
    return folder, Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def workers(nhc: Command, monkeypatch: pytest.MonkeyPatch, compiled: dict[str, str]) -> Command:
    """Runs commands whose workers find compiled code."""
    monkeypatch.delenv("XLA_FLAGS", raising=False)
    for name, value in compiled.items():
        monkeypatch.setenv(name, value)
    return nhc


def files(folder: Path) -> dict[Path, tuple[bytes, int]]:
    """What is in the runs' folders, and since when."""
    found = [path for path in folder.glob("*/*") if path.is_file()]
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in found}


def test_workers_do_what_single_runs_do(finished: tuple[Path, Done], tmp_path: Path) -> None:
    folder, done = finished
    assert done.code == 1, "one is not mastered in so few iterations"
    assert [summary["seed"] for summary in done.data] == list(SEEDS)
    assert all(list(summary) == KEYS and summary["iterations"] == BUDGET for summary in done.data)
    for seed in SEEDS:
        train_in_directory(config(seed=seed, budget=BUDGET), tmp_path / f"{seed}", SilentProgress())
        assert kept(folder / f"search-seed{seed}") == kept(tmp_path / f"{seed}")


def test_there_is_one_picture_and_a_line_for_each_run(finished: tuple[Path, Done]) -> None:
    folder, done = finished
    pictures = sorted(path.name for path in folder.iterdir() if path.is_file())
    assert pictures == ["search-seeds.png", "search-seeds.svg"]
    lines = done.err.splitlines()
    assert lines[0] == f"Learning to search: 2 runs in {folder}, 2 at a time"
    assert sorted(line.split(":")[0] for line in lines[1:3]) == ["  seed 11", "  seed 8"]
    assert "2/2 done" in lines[2]
    assert lines[3] == f"Picture: {folder / 'search-seeds.png'}"


def test_finished_runs_are_not_repeated_on_resume(workers: Command, finished: tuple[Path, Done]) -> None:
    folder, first = finished
    before = files(folder)
    assert len(before) >= 2 * 4
    done = workers(*several(folder, "--resume", folder, "--json", "--quiet", "--jobs", 1))
    assert (done.code, done.data) == (1, first.data)
    assert files(folder) == before


def test_runs_that_exist_are_refused_with_the_code(workers: Command, finished: tuple[Path, Done]) -> None:
    """An error in a worker is reported like one in this process."""
    folder, _ = finished
    before = files(folder)
    done = workers(*several(folder, "--jobs", 1))
    assert (done.code, done.out, done.error_code) == (2, "", "run.exists")
    assert files(folder) == before


def test_overwrite_repeats_them(workers: Command, finished: tuple[Path, Done], tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(finished[0], folder)
    done = workers(*several(folder, "--jobs", 1, "--overwrite", "--quiet", budget=25))
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
