"""Titles and `Key: value` lines around the boards of a level file.

What stands between two boards belongs to one of them. Keys belong to the board that they touch without a
blank line between (the upper one if they touch both), else to the board above them. Keys above the first
board that do not touch it speak of the whole file: every level gets them, with the title as `collection`;
in a file with one board they are that board's. A title is, first found: a key `Title`, the last text line
above the board if a blank line stands before it or it is the only text there, the last `;` line above it.
"""

import re
from dataclasses import dataclass, field

from nhc.domains.sokoban.rows import Span, find_comments
from nhc.domains.sokoban.source import Line

KEY = re.compile(r"\s*([A-Za-z][A-Za-z_-]*(?: [A-Za-z _-]*[A-Za-z])?)\s*:\s*(?!//)(.*?)\s*")
LONG_KEYS = ("author", "collection", "comment", "copyright", "date", "level", "set", "title")
"""A key of several words must begin with one of these; single words are always keys."""

Pairs = dict[str, str]


@dataclass
class Heading:
    """What the file says about one board; filled while reading."""

    keys: Pairs = field(default_factory=dict)
    text_title: str | None = None
    semicolon_title: str | None = None

    @property
    def title(self) -> str | None:
        """The title by precedence, or None."""
        return self.keys.get("title") or self.text_title or self.semicolon_title


def read_headings(lines: list[Line], boards: list[Span]) -> list[Heading]:
    """One heading for each board."""
    comments = find_comments(lines)
    headings = [Heading() for _ in boards]
    header: Pairs = {}
    edges = [0, *(board.stop for board in boards)]
    starts = [*(board.start for board in boards), len(lines)]
    for number, (start, stop) in enumerate(zip(edges, starts, strict=True)):
        above = headings[number - 1] if number > 0 else None
        below = headings[number] if number < len(boards) else None
        for keys, touches_above, touches_below in _key_groups(lines, Span(start, stop), comments):
            owner = above if touches_above or not touches_below else below
            target = owner or (below if touches_below or len(boards) == 1 else None)
            (header if target is None else target.keys).update(keys)
        if below is not None:
            _read_titles(below, lines, Span(start, stop), comments)
    if "title" in header:
        header.setdefault("collection", header.pop("title"))
    for heading in headings:
        heading.keys = header | heading.keys
    return headings
