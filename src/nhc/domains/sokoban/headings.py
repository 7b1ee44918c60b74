"""Titles and metadata of the boards of a level file.

Keys belong to the board that they touch without a blank line between (the upper one if they touch both),
else to the board above them. Keys above the first board that do not touch it speak of the whole file: every
level gets them, the title as `collection`; in a file with one board they are that board's. A title is, first
found: a key `Title`; the last text line above the board, if a blank line or the file's start stands before
it or it is the only text there; the last `;` line above it.
"""

from dataclasses import dataclass, field

from nhc.domains.sokoban.gaps import Group, read_gap
from nhc.domains.sokoban.rows import Span, find_comments
from nhc.domains.sokoban.source import Line


@dataclass
class Heading:
    """What the file says about one board; filled while reading."""

    title: str | None = None
    keys: dict[str, str] = field(default_factory=dict)
    """Key in lower case and value, without the title."""


def read_headings(lines: list[Line], boards: list[Span]) -> list[Heading]:
    """One heading for each board."""
    comments = find_comments(lines)
    headings = [Heading() for _ in boards]
    header: dict[str, str] = {}
    starts = [0, *(board.stop for board in boards)]
    stops = [*(board.start for board in boards), len(lines)]
    for number, gap in enumerate(map(Span, starts, stops)):
        above = headings[number - 1].keys if number > 0 else None
        below = headings[number] if number < len(boards) else None
        groups = read_gap(lines, gap, comments)
        for group in groups:
            owner = above
            if below is not None and _is_of_below(group, is_header=above is None, alone=len(boards) == 1):
                owner = below.keys
            (header if owner is None else owner).update(group.keys)
        if below is not None:
            below.title = _title(groups)
    if "title" in header:
        header["collection"] = header.pop("title")
    for heading in headings:
        heading.keys = header | heading.keys
        heading.title = heading.keys.pop("title", None) or heading.title
    return headings


def _is_of_below(group: Group, *, is_header: bool, alone: bool) -> bool:
    if is_header:
        return group.touches_below or alone
    return group.touches_below and not group.touches_above


def _title(groups: list[Group]) -> str | None:
    """The title that a gap gives the board below it."""
    texts = [text for group in groups for text in group.texts]
    holders = [group for group in groups if group.texts]
    if texts:
        last = holders[-1]
        follows_blank = last.begins_with_text and len(last.texts) == 1
        if len(texts) == 1 or follows_blank:
            return texts[-1]
    remarks = [remark for group in groups for remark in group.remarks if remark]
    return remarks[-1] if remarks else None
