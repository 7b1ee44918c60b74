"""Which runs are done: an SQLite file beside them, keyed by configuration, kind and code version.

Only the process that hands out the runs writes it; another may read it meanwhile (write-ahead log).
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from nhc.errors import ConfigError, Place, StorageError
from nhc.experiments.job import Task
from nhc.runs.lock import held

SCHEMA = 1

TABLE = """
CREATE TABLE IF NOT EXISTS runs (
    key TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    config TEXT NOT NULL,
    code TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('waiting', 'running', 'finished', 'failed')),
    reason TEXT NOT NULL DEFAULT '',
    attempts INTEGER NOT NULL DEFAULT 0,
    seconds REAL,
    engine TEXT NOT NULL DEFAULT '',
    changed TEXT NOT NULL
)
"""

Status = Literal["waiting", "running", "finished", "failed"]


class Entry(NamedTuple):
    """What is known of a run."""

    status: str
    reason: str
    attempts: int
    seconds: float | None


class Index:
    """The table of runs; use `open_index`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def entry(self, key: str) -> Entry | None:
        """The run of that key, None if it was never asked for."""
        query = "SELECT status, reason, attempts, seconds FROM runs WHERE key = ?"
        row = self._connection.execute(query, (key,)).fetchone()
        return None if row is None else Entry(*row)

    def add(self, task: Task) -> None:
        """Take note of a run; one that is known is left as it is."""
        row = (task.key, task.job.kind, task.job.config, task.code, "waiting", _now())
        with self._connection:
            self._connection.execute(
                "INSERT OR IGNORE INTO runs (key, kind, config, code, status, changed) VALUES (?,?,?,?,?,?)",
                row,
            )

    def set(
        self, key: str, status: Status, *, engine: str, reason: str = "", seconds: float | None = None
    ) -> None:
        """Where a run stands now; `running` counts an attempt."""
        row = (status, reason, int(status == "running"), seconds, engine, _now(), key)
        with self._connection:
            self._connection.execute(
                "UPDATE runs SET status = ?, reason = ?, attempts = attempts + ?, "
                "seconds = coalesce(?, seconds), engine = ?, changed = ? WHERE key = ?",
                row,
            )

    def made_otherwise(self, task: Task) -> bool:
        """Is the same run finished, but made with other sources?"""
        query = (
            "SELECT count(*) FROM runs WHERE status = 'finished' AND kind = ? AND config = ? AND code != ?"
        )
        (count,) = self._connection.execute(query, (*task.job, task.code)).fetchone()
        return bool(count)


@contextmanager
def open_index(path: Path) -> Iterator[Index]:
    """The index in a file, made if it is not there.

    One process at a time holds it. Raises ConfigError: `reproduce.busy` if another one does,
    `reproduce.index` if the file is no index of this version; StorageError (`storage.write`).
    """
    place = Place(str(path))
    try:
        connection = sqlite3.connect(path, timeout=0)
    except sqlite3.Error as error:
        raise StorageError("storage.write", f"could not be opened: {error}", place) from error
    try:
        message = "another reproduction writes to this folder; wait for it, or use another --out"
        with held(path.with_suffix(".lock"), "reproduce.busy", message):
            _prepare(connection, place)
            yield Index(connection)
    finally:
        connection.close()


def _prepare(connection: sqlite3.Connection, place: Place) -> None:
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables and version != SCHEMA:
            message = f"expected an index of schema version {SCHEMA}, found {version}"
            raise ConfigError("reproduce.index", message, place)
        connection.execute("PRAGMA journal_mode = WAL")
        with connection:
            connection.execute(TABLE)
            connection.execute(f"PRAGMA user_version = {SCHEMA}")
    except sqlite3.DatabaseError as error:
        raise ConfigError("reproduce.index", f"expected an index of runs, found: {error}", place) from error


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
