"""Level files: reading every variant of XSB that public collections use, and writing one of them.

Accepted without a word: UTF-8 with or without byte order mark, all line ends, ragged rows, run lengths,
`-` and `_` for floor, the letters of the SOK format, text around the boards. Accepted with a warning: text
lines in Latin-1, decoration out of reach, no boxes, solved at the start. Everything else is an error that
names the place. `rows.py` tells which lines are boards, `headings.py` which titles and keys are whose.
"""

from nhc.domains.sokoban.draw import to_text
from nhc.domains.sokoban.grid import parse_grid
from nhc.domains.sokoban.headings import Heading, read_headings
from nhc.domains.sokoban.legends import LEGENDS, XSB, Legend
from nhc.domains.sokoban.level import Level, Note, level_id
from nhc.domains.sokoban.region import Region, check_goals, enclose
from nhc.domains.sokoban.rows import Span, find_boards
from nhc.domains.sokoban.source import Line, read_lines
from nhc.errors import InputError, Place


def read_levels(
    data: str | bytes,
    file: str | None = None,
    *,
    legend: Legend = XSB,
    allow_extra_goals: bool = False,
    close_border: bool = False,
) -> list[Level]:
    """All levels of a file, at least one.

    `allow_extra_goals` accepts more goals than boxes; `close_border` puts walls around open boards.
    Raises InputError for the first level that cannot be played and for a file without levels; the codes
    are those of `parse_grid`, `enclose`, `check_goals`, `read_lines` and `xsb.empty`.
    """
    levels = []
    for result in scan_levels(
        data, file, legend=legend, allow_extra_goals=allow_extra_goals, close_border=close_border
    ):
        if isinstance(result, InputError):
            raise result
        levels.append(result)
    return levels


def scan_levels(
    data: str | bytes,
    file: str | None = None,
    *,
    legend: Legend = XSB,
    allow_extra_goals: bool = False,
    close_border: bool = False,
) -> list[Level | InputError]:
    """Like `read_levels`, but a level that cannot be played gives its error in its place.

    Raises InputError only for a file as a whole: `xsb.encoding`, `xsb.empty`.
    """
    lines = read_lines(data, file)
    boards = find_boards(lines, legend)
    if not boards:
        message = f"no board found: it is two or more lines of {_signs(legend)} with walls in each"
        raise InputError("xsb.empty", message + _suggestion(lines), Place(file))
    headings = read_headings(lines, boards)
    results: list[Level | InputError] = []
    suggestion: str | None = None
    for number, (span, heading) in enumerate(zip(boards, headings, strict=True), 1):
        try:
            region = enclose(
                parse_grid(lines[span.start : span.stop], legend, file, number), close_border=close_border
            )
            notes = check_goals(region, allow_extra_goals=allow_extra_goals)
        except InputError as error:
            if error.code == "xsb.character" and suggestion is None:
                suggestion = _suggestion(lines)
            extra = suggestion if error.code == "xsb.character" and suggestion else ""
            results.append(InputError(error.code, error.message + extra, error.place))
        else:
            start = boards[number - 2].stop if number > 1 else 0
            stop = span.stop if number < len(boards) else len(lines)
            encoding = _encoding_notes(lines[start:stop], file, number)
            results.append(_level(region, lines, span, heading, (*encoding, *region.notes, *notes)))
    return results


def write_level(level: Level) -> str:
    """XSB text that reads as the same level: its board, then title and metadata as keys."""
    title = (("title", level.title),) if level.title else ()
    lines = [to_text(level.board, level.state, level.goals)]
    for key, value in (*title, *level.metadata):
        lines.append(f"{key.capitalize()}:{chr(10) if chr(10) in value else ' '}{value}".rstrip())
        if key == "comment" and "\n" in value:
            lines.append("Comment-End:")
    return "\n".join(lines) + "\n"


def _level(
    region: Region, lines: list[Line], span: Span, heading: Heading, warnings: tuple[Note, ...]
) -> Level:
    first = region.grid.place((0, 0))
    return Level(
        board=region.board,
        state=region.state,
        goals=region.goals,
        level_id=level_id(region.board, region.state, region.goals),
        title=heading.title,
        metadata=tuple(heading.keys.items()),
        text="\n".join(line.text for line in lines[span.start : span.stop]),
        warnings=warnings,
        place=Place(first.file, lines[span.start].number, None, first.level),
    )


def _encoding_notes(lines: list[Line], file: str | None, level: int) -> tuple[Note, ...]:
    return tuple(
        Note("xsb.encoding", "not UTF-8, read as Latin-1", Place(file, line.number, line.bad_column, level))
        for line in lines
        if line.bad_column is not None
    )


def _suggestion(lines: list[Line]) -> str:
    """Which legends read all boards of a file that the chosen one cannot read; empty if none does."""
    fitting = [
        f"with the legend `{other.name}` it reads as {count} level{'s' if count > 1 else ''}"
        for other in LEGENDS.values()
        if (count := _playable(lines, other)) > 0
    ]
    return "".join(f"; {hint}" for hint in fitting)


def _playable(lines: list[Line], legend: Legend) -> int:
    """How many boards the file has in a legend if all can be played, else 0."""
    boards = find_boards(lines, legend)
    try:
        for span in boards:
            check_goals(enclose(parse_grid(lines[span.start : span.stop], legend, None, None)))
    except InputError:
        return 0
    return len(boards)


def _signs(legend: Legend) -> str:
    return " ".join(sorted(set(legend.cells) - legend.weak - {" "}))
