"""A run to be done, known by its full configuration, and the fields of the record that it leaves."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

from nhc.errors import ConfigError
from nhc.runs.canonical import canonical_json
from nhc.runs.storage import sha256

Values = Mapping[str, object]
Record = dict[str, object]
Field = TypeVar("Field")


class Job(NamedTuple):
    """Equal jobs are one run, whichever figures they belong to."""

    kind: str
    config: str
    """Canonical JSON of every setting that the result depends on."""

    @property
    def values(self) -> Record:
        """The settings, decoded anew at each call."""
        values: Record = json.loads(self.config)
        return values


class Task(NamedTuple):
    """A job with the folder in which a worker does it; it travels between processes and machines."""

    key: str
    job: Job
    code: str
    """The version of the kind of run that the result is to be made with, such as `train-1`."""
    path: Path
    """The folder, the same for all machines."""
    name: str = ""
    """What a person calls it."""


class Environment(NamedTuple):
    """On what a run was made."""

    platform: str
    processor: str
    host_threads: str
    backend: str
    device: str
    python: str
    jax: str
    jaxlib: str
    numpy: str
    nhc: str
    git: str

    @classmethod
    def of(cls, record: Values) -> "Environment":
        """By the record of a run; `unknown` stands for what it does not say."""
        found = table(record, "environment")
        return cls(*(str(found.get(name) or "unknown") for name in cls._fields))

    @property
    def numerical(self) -> tuple[str, ...]:
        """What may change numbers: the release of nhc, and whatever may change their last bits."""
        return (self.nhc, self.backend, self.device, self.jax, self.jaxlib, self.numpy)


def job(kind: str, values: Values) -> Job:
    """A run of a kind. Raises ValueError and TypeError for values that JSON cannot express."""
    return Job(kind, canonical_json(dict(values)))


def key_of(one: Job, code: str) -> str:
    """64 hexadecimal digits: SHA-256 of kind, configuration and version, as canonical JSON."""
    return sha256(canonical_json({"kind": one.kind, "config": one.values, "code": code}).encode())


def field(record: Values, name: str, kind: type[Field]) -> Field:
    """The field of that name; like all readers of fields below, for records that come from a disk.

    Raises ConfigError (`run.damaged`) if it is missing or of another type; True is no number.
    """
    value = record.get(name)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ConfigError("run.damaged", f"{name}: expected {kind.__name__}, found {value!r}")
    return value


def whole(record: Values, name: str) -> int:
    """A whole number."""
    return field(record, name, int)


def number(record: Values, name: str) -> float:
    """Any number, as a float."""
    value = record.get(name)
    return float(value) if isinstance(value, int) else field(record, name, float)


def listed(record: Values, name: str) -> list[object]:
    """A list of anything."""
    return field(record, name, list)


def wholes(record: Values, name: str) -> list[int]:
    """A list of whole numbers or truth values."""
    return _members(record, name, int)


def table(record: Values, name: str) -> Record:
    """An object with names."""
    return field(record, name, dict)


def tables(record: Values, name: str) -> list[Record]:
    """A list of objects with names."""
    return _members(record, name, dict)


def _members(record: Values, name: str, kind: type[Field]) -> list[Field]:
    values = listed(record, name)
    found = [value for value in values if isinstance(value, kind)]
    if len(found) < len(values):
        raise ConfigError("run.damaged", f"{name}: expected only {kind.__name__}, found {values!r}")
    return found
