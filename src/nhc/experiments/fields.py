"""Reading fields of records that come from a disk: a wrong type means a damaged record."""

from collections.abc import Mapping
from typing import TypeVar

from nhc.errors import ConfigError

Field = TypeVar("Field", bool, int, float, str)


def field(record: Mapping[str, object], name: str, kind: type[Field]) -> Field:
    """The field of that name. Raises ConfigError (`run.damaged`) if it is missing or of another type."""
    value = record.get(name)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ConfigError("run.damaged", f"{name}: expected {kind.__name__}, found {value!r}")
    return value


def whole(record: Mapping[str, object], name: str) -> int:
    """A whole number."""
    return field(record, name, int)


def number(record: Mapping[str, object], name: str) -> float:
    """Any number."""
    value = record.get(name)
    return float(value) if isinstance(value, int) else field(record, name, float)


def listed(record: Mapping[str, object], name: str) -> list[object]:
    """A list."""
    value = record.get(name)
    if not isinstance(value, list):
        raise ConfigError("run.damaged", f"{name}: expected a list, found {value!r}")
    return value


def wholes(record: Mapping[str, object], name: str) -> list[int]:
    """A list of whole numbers."""
    values = listed(record, name)
    found = [value for value in values if isinstance(value, int)]
    if len(found) < len(values):
        raise ConfigError("run.damaged", f"{name}: expected whole numbers, found {values!r}")
    return found


def table(record: Mapping[str, object], name: str) -> dict[str, object]:
    """An object with names."""
    value = record.get(name)
    if not isinstance(value, dict):
        raise ConfigError("run.damaged", f"{name}: expected an object, found {value!r}")
    return value


def tables(record: Mapping[str, object], name: str) -> list[dict[str, object]]:
    """A list of objects with names."""
    found = [value for value in listed(record, name) if isinstance(value, dict)]
    if len(found) < len(listed(record, name)):
        raise ConfigError("run.damaged", f"{name}: expected objects, found {record[name]!r}")
    return found
