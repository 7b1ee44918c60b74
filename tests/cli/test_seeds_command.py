"""`nhc train --seeds`: several runs in worker processes, each equal to the run by itself."""

import io
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from nhc.cli.main import run
from nhc.errors import NhcError
from nhc.runs import pool
from nhc.runs.keeper import Keeper
from nhc.runs.lock import held
from nhc.runs.pool import Outcome
from nhc.runs.progress import SilentProgress
from nhc.training.jobs import Job
from nhc.training.keeping import Summary, train_in_directory
from tests.cli.command import Command, Done
from tests.cli.test_train_command import KEYS, kept
from tests.training.processes import ROOT, environment
from tests.training.small import arguments, config

SEEDS = (8, 11)
BUDGET = 80


def several(folder: Path, *more: object, **changes: object) -> list[str]:
    """Two runs at once into a folder."""
    options = arguments(**({"budget": BUDGET} | changes))
    at = options.index("--seed")
    chosen = [*options[:at], "--seeds", "8,11", *options[at + 2 :]]
    return ["train", *chosen, "--out", str(folder), *map(str, more)]


@pytest.fixture(scope="module", autouse=True)
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What a worker compiles is kept for the next one."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment(tmp_path_factory).items():
            if name != "XLA_FLAGS":  # workers add their own
                patch.setenv(name, value)
        yield


@pytest.fixture(scope="module")
def finished(compiled: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """The folder of two runs that a worker did, and what the command printed."""
    folder, out, err = tmp_path_factory.mktemp("seeds"), io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run(several(folder, "--jobs", 1, "--json"))
    return folder, Done(code, out.getvalue(), err.getvalue())


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, nhc: Command) -> Command:
    """The command with its runs in this process, where nothing has to be compiled."""

    def outcomes(
        function: Callable[[Job], Summary], items: Iterator[Job], workers: int, **_: object
    ) -> object:
        for number, item in enumerate(items):
            try:
                yield Outcome(number, item, function(item), None)
            except NhcError as error:
                yield Outcome(number, item, None, error)

    monkeypatch.setattr(pool, "outcomes", outcomes)
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
    assert lines[0] == f"Learning to search: 2 runs in {folder}, 1 at a time"
    assert sorted(line.split(":")[0] for line in lines[1:3]) == ["  seed 11", "  seed 8"]
    assert "2/2 done" in lines[2]
    assert lines[3] == f"Picture: {folder / 'search-seeds.png'}"


def test_finished_runs_are_not_repeated_on_resume(here: Command, finished: tuple[Path, Done]) -> None:
    folder, first = finished
    before = files(folder)
    assert len(before) >= 2 * 4
    done = here(*several(folder, "--resume", folder, "--json", "--quiet", "--jobs", 1))
    assert (done.code, done.data) == (1, first.data)
    assert files(folder) == before


def test_runs_that_exist_are_refused_with_the_code(here: Command, finished: tuple[Path, Done]) -> None:
    """An error in a worker is reported like one in this process."""
    folder, _ = finished
    before = files(folder)
    done = here(*several(folder, "--jobs", 1))
    assert (done.code, done.out, done.error_code) == (2, "", "run.exists")
    assert files(folder) == before


def test_overwrite_repeats_them(here: Command, finished: tuple[Path, Done], tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(finished[0], folder)
    done = here(*several(folder, "--jobs", 1, "--overwrite", "--quiet", budget=25))
    assert done.code == 1
    assert done.out.startswith("0 of 2 mastered all levels")
    logs = [kept(folder / f"search-seed{seed}")[0].splitlines() for seed in SEEDS]
    assert [len(log) for log in logs] == [25, 25]


def test_a_lost_worker_is_told_and_its_run_goes_on(
    here: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the command makes of what the pool tells; `tests/runs/test_pool.py` kills workers."""

    keep = Keeper.keep

    def outcomes(
        function: Callable[[Job], Summary],
        items: Iterator[Job],
        workers: int,
        lost: Callable[[Job], Job],
        **_: object,
    ) -> object:
        for number, item in enumerate(items):
            with pytest.MonkeyPatch.context() as patch, pytest.raises(ZeroDivisionError):
                patch.setattr(Keeper, "keep", lambda self: keep(self) or 1 // 0)
                function(item)
            yield Outcome(number, item, function(lost(item)), None)

    monkeypatch.setattr(pool, "outcomes", outcomes)
    done = here(*several(tmp_path, "--jobs", 1, budget=25))
    assert done.code == 1
    assert done.err.count("its worker was lost; it goes on from its last checkpoint") == 2
    logs = [kept(tmp_path / f"search-seed{seed}")[0].splitlines() for seed in SEEDS]
    assert [len(log) for log in logs] == [25, 25]


def test_other_options_than_those_of_the_runs_are_refused(here: Command, finished: tuple[Path, Done]) -> None:
    folder, _ = finished
    before = files(folder)
    line = ["train", "search", "--seeds", "8,11", "--resume", folder, "--quiet"]
    done = here(*line, "--es.sigma", 0.3)
    assert (done.code, done.error_code) == (2, "run.config") and "es.sigma" in done.err
    # What is not given is what the runs have.
    assert here(*line).code == 1
    single = folder / "search-seed8"
    for options in (["--seed", 9], ["--budget", 81]):
        done = here("train", "search", "--resume", single, *options)
        assert (done.code, done.error_code) == (2, "run.config")
    assert here("train", "plan", "--resume", single).error_code == "run.config"
    assert here("train", "search", "--resume", single).code == 1
    assert files(folder) == before


def test_sigterm_ends_the_running_ones_and_begins_no_others(tmp_path: Path) -> None:
    """It goes to the command only, and its workers end with it."""
    options = several(
        tmp_path, "--jobs", "1", "--quiet", **{"budget": 20_000, "curriculum.solved-after": 20_000}
    )
    options[options.index("8,11")] = "8..11"
    command = [sys.executable, "-m", "tests.cli.interruptible", *map(str, options)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    log, deadline = tmp_path / "search-seed8" / "metrics.jsonl", time.monotonic() + 60
    try:
        while not log.exists():
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        process.terminate()
        out, err = process.communicate(timeout=45)
    finally:
        process.kill()
    assert (process.returncode, out, err.splitlines()[1:]) == (143, "", ["interrupted"])
    assert json.loads((log.parent / "meta.json").read_text())["status"] == "interrupted"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["search-seed8"], "no other run was begun"
    with held(log.parent / "lock", "run.busy", "nobody writes any more"):
        pass
