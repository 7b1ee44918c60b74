"""The text of a level file: its lines whatever their encoding, run lengths, and which lines are boards.

Text from half a century of systems: UTF-8 with or without a byte order mark, Latin-1 in titles, line ends of
three kinds. `4#` is four walls, `2(#-)` a group twice, groups nest: the scheme of the SOK text format, for
boards and for moves. A board is two or more rows in a row, or one line with `|`.

A *row* consists of cell signs, digits, brackets and `|` only, and has a wall. Two more kinds belong to a
board when rows enclose them: lines of cell signs without a wall (visible floor, say), and *faulty* rows,
which are meant as rows but cannot be read, so that a typing error is reported and never splits a board in
silence. A line is meant as a row if it has a wall and, blanks and tabs left aside, at least half of its
characters are cell signs (letters do not count), or all but a quarter of them with letters, or it would be
a row without its tabs; between rows also if it begins and ends with a wall. Everything else is text.
Lines that begin with `::` or `;` are text, and so are a `#` with only a number after it and the lines
between `Comment:` and `Comment-End:`.
"""

import re
from collections.abc import Iterable
from enum import Enum, auto
from itertools import groupby
from typing import NamedTuple

from nhc.domains.sokoban.legends import Legend
from nhc.errors import InputError, Place

LINE_END = re.compile(r"\r\n|\r|\n")
BYTE_LINE_END = re.compile(rb"\r\n|\r|\n")
NUMBERED = re.compile(r"\s*#\s*[0-9]+\s*")
COMMENT = re.compile(r"\s*comment\s*:\s*", re.IGNORECASE)
COMMENT_END = re.compile(r"\s*comment[-_ ]?end\s*:?\s*", re.IGNORECASE)

LIMIT = 1_000_000
"""Most signs that a text may expand to; a few characters could ask for more than fits any memory."""

DIGITS = "0123456789"
"""Never cells or moves, so no mark is needed to detect run lengths."""
ROW_SIGNS = f"{DIGITS}()|"


class Line(NamedTuple):
    """One line without its end; `number` counts from 1."""

    number: int
    text: str
    bad_column: int | None = None
    """Where the first byte that is not UTF-8 stands, if any; the line was then read as Latin-1."""


class Sign(NamedTuple):
    """One character and where it stands; `line` and `column` count from 1."""

    text: str
    line: int
    column: int


class Span(NamedTuple):
    """Lines start..stop-1 of a list."""

    start: int
    stop: int


class Kind(Enum):
    """What a line looks like on its own."""

    ROW = auto()
    FAULTY = auto()
    """Meant as a row."""
    DOUBTFUL = auto()
    """A faulty row if it stands between rows."""
    OPEN = auto()
    """Cell signs without a wall: a row if it stands between rows."""
    TEXT = auto()


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


class _Group(NamedTuple):
    """A bracket that is open: what stood before it, how often it comes, and the bracket itself."""

    before: list[Sign]
    times: int
    bracket: Sign


def expand(signs: Iterable[Sign], code: str, file: str | None = None, level: int | None = None) -> list[Sign]:
    """The signs without counts and brackets; each copy keeps the place of its original.

    Raises InputError (the given `code`) for a count without a sign, a count of zero, brackets that do not
    match, and texts that expand to more than a million signs.
    """

    def expect(fine: bool, message: str, at: Sign) -> None:
        if not fine:
            raise InputError(code, message, Place(file, at.line, at.column, level))

    done: list[Sign] = []
    digits: list[Sign] = []
    groups: list[_Group] = []
    for sign in signs:
        if sign.text in DIGITS:
            digits.append(sign)
            continue
        part, times = [sign], 1
        if digits:
            expect(sign.text != ")", "expected a sign after this number, found `)`", digits[0])
            number = "".join(digit.text for digit in digits)
            fine = len(number) <= len(str(LIMIT)) and 1 <= int(number) <= LIMIT
            expect(fine, f"a run length is a number from 1 to {LIMIT}, found {number[:20]}", digits[0])
            times, digits = int(number), []
        if sign.text == "(":
            groups.append(_Group(done, times, sign))
            done = []
            continue
        if sign.text == ")":
            expect(bool(groups), "this `)` has no `(`", sign)
            part, (done, times, _) = done, groups.pop()
        expect(len(done) + len(part) * times <= LIMIT, f"run lengths expand to more than {LIMIT} signs", sign)
        done.extend(part * times)
    if digits:
        expect(False, "expected a sign after this number, found the end", digits[0])
    if groups:
        expect(False, "this `(` has no `)`", groups[-1].bracket)
    return done


def find_boards(lines: list[Line], legend: Legend) -> list[Span]:
    """The spans of the boards, in file order; comments in blocks are skipped."""
    comments = find_comments(lines)
    kinds = [classify(line.text, legend) for line in lines]
    for comment in comments:
        kinds[comment.start : comment.stop] = [Kind.TEXT] * (comment.stop - comment.start)
    boards = []
    for _, run in groupby(range(len(lines)), key=lambda number: kinds[number] is Kind.TEXT):
        rows = [number for number in run if kinds[number] in (Kind.ROW, Kind.FAULTY)]
        if len(rows) > 1 or (rows and legend.run_lengths and "|" in lines[rows[0]].text):
            boards.append(Span(rows[0], rows[-1] + 1))
    return boards


def find_comments(lines: list[Line]) -> list[Span]:
    """The blocks from a line `Comment:` to the next `Comment-End:`, both included."""
    comments: list[Span] = []
    start = None
    for number, line in enumerate(lines):
        if COMMENT.fullmatch(line.text):
            start = number
        elif start is not None and COMMENT_END.fullmatch(line.text):
            comments.append(Span(start, number + 1))
            start = None
    return comments


def classify(text: str, legend: Legend) -> Kind:
    """What a line looks like on its own."""
    visible = [sign for sign in text if not sign.isspace()]
    if not visible or text.lstrip().startswith((";", "::")) or NUMBERED.fullmatch(text):
        return Kind.TEXT
    walls = any(legend.is_wall(sign) for sign in visible)
    if _all_cells(text, legend):
        if walls:
            return Kind.ROW
        cells = {sign for sign in text if sign in legend.cells}
        return Kind.OPEN if cells and not cells & legend.weak else Kind.TEXT
    untabbed = text.replace("\t", "")
    if _all_cells(untabbed, legend):
        return Kind.FAULTY if walls else Kind.DOUBTFUL
    if walls and _mostly_cells(visible, legend):
        return Kind.FAULTY
    if len(visible) > 2 and legend.is_wall(visible[0]) and legend.is_wall(visible[-1]):
        return Kind.DOUBTFUL
    return Kind.TEXT


def _all_cells(text: str, legend: Legend) -> bool:
    if not legend.run_lengths:
        between = "".join(text[i] for i in range(len(text)) if i % legend.spacing)
        return not between.strip(" ") and all(
            sign in legend.cells for sign in text.rstrip()[:: legend.spacing]
        )
    return all(sign in legend.cells or sign in ROW_SIGNS for sign in text)


def _mostly_cells(visible: list[str], legend: Legend) -> bool:
    """Counts a digit as part of the cell that follows it."""
    following = [*visible[1:], ""]
    counts = sum(a in DIGITS and b in legend.cells for a, b in zip(visible, following, strict=True))
    cells = counts + sum(sign in legend.cells for sign in visible)
    letters = sum(sign in legend.weak for sign in visible)
    return 2 * (cells - letters) >= len(visible) or (len(visible) >= 4 and 4 * cells >= 3 * len(visible))
