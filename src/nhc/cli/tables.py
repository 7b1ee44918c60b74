"""Results as tables on stdout."""

import sys
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table

PIPE_WIDTH = 300
"""Nothing is cut where stdout is not a terminal."""


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> None:
    """A table whose first `left` columns are text and whose others are numbers."""
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        expand=False,
    )
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number < left else "right")
    for row in rows:
        table.add_row(*row)
    console = Console(width=None if sys.stdout.isatty() else PIPE_WIDTH)
    console.print(table)
