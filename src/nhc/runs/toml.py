"""Configuration files: plain nested dicts to TOML 1.0 and back.

The standard library reads TOML and cannot write it; this writes the part that configurations need.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from nhc.errors import ConfigError, Place
from nhc.runs.storage import write_text_atomically

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_POSITION = re.compile(
    r"^(?P<text>.*?) \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$"
)


def dump_toml(values: Mapping[str, object]) -> str:
    """The text of nested tables of bool, int, float, text and lists; keys stay in the given order.

    Only tables move: they come after the plain values of the table they are in. Raises ConfigError (code
    `config.value`) for a value that TOML cannot express, such as None, and names its key.
    """
    return "".join(_table_lines(values, ())).lstrip("\n")


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


def save_toml(path: Path, values: Mapping[str, object]) -> None:
    """Write `dump_toml` atomically; raises its ConfigError and StorageError (code `storage.write`)."""
    write_text_atomically(path, dump_toml(values))


def _table_lines(table: Mapping[str, object], path: tuple[str, ...]) -> list[str]:
    tables = {key: value for key, value in table.items() if isinstance(value, Mapping)}
    plain = {key: value for key, value in table.items() if key not in tables}
    lines = [f"{_key(key)} = {_value(value, (*path, key))}\n" for key, value in plain.items()]
    # A table that only holds tables needs no heading of its own.
    if path and (plain or not tables):
        lines.insert(0, f"\n[{'.'.join(map(_key, path))}]\n")
    for key, value in tables.items():
        lines += _table_lines(value, (*path, key))
    return lines


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _text(key, (key,))


def _value(value: object, path: tuple[str, ...]) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return int.__repr__(value)
        case float():
            return float.__repr__(value)
        case str():
            return _text(value, path)
        case list() | tuple():
            return f"[{', '.join(_value(item, path) for item in value)}]"
        case Mapping():
            pairs = (f"{_key(key)} = {_value(item, (*path, key))}" for key, item in value.items())
            return f"{{{', '.join(pairs)}}}"
    raise _value_error(path, repr(value))


def _text(text: str, path: tuple[str, ...]) -> str:
    """A basic string: JSON's escapes are TOML's, except that TOML escapes the delete character too."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise _value_error(path, f"a lone surrogate in {text!a}") from error
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def _value_error(path: tuple[str, ...], found: str) -> ConfigError:
    message = f"{'.'.join(path)}: expected bool, int, float, text, list or table, found {found}"
    return ConfigError("config.value", message)


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
