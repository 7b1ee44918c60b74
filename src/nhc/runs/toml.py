"""Configuration files: plain nested dicts to TOML 1.0 and back.

The standard library reads TOML, tomli-w writes it; faults get a code, and a place where there is one.
"""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import tomli_w

from nhc.errors import ConfigError, Place

_POSITION = re.compile(
    r"^(?P<text>.*?) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$"
)


def dump_toml(values: Mapping[str, object]) -> str:
    """The text of nested tables of bool, int, float, text and lists; keys stay in the given order.

    Only tables move: they come after the plain values of the table they are in. Raises ConfigError (code
    `config.value`) for a value that TOML cannot express, such as None, and names its key.
    """
    try:
        text = tomli_w.dumps(values)
        text.encode()
    except (TypeError, ValueError):  # which does not say where; a lone surrogate is a ValueError
        _refuse(values, "")
        raise
    return text


def parse_toml(text: str, file: str | None = None) -> dict[str, object]:
    """The values of a TOML text; raises ConfigError (code `config.toml`) with line and column."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError("config.toml", *_message_and_place(str(error), text, file)) from error
    except RecursionError as error:
        raise ConfigError("config.toml", "nested too deeply", Place(file=file)) from error


def load_toml(path: Path) -> dict[str, object]:
    """The values of a TOML file, a byte order mark allowed.

    Raises ConfigError: `config.missing` if it cannot be read, `config.toml` with line and column if it is
    not TOML in UTF-8.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        message = f"expected a configuration file, found: {error.strerror or error}"
        raise ConfigError("config.missing", message, Place(file=str(path))) from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig", errors="replace")
        line, column = _position(before)
        message = f"expected UTF-8, found the byte 0x{data[error.start]:02x}"
        raise ConfigError("config.toml", message, Place(str(path), line, column)) from error
    return parse_toml(text, str(path))


def _refuse(value: object, key: str) -> None:
    """Raises ConfigError (`config.value`) for the first value that TOML cannot express."""
    if isinstance(value, Mapping):
        for name, child in value.items():
            _refuse(child, f"{key}.{name}" if key else str(name))
    elif isinstance(value, list | tuple):
        for child in value:
            _refuse(child, key)
    elif not isinstance(value, bool | int | float | str) or "\\ud" in ascii(value):
        message = f"{key}: expected bool, int, float, text, list or table, found {value!a}"
        raise ConfigError("config.value", message)


def _message_and_place(message: str, text: str, file: str | None) -> tuple[str, Place]:
    found = _POSITION.match(message)
    if found is None:
        return message, Place(file=file)
    if found["line"] is None:
        return found["text"], Place(file, *_position(text))
    return found["text"], Place(file, int(found["line"]), int(found["column"]))


def _position(before: str) -> tuple[int, int]:
    """Line and column, counted from 1, of the character after `before`."""
    return before.count("\n") + 1, len(before) - before.rfind("\n")
