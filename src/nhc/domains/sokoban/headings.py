"""Titles and metadata of the boards of a level file, from what stands between them.

Blank lines separate groups of lines, each of keys and of text; lines that begin with `::` are for human eyes
and carry nothing. Keys belong to the board that they touch without a blank line between (the upper one if
they touch both), else to the board above them. Keys above the first board that do not touch it speak of the
whole file: every level gets them, the title as `collection`; in a file with one board they are that board's.
A title is, first found: a key `Title`; the last text line above the board, if a blank line or the file's
start stands before it or it is the only text there; the last `;` line above it.
"""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from nhc.domains.sokoban.lines import COMMENT, Line, Span, find_comments
from nhc.errors import Note, Place

KEY = re.compile(r"\s*([A-Za-z][A-Za-z_-]*(?: +[A-Za-z_-]+)*)\s*:(?!//)(.*)")
LONG_KEYS = ("author", "collection", "comment", "copyright", "date", "level", "set", "title")
"""A key of several words begins with one of these; every single word before a colon is a key."""


class Entry(NamedTuple):
    """A key in lower case, its value, and the number of its line."""

    key: str
    value: str
    line: int


@dataclass
class Group:
    """Lines without a blank line between them; filled while reading."""

    touches_above: bool
    """Does it follow the board above without a blank line?"""
    touches_below: bool = False
    entries: list[Entry] = field(default_factory=list)
    unclosed: list[int] = field(default_factory=list)
    """Numbers of the lines `Comment:` before a comment that no `Comment-End:` ends."""
    texts: list[tuple[str, bool]] = field(default_factory=list)
    """Other lines; is it the group's first line?"""
    remarks: list[str] = field(default_factory=list)
    """Lines that began with `;`, without it."""


@dataclass
class Heading:
    """What the file says about one board; filled while reading."""

    title: str | None = None
    keys: dict[str, str] = field(default_factory=dict)
    """Key in lower case and value, without the title; the last of equal keys counts."""
    notes: list[Note] = field(default_factory=list)

    def take(self, group: Group, file: str | None, level: int | None) -> None:
        """Add the keys of a group, and what is remarkable about them."""
        for key, value, line in group.entries:
            if key in self.keys:
                message = f"the key `{key}` comes twice: this one counts"
                self.notes.append(Note("xsb.key", message, Place(file, line, None, level)))
            self.keys.pop(key, None)
            self.keys[key] = value
        for line in group.unclosed:
            message = "this comment has no end `Comment-End:`: it was read up to the next blank line or key"
            self.notes.append(Note("xsb.comment", message, Place(file, line, None, level)))


def read_headings(lines: list[Line], boards: list[Span], file: str | None = None) -> list[Heading]:
    """One heading for each board. What is remarkable about keys of the whole file, the first one tells."""
    comments = find_comments(lines)
    headings = [Heading() for _ in boards]
    header = Heading()
    starts = [0, *(board.stop for board in boards)]
    stops = [*(board.start for board in boards), len(lines)]
    for number, gap in enumerate(map(Span, starts, stops)):
        groups = read_gap(lines, gap, comments)
        for group in groups:
            is_of_below = number < len(boards) and (
                group.touches_below or len(boards) == 1
                if number == 0
                else group.touches_below and not group.touches_above
            )
            level = number + 1 if is_of_below else number
            (headings[level - 1] if level else header).take(group, file, level or None)
        if number < len(boards):
            headings[number].title = _title(groups)
    if "title" in header.keys:
        header.keys["collection"] = header.keys.pop("title")
    headings[0].notes[:0] = header.notes
    for heading in headings:
        heading.keys = header.keys | heading.keys
        heading.title = heading.keys.pop("title", None) or heading.title
    return headings


def read_gap(lines: list[Line], gap: Span, comments: list[Span]) -> list[Group]:
    """The groups of a gap between boards, or before the first, or after the last."""
    ends = {comment.start: comment.stop for comment in comments}
    groups: list[Group] = []
    number, after_blank = gap.start, True
    while number < gap.stop:
        text = lines[number].text.strip()
        if not text:
            number, after_blank = number + 1, True
            continue
        if after_blank:
            groups.append(Group(touches_above=number == gap.start))
        stop = ends.get(number)
        if stop is not None:
            value = "\n".join(line.text for line in lines[number + 1 : stop - 1]).strip()
            groups[-1].entries.append(Entry("comment", value, lines[number].number))
        else:
            stop = _read_line(groups[-1], lines, number, gap.stop, is_first=after_blank)
        number, after_blank = stop, False
    if groups:
        groups[-1].touches_below = not after_blank
    return groups


def parse_key(text: str) -> tuple[str, str] | None:
    """Key in lower case and value of a `Key: value` line."""
    match = KEY.fullmatch(text)
    if match is None or text.lstrip().startswith("::"):
        return None
    words = match[1].lower().split()
    return (" ".join(words), match[2].strip()) if len(words) == 1 or words[0] in LONG_KEYS else None


def _read_line(group: Group, lines: list[Line], number: int, end: int, *, is_first: bool) -> int:
    """Put one line into its group; the number of the next line to read."""
    text = lines[number].text.strip()
    key = parse_key(text)
    if text.startswith("::"):
        return number + 1
    if text.startswith(";"):
        group.remarks.append(text.lstrip("; \t"))
        return number + 1
    if key is None:
        group.texts.append((text, is_first))
        return number + 1
    stop = number + 1 if key[1] else _text_end(lines, number + 1, end)
    value = key[1] or "\n".join(line.text.strip() for line in lines[number + 1 : stop])
    group.entries.append(Entry(key[0], value, lines[number].number))
    following = lines[number + 1].text if number + 1 < len(lines) else ""
    if COMMENT.fullmatch(lines[number].text) and following.strip() and parse_key(following) is None:
        group.unclosed.append(lines[number].number)
    return stop


def _text_end(lines: list[Line], number: int, end: int) -> int:
    """One past the plain text lines that follow a key without a value: they are its value."""
    texts = ((at, lines[at].text.strip()) for at in range(number, end))
    return next(
        (at for at, text in texts if not text or text.startswith((";", "::")) or parse_key(text)), end
    )


def _title(groups: list[Group]) -> str | None:
    """The title that a gap gives the board below it."""
    texts = [text for group in groups for text in group.texts]
    if texts and (len(texts) == 1 or texts[-1][1]):
        return texts[-1][0]
    remarks = [remark for group in groups for remark in group.remarks if remark]
    return remarks[-1] if remarks else None
