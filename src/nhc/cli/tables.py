"""Results on stdout: as tables, or as lines of JSON."""

import json
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import Literal

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

GAP = 3
"""Blanks between two columns."""


def print_lines(records: Iterable[object]) -> None:
    """One JSON value a line."""
    for record in records:
        print(json.dumps(record))


def print_table(
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    left: int = 1,
    numbers: bool = True,
) -> None:
    """A table whose first `left` columns are text and whose others are `numbers`, or text too.

    No cell is cut. A table that is too wide for the terminal breaks its cells at blanks; what has none, and
    the first `left` columns, stay whole. Where stdout is no terminal, the table is as wide as its content.
    """
    limit = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    widths = column_widths([columns, *rows], left, limit)
    console = Console(width=max(total(widths), 1), highlight=False, markup=False)
    console.print(title, style="bold", soft_wrap=True)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for number, (column, width) in enumerate(zip(columns, widths, strict=True)):
        justify: Literal["left", "right"] = "left" if number < left or not numbers else "right"
        table.add_column(column, justify=justify, width=width, overflow="fold")
    for row in rows:
        table.add_row(*row)
    console.print(table)
    console.print()


def column_widths(lines: Sequence[Sequence[str]], left: int, limit: int | None) -> list[int]:
    """The width of each column: that of its content, less where that exceeds `limit` and blanks allow it."""
    cells = list(zip(*lines, strict=True))
    widths = [max(map(cell_len, column)) for column in cells]
    least = [
        widths[number] if number < left else max(map(cell_len, " ".join(column).split()), default=0)
        for number, column in enumerate(cells)
    ]
    excess = 0 if limit is None else total(widths) - limit
    while excess > 0 and widths != least:
        widest = max(range(len(widths)), key=lambda number: (widths[number] > least[number], widths[number]))
        widths[widest] -= 1
        excess -= 1
    return widths


def total(widths: Sequence[int]) -> int:
    """The width of a table whose columns have these."""
    return sum(widths) + GAP * (len(widths) - 1)
