"""Level files: reading every variant of XSB that public collections use, among them the Boxoban files.

Accepted without a word: UTF-8 with or without byte order mark, all line ends, ragged rows, run lengths,
`-` and `_` for floor, the letters of the SOK format, text around the boards. Accepted with a warning: text
lines in Latin-1, decoration out of reach, no boxes, solved at the start, a key twice, a comment without end.
Everything else is an error that names the place. `lines.py` tells which lines are boards, `headings.py` which
titles and keys are whose.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from nhc.domains.sokoban.grid import Region, check_goals, enclose, parse_grid
from nhc.domains.sokoban.headings import read_headings
from nhc.domains.sokoban.legends import LEGENDS, XSB, Cell, Legend
from nhc.domains.sokoban.lines import Kind, Line, Span, classify, find_boards, read_lines
from nhc.domains.sokoban.rules import Board, State
from nhc.domains.sokoban.text import to_text
from nhc.errors import InputError, Note, Place

ID_DIGITS = 16
HALVES = {"xsb.open", "xsb.no_player", "xsb.goals", "xsb.unreachable_box"}
"""What may be wrong with the parts of a board that a blank line cuts in two."""

Read = Callable[[list[Line], int | None], tuple[Region, tuple[Note, ...]]]
"""The lines of one board and the number of its level -> the board, if it can be played, and what is
remarkable. Raises InputError."""


class Reading(NamedTuple):
    """How boards are read."""

    legend: Legend = XSB
    allow_extra_goals: bool = False
    """Accept more goals than boxes?"""
    close_border: bool = False
    """Put walls around open boards?"""


USUAL = Reading()


@dataclass(frozen=True)
class Level:
    """A level that can be played: plain integers, walls closed, one agent."""

    board: Board
    state: State
    goals: int
    """Bit board of the goal cells."""
    level_id: str
    """See `level_id`."""
    title: str | None = None
    metadata: tuple[tuple[str, str], ...] = ()
    """Key (lower case) and value, in the order of the file."""
    text: str = ""
    """The lines of the board as they stand in the file."""
    warnings: tuple[Note, ...] = ()
    place: Place = field(default_factory=Place)
    """The board's first line."""


def level_id(board: Board, state: State, goals: int) -> str:
    """16 hexadecimal digits that name what is played, whatever the file looked like.

    The first 64 bits of the SHA-256 of the XSB text of the board, cut to the cells in reach and the ring
    of cells around them; all cells out of reach are walls.
    """
    rows = to_text(board, state, goals).split("\n")
    used = [number for number, row in enumerate(rows) if row.strip("#")]
    left = min(len(row) - len(row.lstrip("#")) for row in rows if row.strip("#"))
    right = max(len(row.rstrip("#")) for row in rows if row.strip("#"))
    cut = [row[left - 1 : right + 1] for row in rows[used[0] - 1 : used[-1] + 2]]
    return hashlib.sha256("\n".join(cut).encode()).hexdigest()[:ID_DIGITS]


def read_levels(data: str | bytes, file: str | None = None, reading: Reading = USUAL) -> list[Level]:
    """All levels of a file, at least one.

    Raises InputError for the first level that cannot be played and for a file without levels; the codes
    are those of `parse_grid`, `enclose`, `check_goals`, `read_lines` and `xsb.empty`.
    """
    levels = []
    for result in scan_levels(data, file, reading):
        if isinstance(result, InputError):
            raise result
        levels.append(result)
    return levels


def scan_levels(
    data: str | bytes, file: str | None = None, reading: Reading = USUAL
) -> list[Level | InputError]:
    """Like `read_levels`, but a level that cannot be played gives its error in its place.

    Raises InputError only for a file as a whole: `xsb.encoding`, `xsb.empty`.
    """
    lines, legend = read_lines(data, file), reading.legend
    boards = find_boards(lines, legend)
    if not boards:
        signs = " ".join(sorted(set(legend.cells) - legend.weak - {" "}))
        message = f"no board found: it is two or more lines of {signs} with walls in each"
        raise InputError("xsb.empty", message + _fitting_legends(lines), Place(file))
    headings = read_headings(lines, boards, file)
    read = partial(_read_board, reading, file)
    results: list[Level | InputError] = []
    suggestion: str | None = None
    for number, (span, heading) in enumerate(zip(boards, headings, strict=True), 1):
        try:
            region, notes = read(lines[span.start : span.stop], number)
        except InputError as error:
            hint = _cut_in_two(lines, span, legend, read) if error.code in HALVES else ""
            if error.code == "xsb.players":
                hint = _separator(lines[span.start : span.stop], legend)
            elif error.code == "xsb.character":
                suggestion = _fitting_legends(lines) if suggestion is None else suggestion
                hint = suggestion
            results.append(InputError(error.code, error.message + hint, error.place))
        else:
            start = boards[number - 2].stop if number > 1 else 0
            stop = span.stop if number < len(boards) else len(lines)
            encoding = _encoding_notes(lines[start:stop], file, number)
            text = "\n".join(line.text for line in lines[span.start : span.stop])
            place = Place(file, lines[span.start].number, None, number)
            warnings = (*encoding, *notes, *heading.notes)
            played = (region.board, region.state, region.goals)
            known = (level_id(*played), heading.title, tuple(heading.keys.items()))
            results.append(Level(*played, *known, text, warnings, place))
    return results


