"""A lock between processes: an exclusive transaction on a file of its own, which ends with the process."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nhc.errors import ConfigError, Place, StorageError

STEP_SECONDS = 0.2


@contextmanager
def held(path: Path, message: str, *, patience: float = 0.0) -> Iterator[None]:
    """Hold the lock, however the process ends.

    Waits for it `patience` seconds. Raises ConfigError (`reproduce.busy`, with `message`) if another process,
    or another thread of this one, still has it then; StorageError (`storage.write`) where no lock can be had.
    """
    until, place = time.monotonic() + patience, Place(str(path.parent))
    try:
        lock = sqlite3.connect(path, timeout=0, isolation_level=None)
    except sqlite3.Error as error:
        raise StorageError("storage.write", f"could not be locked: {error}", place) from error
    try:
        while not _taken(lock, place):
            if time.monotonic() >= until:
                raise ConfigError("reproduce.busy", message, place)
            time.sleep(STEP_SECONDS)
        yield
    finally:
        lock.close()


def _taken(lock: sqlite3.Connection, place: Place) -> bool:
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise StorageError("storage.write", f"could not be locked: {error}", place) from error
        return False
    return True
