"""A lock between processes: an exclusive transaction on a file of its own, which ends with the process."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nhc.errors import ConfigError, Place

STEP_SECONDS = 0.2


@contextmanager
def held(path: Path, message: str, *, patience: float = 0.0) -> Iterator[None]:
    """Hold the lock, however the process ends.

    Waits for it `patience` seconds. Raises ConfigError (`reproduce.busy`, with `message`) if another process,
    or another thread of this one, still has it then.
    """
    until = time.monotonic() + patience
    lock = sqlite3.connect(path, timeout=0, isolation_level=None)
    try:
        while not _taken(lock):
            if time.monotonic() >= until:
                raise ConfigError("reproduce.busy", message, Place(str(path.parent)))
            time.sleep(STEP_SECONDS)
        yield
    finally:
        lock.close()


def _taken(lock: sqlite3.Connection) -> bool:
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError:
        return False
    return True
