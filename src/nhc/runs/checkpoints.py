"""Checkpoints of a run: safetensors files numbered by iteration, of which the newest two are kept.

Two, because the newest may be damaged by whatever ended the run; then the one before takes its place.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nhc.errors import ModelError
from nhc.runs.arrays import Arrays, load_arrays, save_arrays
from nhc.runs.storage import TEMPORARY_PREFIX, TEMPORARY_SUFFIX, storage_error

KEPT = 2

_NAME = re.compile(r"(\d{9})\.safetensors")
_LAST = 10**9 - 1


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A checkpoint that was read completely."""

    iteration: int
    path: Path
    arrays: Arrays
    metadata: dict[str, object]


def checkpoint_path(folder: Path, iteration: int) -> Path:
    """`000001234.safetensors` for iteration 1234; raises ValueError outside 0..999,999,999."""
    if not 0 <= iteration <= _LAST:
        raise ValueError(f"expected an iteration in 0..{_LAST}, found {iteration}")
    return folder / f"{iteration:09d}.safetensors"


def checkpoint_files(folder: Path) -> dict[int, Path]:
    """The checkpoints in the folder by iteration, oldest first; other files are not looked at."""
    names = ((_NAME.fullmatch(path.name), path) for path in sorted(folder.glob("*.safetensors")))
    return {int(name[1]): path for name, path in names if name is not None}


def save_checkpoint(
    folder: Path, iteration: int, arrays: Mapping[str, NDArray[np.generic]], metadata: Mapping[str, object]
) -> Path:
    """Write a checkpoint atomically, then delete all but it and the newest one before it.

    Files of later iterations go too: they belong to a continuation that was given up. Raises StorageError
    (code `storage.write`); if writing failed, nothing was deleted.
    """
    path = checkpoint_path(folder, iteration)
    save_arrays(path, arrays, metadata)
    files = checkpoint_files(folder)
    kept = sorted(number for number in files if number <= iteration)[-KEPT:]
    stale = [file for number, file in files.items() if number not in kept]
    delete_files([*stale, *temporary_files(folder)])
    return path


def intact_checkpoints(folder: Path) -> Iterator[Checkpoint]:
    """The checkpoints that can be read completely, newest first.

    Raises ModelError: `model.schema` and `model.unreadable` at once, as older files do not help there; after
    the last file that of the newest one when all are damaged, so that a run never starts again from nothing
    unnoticed.
    """
    first: ModelError | None = None
    intact = False
    for iteration, path in reversed(checkpoint_files(folder).items()):
        try:
            arrays, metadata = load_arrays(path)
        except ModelError as error:
            if error.code not in ("model.damaged", "model.truncated"):
                raise
            first = first or error
        else:
            intact = True
            yield Checkpoint(iteration, path, arrays, metadata)
    if first is not None and not intact:
        raise first


def temporary_files(folder: Path) -> list[Path]:
    """What a process that was killed while writing left in the folder."""
    return sorted(folder.glob(f"{TEMPORARY_PREFIX}*{TEMPORARY_SUFFIX}"))


def delete_files(paths: list[Path]) -> None:
    """Delete files that may be gone already; raises StorageError (code `storage.write`)."""
    for path in paths:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise storage_error(path, error) from error
