"""Which lines of a file are boards: two or more rows in a row, or one line with `|`.

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
from enum import Enum, auto
from typing import NamedTuple

from nhc.domains.sokoban.legends import Legend
from nhc.domains.sokoban.run_length import DIGITS
from nhc.domains.sokoban.source import Line

ROW_SIGNS = f"{DIGITS}()|"
NUMBERED = re.compile(r"\s*#\s*[0-9]+\s*")
COMMENT = re.compile(r"\s*comment\s*:\s*", re.IGNORECASE)
COMMENT_END = re.compile(r"\s*comment[-_ ]?end\s*:?\s*", re.IGNORECASE)


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


class Span(NamedTuple):
    """Lines start..stop-1 of a list."""

    start: int
    stop: int


def find_boards(lines: list[Line], legend: Legend) -> list[Span]:
    """The spans of the boards, in file order; comments in blocks are skipped."""
    comments = find_comments(lines)
    kinds = [classify(line.text, legend) for line in lines]
    for comment in comments:
        kinds[comment.start : comment.stop] = [Kind.TEXT] * (comment.stop - comment.start)
    boards, start = [], 0
    while start < len(lines):
        if kinds[start] not in (Kind.ROW, Kind.FAULTY):
            start += 1
            continue
        stop = _board_end(kinds, start)
        if stop - start > 1 or (legend.run_lengths and "|" in lines[start].text):
            boards.append(Span(start, stop))
        start = stop
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
        return Kind.ROW if walls else _without_walls(text, legend)
    untabbed = text.replace("\t", "")
    if _all_cells(untabbed, legend):
        return Kind.FAULTY if walls else Kind.DOUBTFUL
    if walls and _mostly_cells(visible, legend):
        return Kind.FAULTY
    if len(visible) > 2 and legend.is_wall(visible[0]) and legend.is_wall(visible[-1]):
        return Kind.DOUBTFUL
    return Kind.TEXT


def _board_end(kinds: list[Kind], start: int) -> int:
    """One past the last row of the board that begins here."""
    stop = end = start
    while end < len(kinds) and kinds[end] is not Kind.TEXT:
        end += 1
        if kinds[end - 1] in (Kind.ROW, Kind.FAULTY):
            stop = end
    return stop


def _all_cells(text: str, legend: Legend) -> bool:
    if not legend.run_lengths:
        between = "".join(text[i] for i in range(len(text)) if i % legend.spacing)
        return not between.strip(" ") and all(
            sign in legend.cells for sign in text.rstrip()[:: legend.spacing]
        )
    return all(sign in legend.cells or sign in ROW_SIGNS for sign in text)


def _without_walls(text: str, legend: Legend) -> Kind:
    cells = {sign for sign in text if sign in legend.cells}
    return Kind.OPEN if cells and not cells & legend.weak else Kind.TEXT


def _mostly_cells(visible: list[str], legend: Legend) -> bool:
    """Counts a digit as part of the cell that follows it."""
    following = [*visible[1:], ""]
    counts = sum(a in DIGITS and b in legend.cells for a, b in zip(visible, following, strict=True))
    cells = counts + sum(sign in legend.cells for sign in visible)
    letters = sum(sign in legend.weak for sign in visible)
    return 2 * (cells - letters) >= len(visible) or (len(visible) >= 4 and 4 * cells >= 3 * len(visible))
