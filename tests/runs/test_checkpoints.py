"""The newest two states are kept, and a damaged one is passed over."""

from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

from nhc.errors import ModelError, StorageError
from nhc.runs.checkpoints import Checkpoint, checkpoint_path, intact_checkpoints, save_checkpoint
from tests.runs.test_storage import largest_file


def save(folder: Path, iteration: int) -> Path:
    weights = np.full((3, 2), iteration, dtype=np.float32)
    return save_checkpoint(folder, iteration, {"w": weights}, {"iteration": iteration})


def newest_in(folder: Path) -> Checkpoint | None:
    return next(intact_checkpoints(folder), None)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def damage(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def test_names_are_steps(tmp_path: Path) -> None:
    assert save(tmp_path, 1234) == tmp_path / "000001234.safetensors"
    for outside in (-1, 10**9):
        with pytest.raises(ValueError):
            checkpoint_path(tmp_path, outside)


def test_the_newest_two_are_kept(tmp_path: Path) -> None:
    (tmp_path / "notes.safetensors").write_bytes(b"mine")
    (tmp_path / ".nhc-0123456789abcdef.tmp").write_bytes(b"left by a killed process")
    for iteration in (5, 90, 100, 1000):
        save(tmp_path, iteration)
    assert names(tmp_path) == ["000000100.safetensors", "000001000.safetensors", "notes.safetensors"]


def test_a_later_continuation_goes(tmp_path: Path) -> None:
    """A run that went back to 200 and saves at 250 must not be resumed from its abandoned 300."""
    for iteration in (200, 300):
        save(tmp_path, iteration)
    save(tmp_path, 250)
    assert names(tmp_path) == ["000000200.safetensors", "000000250.safetensors"]


def test_the_newest_is_read(tmp_path: Path) -> None:
    for iteration in (9, 10):
        save(tmp_path, iteration)
    found = newest_in(tmp_path)
    assert found is not None
    assert (found.iteration, found.metadata) == (10, {"iteration": 10})
    assert found.path == checkpoint_path(tmp_path, 10)
    np.testing.assert_array_equal(found.arrays["w"], np.full((3, 2), 10, dtype=np.float32))


def test_a_damaged_newest_is_passed_over(tmp_path: Path) -> None:
    save(tmp_path, 10)
    newest = save(tmp_path, 20)
    damage(newest)
    found = newest_in(tmp_path)
    assert found is not None
    assert found.iteration == 10
    newest.write_bytes(b"\xff" * 40)
    found = newest_in(tmp_path)
    assert found is not None and found.iteration == 10


def test_without_an_intact_one_there_is_no_silent_start(tmp_path: Path) -> None:
    assert newest_in(tmp_path) is None
    assert newest_in(tmp_path / "missing") is None
    for iteration in (10, 20):
        damage(save(tmp_path, iteration))
    with pytest.raises(ModelError) as caught:
        newest_in(tmp_path)
    assert caught.value.code == "model.truncated"
    assert caught.value.place is not None and caught.value.place.file == str(checkpoint_path(tmp_path, 20))


def test_a_newer_version_is_no_damage(tmp_path: Path) -> None:
    save(tmp_path, 10)
    weights = {"w": np.zeros(1, dtype=np.float32)}
    safetensors.numpy.save_file(weights, checkpoint_path(tmp_path, 20), {"nhc": '{"schema":99}'})
    with pytest.raises(ModelError) as caught:
        newest_in(tmp_path)
    assert caught.value.code == "model.schema"


def test_a_full_disk_deletes_nothing(tmp_path: Path) -> None:
    for iteration in (10, 20):
        save(tmp_path, iteration)
    with largest_file(50), pytest.raises(StorageError):
        save(tmp_path, 30)
    assert names(tmp_path) == ["000000010.safetensors", "000000020.safetensors"]
