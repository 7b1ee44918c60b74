"""Tables: nothing is cut, names stay whole, and what is piped does not depend on a terminal."""

import re
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from nhc.cli.tables import GAP, column_widths, print_table

COLUMNS = ["model", "check", "learning iterations"]
ROWS = [
    ["zoo:sokoban-permuted", "exhaustive: 0 errors in 4,909,088 states", "12,345,678"],
    ["zoo:[x]", "-", "1"],
]


def test_a_pipe_gets_the_content_whatever_the_terminal_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    printed = set()
    for columns in ("1", "80", "300"):
        monkeypatch.setenv("COLUMNS", columns)
        print_table("A title " * 20, COLUMNS, ROWS)
        printed.add(capsys.readouterr().out)
    (text,) = printed
    title, head, _, *rows = text.splitlines()
    assert title.strip() == ("A title " * 20).strip()
    assert head.split() == ["model", "check", "learning", "iterations"]
    assert all(cell in row for cells, row in zip(ROWS, rows, strict=False) for cell in cells)
    assert len(head) == 20 + 40 + 19 + 2 * GAP


def test_a_narrow_terminal_hides_nothing_that_must_be_typed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    print_table("Title", COLUMNS, ROWS)
    text = capsys.readouterr().out
    lines = re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()
    assert "zoo:sokoban-permuted" in text and "12,345,678" in text and "zoo:[x]" in text
    assert max(map(len, lines)) <= 60 and len(lines) > 6, "texts are broken at blanks instead"


WORDS = st.text("ab\u5bbd", min_size=0, max_size=6)
CELLS = st.lists(WORDS, min_size=0, max_size=4).map(" ".join)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=4), st.integers(0, 3), st.integers(1, 60)
)
def test_widths(rows: list[tuple[str, ...]], left: int, limit: int) -> None:
    """Between the longest word, or a whole name, and the content; and no wider than needed."""
    widths = column_widths(rows, left, limit)
    content = column_widths(rows, left, None)
    words = [
        max((cell_len(word) for cell in column for word in cell.split()), default=0)
        for column in zip(*rows, strict=True)
    ]
    least = [content[at] if at < left else words[at] for at in range(3)]
    assert all(low <= width <= high for low, width, high in zip(least, widths, content, strict=True))
    whole = sum(content) + 2 * GAP
    assert sum(widths) + 2 * GAP == min(whole, max(limit, sum(least) + 2 * GAP))
