"""Strict reading of the Boxoban level files, whose levels people quote by file and index.

The files of DeepMind's Boxoban data set: every level is a line `; N`, ten rows of ten cells and a blank
line; N counts from 0 in each file. They are XSB, so `read_levels` reads them too; here a file that breaks
its own rules is refused.
"""

import re
from collections import Counter
from dataclasses import replace

from nhc.domains.sokoban.level import Level
from nhc.domains.sokoban.xsb import read_levels
from nhc.errors import InputError, Place

SIDE = 10
LINES = SIDE + 2
ROW = re.compile(r"#[# $@.]{8}#")
PIECES = {"@": 1, "$": 4, ".": 4}


def read_boxoban(data: bytes, name: str, file: str | None = None) -> list[Level]:
    """The levels of a file; `name` is what it is quoted by, for example `medium/train/000`.

    The title of a level is `name/index`, index from 0 and without leading zeros. Raises InputError (code
    `boxoban.format`, with file and line) for a file that is not exactly in the Boxoban format.
    """
    text = data.decode("latin-1")
    lines = text.rstrip("\n").split("\n")
    for start in range(0, len(lines), LINES):
        _check(lines[start : start + LINES], start, file)
    levels = read_levels(text, file)
    return [replace(level, title=f"{name}/{index}") for index, level in enumerate(levels)]


def _check(lines: list[str], start: int, file: str | None) -> None:
    index = start // LINES

    def expect(held: bool, expected: str, offset: int) -> None:
        if not held:
            found = repr(lines[offset]) if offset < len(lines) else "the end of the file"
            place = Place(file, start + offset + 1, None, index + 1)
            raise InputError("boxoban.format", f"expected {expected}, found {found}", place)

    expect(lines[0] == f"; {index}", f"the line `; {index}`", 0)
    for offset in range(1, SIDE + 1):
        held = offset < len(lines) and ROW.fullmatch(lines[offset]) is not None
        expect(held, "ten cells of `#`, blank, `@`, `$`, `.`, with walls at both ends", offset)
    for offset in (1, SIDE):
        expect(lines[offset] == "#" * SIDE, "a row of walls", offset)
    expect(lines[SIDE + 1 :] in ([""], []), "a blank line", SIDE + 1)
    counts = Counter("".join(lines[1 : SIDE + 1]))
    for sign, number in PIECES.items():
        expect(counts[sign] == number, f"{number} times `{sign}` in this level, not {counts[sign]}", 0)
