"""What stands between two boards of a level file: groups of lines, each of keys and of text.

Blank lines separate groups. Lines that begin with `::` are for human eyes and carry nothing.
"""

import re
from dataclasses import dataclass, field

from nhc.domains.sokoban.rows import Span
from nhc.domains.sokoban.source import Line

KEY = re.compile(r"\s*([A-Za-z][A-Za-z_-]*(?: +[A-Za-z_-]+)*)\s*:(?!//)(.*)")
LONG_KEYS = ("author", "collection", "comment", "copyright", "date", "level", "set", "title")
"""A key of several words begins with one of these; every single word before a colon is a key."""


@dataclass
class Group:
    """Lines without a blank line between them; filled while reading."""

    touches_above: bool
    """Does it follow the board above without a blank line?"""
    touches_below: bool = False
    keys: dict[str, str] = field(default_factory=dict)
    """Key in lower case and value, in file order; the last of equal keys counts."""
    texts: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    """Lines that began with `;`, without it."""
    begins_with_text: bool = False


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
            groups[-1].keys["comment"] = "\n".join(line.text for line in lines[number + 1 : stop - 1]).strip()
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
        group.begins_with_text = group.begins_with_text or is_first
        group.texts.append(text)
        return number + 1
    stop = number + 1 if key[1] else _text_end(lines, number + 1, end)
    value = key[1] or "\n".join(line.text.strip() for line in lines[number + 1 : stop])
    group.keys.pop(key[0], None)
    group.keys[key[0]] = value
    return stop


def _text_end(lines: list[Line], number: int, end: int) -> int:
    """One past the plain text lines that follow a key without a value: they are its value."""
    while number < end:
        text = lines[number].text.strip()
        if not text or text.startswith((";", "::")) or parse_key(text):
            break
        number += 1
    return number
