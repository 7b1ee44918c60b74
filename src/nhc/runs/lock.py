"""A lock between processes: an exclusive transaction on a file of its own, which ends with the process."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from nhc.errors import ConfigError, Place, StorageError

STEP_SECONDS = 0.2


@contextmanager
def held(path: Path, code: str, message: str, *, patience: float = 0.0) -> Iterator[None]:
    """Hold the lock at `path`, whose folder must exist; the system lets go of it however the process ends.

    Waits for it `patience` seconds. Raises ConfigError (`code`, with `message`) if another process, or
    another thread of this one, still has it then; StorageError (`storage.write`) where no lock can be had.
    """
    until, place = time.monotonic() + patience, Place(str(path.parent))
    with ExitStack() as open_files:
        try:
            lock = open_files.enter_context(closing(sqlite3.connect(path, timeout=0, isolation_level=None)))
            while not _taken(lock):
                if time.monotonic() >= until:
                    raise ConfigError(code, message, place)
                time.sleep(STEP_SECONDS)
        except sqlite3.Error as error:
            raise StorageError("storage.write", f"could not be locked: {error}", place) from error
        yield


def _taken(lock: sqlite3.Connection) -> bool:
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise
        return False
    return True