def read_configuration(
    lines: list[Line], file: str | None = None, reading: Reading = USUAL
) -> tuple[Region, str | None]:
    """The only board on these lines, its agent enclosed by walls, and its title.

    Raises InputError: `task.board` unless there is exactly one, and the codes of `parse_grid` and `enclose`.
    """
    boards = find_boards(lines, reading.legend)
    if len(boards) != 1:
        line = lines[boards[1].start if boards else 0].number
        message = f"expected one board here, found {len(boards)}"
        message += "; a blank line ends a board" if boards else ""
        raise InputError("task.board", message, Place(file, line))
    grid = parse_grid(lines[boards[0].start : boards[0].stop], reading.legend, file, None)
    return enclose(grid, close_border=reading.close_border), read_headings(lines, boards)[0].title


def state_from_text(board: Board, value: object) -> State:
    """The state of a board drawn in XSB signs.

    Raises InputError: `task.json` for another size or no text, and the codes of `read_configuration`.
    """
    if not isinstance(value, str):
        raise InputError("task.json", f"expected a board as text, found {value!r:.60}")
    region, _ = read_configuration(read_lines(value))
    if region.board != board:
        sizes = [f"{size.width}x{size.height}" for size in (board, region.board)]
        raise InputError("task.json", f"expected a board of {sizes[0]} cells, found {sizes[1]}")
    return region.state


def _read_board(
    reading: Reading, file: str | None, lines: list[Line], number: int | None
) -> tuple[Region, tuple[Note, ...]]:
    region = enclose(parse_grid(lines, reading.legend, file, number), close_border=reading.close_border)
    return region, (*region.notes, *check_goals(region, allow_extra_goals=reading.allow_extra_goals))


def _encoding_notes(lines: list[Line], file: str | None, level: int) -> tuple[Note, ...]:
    return tuple(
        Note("xsb.encoding", "not UTF-8, read as Latin-1", Place(file, line.number, line.bad_column, level))
        for line in lines
        if line.bad_column is not None
    )


def _fitting_legends(lines: list[Line]) -> str:
    """Which legends read all boards of a file that the chosen one cannot read; empty if none does."""
    hint = ""
    for legend in LEGENDS.values():
        boards = find_boards(lines, legend)
        read = partial(_read_board, Reading(legend), None)
        if boards and all(_can_be_played(lines[span.start : span.stop], read) for span in boards):
            plural = "s" if len(boards) > 1 else ""
            hint += f"; with the legend `{legend.name}` it reads as {len(boards)} level{plural}"
    return hint


def _can_be_played(lines: list[Line], read: Read) -> bool:
    try:
        read(lines, None)
    except InputError:
        return False
    return True


def _cut_in_two(lines: list[Line], span: Span, legend: Legend, read: Read) -> str:
    """That a blank line ends a board, if it can be played together with the rows beyond that line."""
    above = _beyond_blank(lines, span.start - 1, -1, legend) + 1
    below = _beyond_blank(lines, span.stop, 1, legend)
    for start, stop in ((above, span.stop), (span.start, below), (above, below)):
        part = lines[start:stop]
        blank = [line for line in part if not line.text.strip()]
        if blank and _can_be_played([line for line in part if line.text.strip()], read):
            rows = f"lines {part[0].number} to {part[-1].number}"
            return f"; line {blank[0].number} is blank, which ends a board: without it {rows} are one"
    return ""


def _beyond_blank(lines: list[Line], at: int, step: int, legend: Legend) -> int:
    """The first line past the rows that follow, in this direction, after the blank lines from `at` on."""
    while 0 <= at < len(lines) and not lines[at].text.strip():
        at += step
    while 0 <= at < len(lines) and classify(lines[at].text, legend) is not Kind.TEXT:
        at += step
    return at


def _separator(lines: list[Line], legend: Legend) -> str:
    """That a line of dashes, say, is a row of floor and separates nothing."""
    for line in lines:
        row = line.text.strip()
        if row and all(legend.cells.get(sign) == Cell.FLOOR for sign in row):
            return f"; line {line.number}, {row[:20]!r}, is a row of floor: separate levels by a blank line"
    return ""
