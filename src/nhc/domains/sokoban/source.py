"""The lines of a level file, whatever its encoding and line ends.

Text from half a century of systems: UTF-8 with or without a byte order mark, Latin-1 in titles, and line
ends of three kinds.
"""

import re
from typing import NamedTuple

from nhc.errors import InputError, Place

LINE_END = re.compile(r"\r\n|\r|\n")
BYTE_LINE_END = re.compile(rb"\r\n|\r|\n")


class Line(NamedTuple):
    """One line without its end; `number` counts from 1."""

    number: int
    text: str
    bad_column: int | None = None
    """Where the first byte that is not UTF-8 stands, if any; the line was then read as Latin-1."""


def read_lines(data: str | bytes, file: str | None = None) -> list[Line]:
    """The lines of a text, at least one; after the last line end comes an empty line.

    Raises InputError (code `xsb.encoding`) for UTF-16 and UTF-32.
    """
    if isinstance(data, str):
        texts = LINE_END.split(data.removeprefix("\ufeff"))
        return [Line(number, text) for number, text in enumerate(texts, 1)]
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError("xsb.encoding", "expected UTF-8, found the mark of UTF-16", Place(file, 1, 1))
    raw = BYTE_LINE_END.split(data.removeprefix(b"\xef\xbb\xbf"))
    return [_decode(number, line) for number, line in enumerate(raw, 1)]


def _decode(number: int, raw: bytes) -> Line:
    try:
        return Line(number, raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        return Line(number, raw.decode("latin-1"), error.start + 1)
