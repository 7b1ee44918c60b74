"""A run to be done, known by its full configuration; and the task that an engine hands to a worker."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from nhc.runs.canonical import canonical_json
from nhc.runs.storage import sha256

Values = Mapping[str, object]
Record = dict[str, object]


class Job(NamedTuple):
    """Equal jobs are one run, whichever figures they belong to."""

    kind: str
    config: str
    """Canonical JSON of every setting that the result depends on."""

    @property
    def values(self) -> Record:
        """The settings."""
        values: Record = json.loads(self.config)
        return values


class Task(NamedTuple):
    """A job with the folder in which a worker does it; it travels between processes and machines."""

    key: str
    job: Job
    code: str
    """The version of the code that the result is to be made with."""
    folder: str

    @property
    def path(self) -> Path:
        """The folder."""
        return Path(self.folder)


def job(kind: str, values: Values) -> Job:
    """A run of a kind. Raises ValueError and TypeError for values that JSON cannot express."""
    return Job(kind, canonical_json(dict(values)))


def key_of(one: Job, code: str) -> str:
    """64 hexadecimal digits: SHA-256 of kind, configuration and code version, as canonical JSON."""
    return sha256(canonical_json({"kind": one.kind, "config": one.values, "code": code}).encode())
