"""A run's folder: complete, never clobbered, and resumable."""

import json
from pathlib import Path

import numpy as np
import pytest

from nhc.errors import ConfigError, StorageError
from nhc.runs.checkpoints import checkpoint_files, intact_checkpoints, save_checkpoint
from nhc.runs.directory import RunDirectory

CONFIG: dict[str, object] = {"task": "plan", "seed": 3, "machine": {"mix": "winner"}}
META: dict[str, object] = {"status": "running", "start": "2020-01-02T03:04:05", "end": None}


def refused(path: Path, *, overwrite: bool) -> str:
    before = sorted(path.rglob("*")) if path.is_dir() else []
    with pytest.raises(ConfigError) as caught:
        RunDirectory.create(path, CONFIG, META, overwrite=overwrite)
    assert caught.value.code == "run.exists"
    assert caught.value.place is not None and caught.value.place.file == str(path)
    assert (sorted(path.rglob("*")) if path.is_dir() else []) == before
    return caught.value.message


def test_layout(tmp_path: Path) -> None:
    run = RunDirectory.create(tmp_path / "a" / "run", CONFIG, META)
    assert sorted(path.name for path in run.path.iterdir()) == [
        "checkpoints",
        "config.toml",
        "figures",
        "meta.json",
        "traces",
    ]
    assert run.read_config() == CONFIG
    assert run.read_meta() == {**META, "run_schema": 1}
    assert RunDirectory.open(run.path).path == run.path
    assert (run.metrics.path.name, run.timing.path.name) == ("metrics.jsonl", "timing.jsonl")


def test_an_empty_folder_will_do(tmp_path: Path) -> None:
    assert RunDirectory.create(tmp_path, CONFIG, META).read_config() == CONFIG


def test_meta_are_updated_in_place(tmp_path: Path) -> None:
    run = RunDirectory.create(tmp_path, CONFIG, META)
    run.update_meta({"status": "finished", "end": "2020-01-02T04:00:00"})
    assert run.read_meta() == {
        "status": "finished",
        "start": META["start"],
        "end": "2020-01-02T04:00:00",
        "run_schema": 1,
    }
    assert run.meta_file.read_text().splitlines()[1] == '  "end": "2020-01-02T04:00:00",'


def test_nothing_is_clobbered(tmp_path: Path) -> None:
    RunDirectory.create(tmp_path / "run", CONFIG, META)
    assert "--overwrite" in refused(tmp_path / "run", overwrite=False)
    (tmp_path / "file").write_text("")
    assert "found a file" in refused(tmp_path / "file", overwrite=True)


@pytest.mark.parametrize("meta", [None, "{", "[]", "{}"])
def test_a_folder_that_is_no_run_is_never_overwritten(tmp_path: Path, meta: str | None) -> None:
    (tmp_path / "config.toml").write_text("mine = true\n")
    if meta is not None:
        (tmp_path / "meta.json").write_text(meta)
    assert "nothing was deleted" in refused(tmp_path, overwrite=True)
    assert (tmp_path / "config.toml").read_text() == "mine = true\n"


def test_overwriting_deletes_what_a_run_wrote(tmp_path: Path) -> None:
    old = RunDirectory.create(tmp_path, {"old": True}, META)
    old.metrics.append([{"iteration": 1}])
    old.timing.append([{"iteration": 1}])
    save_checkpoint(old.checkpoints, 7, {"w": np.zeros(2)}, {})
    written = [old.figures / "curve.svg", old.figures / "curve.png", old.traces / "goal.json"]
    leftover = old.checkpoints / ".nhc-0123456789abcdef.tmp"
    mine = [old.figures / "photo.jpg", old.traces / "README", old.checkpoints / "best.safetensors"]
    mine += [tmp_path / "notes.txt", tmp_path / "config.toml.bak"]
    for path in (*written, *mine, leftover):
        path.write_text("x")
    new = RunDirectory.create(tmp_path, CONFIG, META, overwrite=True)
    assert new.read_config() == CONFIG
    assert new.metrics.read() == new.timing.read() == []
    assert not checkpoint_files(new.checkpoints)
    assert not any(path.exists() for path in (*written, leftover))
    assert all(path.exists() for path in mine)


def test_an_interrupted_creation_may_be_overwritten(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        RunDirectory.create(tmp_path, {"none": None}, META)
    assert caught.value.code == "config.value"
    with pytest.raises(ConfigError) as missing:
        RunDirectory.open(tmp_path)
    assert missing.value.code == "run.missing"
    assert RunDirectory.create(tmp_path, CONFIG, META, overwrite=True).read_config() == CONFIG


@pytest.mark.parametrize(
    ("meta", "code"),
    [("", "run.damaged"), ("[]", "run.damaged"), ("{}", "run.schema"), ('{"run_schema":2}', "run.schema")],
)
def test_what_is_no_run_cannot_be_opened(tmp_path: Path, meta: str, code: str) -> None:
    run = RunDirectory.create(tmp_path / "run", CONFIG, META)
    run.meta_file.write_text(meta)
    with pytest.raises(ConfigError) as caught:
        RunDirectory.open(run.path)
    assert caught.value.code == code
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(ConfigError) as caught:
            RunDirectory.open(path)
        assert caught.value.code == "run.missing"


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError) as caught:
        RunDirectory.create(tmp_path / "file" / "run", CONFIG, META)
    assert caught.value.code == "storage.write"


def simulate(run: RunDirectory, first: int, last: int, state: float) -> None:
    """A tiny deterministic training run that saves its state every four iterations."""
    for iteration in range(first, last + 1):
        state = (state * 1.7 + iteration) % 1
        run.metrics.append([{"iteration": iteration, "fitness": state}])
        run.timing.append([{"iteration": iteration, "seconds": iteration / 3}])
        if iteration % 4 == 0:
            save_checkpoint(run.checkpoints, iteration, {"state": np.array([state])}, {})


@pytest.mark.parametrize("stop", [4, 9, 11, 12])
@pytest.mark.parametrize("damaged", [False, True])
def test_resume_gives_the_same_bytes(tmp_path: Path, stop: int, damaged: bool) -> None:
    whole = RunDirectory.create(tmp_path / "whole", CONFIG, META)
    simulate(whole, 1, 14, 0.25)
    broken = RunDirectory.create(tmp_path / "broken", CONFIG, META)
    simulate(broken, 1, stop, 0.25)
    with broken.metrics.path.open("a") as file:
        file.write(json.dumps({"iteration": stop + 1})[:-3])
    if damaged and stop > 8:
        newest = max(broken.checkpoints.iterdir())
        newest.write_bytes(newest.read_bytes()[:100])

    again = RunDirectory.open(broken.path)
    checkpoint = next(intact_checkpoints(again.checkpoints))
    again.truncate_after(checkpoint.iteration)
    simulate(again, checkpoint.iteration + 1, 14, float(checkpoint.arrays["state"][0]))
    assert again.metrics.path.read_bytes() == whole.metrics.path.read_bytes()
    assert again.timing.path.read_bytes() == whole.timing.path.read_bytes()
    for path in whole.checkpoints.iterdir():
        assert (again.checkpoints / path.name).read_bytes() == path.read_bytes()
    assert len(list(again.checkpoints.iterdir())) == 2
