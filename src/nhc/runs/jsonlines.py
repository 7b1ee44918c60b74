"""Append-only logs with one JSON record a line: `metrics.jsonl` and `timing.jsonl`.

A resumed run must leave the same bytes as one that never stopped, so lines are canonical JSON and the log
can be cut back to an iteration.
"""

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nhc.errors import InputError, Place
from nhc.runs.canonical import canonical_json, parse_json
from nhc.runs.storage import storage_error, write_atomically


@dataclass(frozen=True)
class JsonLines:
    """A log file; it need not exist yet, its folder must."""

    path: Path

    def append(self, records: Sequence[Mapping[str, object]]) -> None:
        """Add one line for each record in a single write that reaches the disk before this returns.

        Raises StorageError (code `storage.write`); then the file is as long as it was. After a crash the last
        line may be torn: call `truncate_after` before appending again.
        """
        data = "".join(canonical_json(dict(record)) + "\n" for record in records).encode()
        try:
            with self.path.open("ab", buffering=0) as file:
                size = os.fstat(file.fileno()).st_size
                try:
                    _write_all(file.fileno(), data)
                    os.fsync(file.fileno())
                except OSError:
                    with contextlib.suppress(OSError):
                        file.truncate(size)
                    raise
        except OSError as error:
            raise storage_error(self.path, error) from error

    def read(self) -> list[dict[str, object]]:
        """The records of all complete lines; empty if there is no file.

        A torn last line is left out, as a run that is still writing may show one. Raises InputError (code
        `run.damaged`, with the line) if a complete line is not a record.
        """
        return [record for _, record in self._lines()]

    def truncate_after(self, iteration: int) -> int:
        """Keep exactly the complete lines whose "iteration" is at most `iteration`; returns their number.

        Later lines and a torn last line go. Raises InputError (code `run.damaged`, with the line) if a
        complete line has no iteration, and StorageError (code `storage.write`); then the file is untouched.
        """
        kept = []
        for number, (line, record) in enumerate(self._lines(), start=1):
            found = record.get("iteration")
            if not isinstance(found, int):
                raise self._damaged(number, f"iteration {found!r}")
            if found <= iteration:
                kept.append(line)
        if self.path.exists():
            write_atomically(self.path, b"".join(kept))
        return len(kept)

    def _lines(self) -> list[tuple[bytes, dict[str, object]]]:
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return []
        except OSError as error:
            message = f"expected a readable log, found: {error.strerror or error}"
            raise InputError("storage.read", message, Place(file=str(self.path))) from error
        # What follows the last line feed is torn, or empty.
        lines = [line + b"\n" for line in data.split(b"\n")[:-1]]
        return [(line, self._record(number, line)) for number, line in enumerate(lines, start=1)]

    def _record(self, number: int, line: bytes) -> dict[str, object]:
        try:
            record = parse_json(line)
        except ValueError as error:  # UnicodeDecodeError is one
            raise self._damaged(number, str(error)) from error
        if not isinstance(record, dict):
            raise self._damaged(number, type(record).__name__)
        return record

    def _damaged(self, number: int, found: str) -> InputError:
        message = f"expected a JSON object with an iteration, found: {found}"
        return InputError("run.damaged", message, Place(str(self.path), number))


def _write_all(descriptor: int, data: bytes) -> None:
    """Write every byte; the system may take fewer at a time, and says that the disk is full only then."""
    written = 0
    while written < len(data):
        written += os.write(descriptor, data[written:])
