"""`nhc train` in this process: output, run directory, resuming, a full disk."""

import errno
import json
import os
import shutil
import stat
from pathlib import Path

import pytest

from nhc.cli.main import run
from nhc.model import load_model
from nhc.runs.arrays import load_arrays
from nhc.runs.checkpoints import checkpoint_files, temporary_files
from nhc.training import keeping
from tests.cli.command import Command
from tests.training.small import arguments, config

KEYS = [
    "task",
    "seed",
    "mastered",
    "level",
    "iterations",
    "learning_iterations",
    "restarts",
    "ticks_per_s",
    "wall_s",
    "model",
]
SHORT = 30


@pytest.fixture(autouse=True)
def no_pictures(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing takes longer than these runs; one test looks at the pictures."""
    if "whole_run" not in request.node.name:
        monkeypatch.setattr(keeping, "draw_run", lambda *_: None)


def short(*more: object, **changes: object) -> list[object]:
    """A run that ends before it has learned much."""
    return ["train", *arguments(**({"budget": SHORT} | changes)), "--quiet", *more]


def kept(path: Path) -> tuple[bytes, bytes]:
    return (path / "metrics.jsonl").read_bytes(), (path / "model.safetensors").read_bytes()


@pytest.fixture(scope="module")
def short_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of one short run, to be copied."""
    path = tmp_path_factory.mktemp("short") / "run"
    assert run([*map(str, short("--out", path))]) == 1
    return path


@pytest.fixture
def a_run(short_run: Path, tmp_path: Path) -> Path:
    """A short run in `run`, for a test of its own."""
    return Path(shutil.copytree(short_run, tmp_path / "run"))


def test_a_run_prints_its_summary_as_json_and_nothing_else(nhc: Command, tmp_path: Path) -> None:
    done = nhc(*short("--out", tmp_path / "run", "--json"))
    (summary,) = done.data
    assert list(summary) == KEYS
    assert (summary["task"], summary["seed"], summary["iterations"]) == ("search", 8, SHORT)
    assert (summary["mastered"], done.code) == (False, 1), "not mastered in so few iterations"
    assert summary["model"] == str(tmp_path / "run" / "model.safetensors")
    assert summary["ticks_per_s"] > 0 and summary["wall_s"] > 0
    assert done.err == f"Learning to search: {tmp_path / 'run'}\n"
    model = load_model(str(summary["model"]))
    assert model.record["iterations"] == SHORT and model.record["config"] == config(budget=SHORT).model_dump()


def test_the_whole_run_masters_its_levels_and_ends_with_zero(nhc: Command, tmp_path: Path) -> None:
    done = nhc("train", *arguments(), "--out", "run", "--quiet")
    assert done.code == 0
    assert done.out.startswith("1 of 1 mastered all levels; learning iterations: median ")
    lines = [line.split() for line in done.out.splitlines() if line.split()[:1] == ["search"]]
    assert len(lines) == 1 and lines[0][1:4] == ["8", "yes", "3"]
    files = {str(path.relative_to(tmp_path / "run")) for path in Path("run").resolve().rglob("*")}
    assert {"config.toml", "meta.json", "metrics.jsonl", "timing.jsonl", "model.safetensors"} <= files
    assert {"figures/learning_curve.png", "figures/learning_curve.svg"} <= files
    again = nhc("train", "search", "--resume", "run", "--json")
    assert again.code == 0
    kept_summary = json.loads(Path("run/meta.json").read_text())["summary"]
    assert again.data[0] == {key: kept_summary[key] for key in KEYS}
    assert again.err == "run has ended already.\n"


def test_progress_goes_to_stderr(nhc: Command) -> None:
    done = nhc("train", *arguments(budget=SHORT), "--out", "run", "--json")
    assert len(done.data) == 1
    assert f"iteration {SHORT}/{SHORT}" in done.err
    assert "level 1/3" in done.err


def test_the_kept_configuration_repeats_the_run(nhc: Command, a_run: Path) -> None:
    done = nhc("train", "search", "--config", "run/config.toml", "--out", "second", "--quiet")
    assert done.code == 1
    assert kept(a_run) == kept(Path("second"))


def test_runs_have_names_of_their_own_and_the_latest_can_be_resumed(nhc: Command) -> None:
    assert nhc(*short()).code == 1
    assert nhc(*short(seed=9)).code == 1
    assert sorted(os.listdir("runs")) == ["search-seed8", "search-seed9"]
    newest = nhc("train", "search", "--resume", "latest", "--json")
    assert "search-seed9" in str(newest.data[0]["model"])


def test_a_directory_in_use_is_not_touched(nhc: Command, tmp_path: Path, a_run: Path) -> None:
    before = kept(a_run)
    done = nhc(*short("--out", "run", seed=9))
    assert (done.code, done.out, done.error_code) == (2, "", "run.exists")
    assert kept(Path("run")) == before
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    for options in ([], ["--overwrite"]):
        done = nhc(*short("--out", "mine", *options))
        assert (done.code, done.error_code) == (2, "run.exists")
    assert os.listdir("mine") == ["notes.txt"]
    (tmp_path / "file").write_text("mine")
    assert nhc(*short("--out", "file", "--overwrite")).error_code == "run.exists"
    assert Path("file").read_text() == "mine"


def test_overwrite_replaces_a_run_and_nothing_else(nhc: Command, a_run: Path) -> None:
    before = kept(a_run)
    Path("run/notes.txt").write_text("mine")
    assert nhc(*short("--out", "run", "--overwrite", seed=9)).code == 1
    assert kept(Path("run")) != before
    assert Path("run/notes.txt").read_text() == "mine"
    nhc(*short("--out", "other", seed=9))
    assert kept(Path("run")) == kept(Path("other"))


@pytest.mark.parametrize(("domain", "code"), [("chess", "domain.unknown"), ("sokoban-3x3", "board.size")])
def test_overwrite_does_not_delete_a_run_for_one_that_cannot_begin(
    nhc: Command, domain: str, code: str, a_run: Path
) -> None:
    before = kept(a_run)
    done = nhc(*short("--out", "run", "--overwrite", domain=domain))
    assert (done.code, done.error_code) == (2, code)
    assert kept(Path("run")) == before


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (lambda run: (run / "meta.json").unlink(), "run.missing"),
        (lambda run: (run / "config.toml").unlink(), "run.missing"),
        (lambda run: (run / "meta.json").write_text("{"), "run.damaged"),
        (lambda run: (run / "meta.json").write_text('{"run_schema": 99}'), "run.schema"),
        (lambda run: (run / "config.toml").write_text("budget = 0\n"), "config.value"),
        (lambda run: (run / "config.toml").write_text("budget = \n"), "config.toml"),
        (lambda run: (run / "metrics.jsonl").write_text('{"iteration":1}\n[]\n'), "run.damaged"),
        (lambda run: [path.write_bytes(b"x") for path in (run / "checkpoints").iterdir()], "model.truncated"),
    ],
)
def test_a_damaged_run_is_not_resumed(nhc: Command, a_run: Path, damage, code: str) -> None:
    meta = json.loads(Path("run/meta.json").read_text())
    Path("run/meta.json").write_text(json.dumps(meta | {"status": "running"}))
    damage(Path("run"))
    before = {path: path.read_bytes() for path in Path("run").rglob("*") if path.is_file()}
    done = nhc("train", "search", "--resume", "run", "--quiet")
    assert (done.code, done.out, done.error_code) == (2, "", code)
    assert {path: path.read_bytes() for path in Path("run").rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("number", [1, 3, 9, 10, 11, 12])
def test_a_full_disk_ends_a_run_that_then_continues(
    nhc: Command, short_run: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The n-th time that something is to reach the disk, it is full; what is there stays usable."""
    fsync, left = os.fsync, number

    def full(descriptor: int) -> None:
        nonlocal left
        left -= not stat.S_ISDIR(os.fstat(descriptor).st_mode)
        if left == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(keeping, "CHECKPOINT_SECONDS", 0.0)
        patch.setattr(os, "fsync", full)
        done = nhc(*short("--out", "run"))
    assert (done.code, done.out, done.error_code) == (1, "", "storage.write")
    assert "No space left" in done.err
    assert temporary_files(Path("run")) == temporary_files(Path("run/checkpoints")) == []
    for file in checkpoint_files(Path("run/checkpoints")).values():
        load_arrays(file)
    if number == 1:  # not even its metadata could be written: it is no run
        return
    assert nhc("train", "search", "--resume", "run", "--quiet").code == 1
    assert kept(Path("run")) == kept(short_run)
