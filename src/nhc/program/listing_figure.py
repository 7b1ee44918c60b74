"""The rules of a program as a picture: its text without the notes, broken where a column ends."""

import re
from collections.abc import Iterator, Sequence
from textwrap import wrap

from matplotlib.figure import Figure

from nhc.runs.figure import POINTS, new_figure, style

LARGE, SMALL, SIGN, LINE = 7.0, 6.0, 0.603, 1.35
"""Points of the font, smaller where that saves a break; a sign's width and a line's height in its units."""
MARGIN = 4.0
RULE = re.compile(r"( {4}(?:on|at|  ) .*?) {2,}((?:mark|add|read|store) .*)")
"""When a rule applies, and what it does."""
INDENT = " " * 6


def listing_figure(text: str, *, width: float) -> Figure:
    """So many inches wide; headings of sections are bold."""
    kept = [line.rstrip() for line in text.splitlines()[1:] if not line.startswith("#")]
    room = width * POINTS - 2 * MARGIN
    size = LARGE if max(map(len, kept)) * SIGN * LARGE <= room else SMALL
    lines = "\n".join(in_column(kept, int(room / SIGN / size))).strip("\n").splitlines()
    height = (len(lines) * LINE * size + 2 * MARGIN) / POINTS
    with style():
        figure = new_figure(width, height)
        for number, line in enumerate(lines):
            up = 1 - (MARGIN + (number + 0.5) * LINE * size) / POINTS / height
            weight = "normal" if line.startswith(" ") else "bold"
            figure.text(MARGIN / POINTS / width, up, line, size=size, weight=weight, family="monospace",
                        va="center", parse_math=False)  # fmt: skip
        return figure


def in_column(lines: Sequence[str], signs: int) -> Iterator[str]:
    """Lines of at most so many signs: if one is longer, first when each rule applies, then what it does."""
    if max(map(len, lines)) <= signs:
        yield from lines
        return
    for line in lines:
        rule = RULE.fullmatch(line)
        if rule is None:
            yield from wrap(re.sub(r"(?<=\S) {2,}", "  ", line), signs, subsequent_indent=INDENT) or [""]
            continue
        yield rule[1]
        made = INDENT
        for part in re.split(" {2,}", rule[2]):
            if len(made) + len(part) > signs:
                yield made.rstrip()
                made = INDENT + "  "
            made += part + "  "
        yield made.rstrip()
