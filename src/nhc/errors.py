"""Errors a user can meet, each with a stable code, a place and the expectation that failed."""

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class Place:
    """Where in a text the fault is; line, column and level count from 1."""

    file: str | None = None
    line: int | None = None
    column: int | None = None
    level: int | None = None

    def __str__(self) -> str:
        numbers = [str(n) for n in (self.line, self.column) if n is not None]
        text = ":".join([self.file or "<input>", *numbers])
        return text if self.level is None else f"{text} (level {self.level})"


class Note(NamedTuple):
    """Something remarkable that is no error; the codes are those of errors."""

    code: str
    message: str
    place: Place | None = None

    def __str__(self) -> str:
        where = "" if self.place is None else f"{self.place}: "
        return f"{where}{self.message} [{self.code}]"


class NhcError(Exception):
    """Base of every error that `nhc` raises on purpose.

    `code` is stable across releases and listed in docs/errors.md; `exit_code` is what the command line
    returns: 1 when the work was done and failed, 2 when the input cannot be used.
    """

    exit_code = 2

    def __init__(self, code: str, message: str, place: Place | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.place = place

    def __reduce__(self) -> tuple[object, ...]:
        """Errors of worker processes arrive whole."""
        return type(self), (self.code, self.message, self.place)

    def __str__(self) -> str:
        return str(Note(self.code, self.message, self.place))


class InputError(NhcError):
    """A file, level or task that cannot be read as what it claims to be."""


class ConfigError(NhcError):
    """A configuration value, key or combination that is not allowed."""


class ModelError(NhcError):
    """A model file that is damaged, or that another machine or version wrote."""


class StorageError(NhcError):
    """A file could not be written; what stood there before is untouched."""

    exit_code = 1


class WorkError(NhcError):
    """Work that was begun and could not be done, for a reason that is not its input."""

    exit_code = 1
