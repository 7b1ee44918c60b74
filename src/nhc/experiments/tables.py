"""Tables as Markdown and as CSV."""

import csv
import io
from pathlib import Path

from nhc.experiments.description import Table
from nhc.runs.storage import write_text_atomically


def markdown(table: Table) -> str:
    """The table in Markdown, without its title."""
    rows = [table.columns, tuple("---" for _ in table.columns), *table.rows]
    return "".join("| " + " | ".join(_cell(text) for text in row) + " |\n" for row in rows)


def csv_text(table: Table) -> str:
    """The table as comma-separated values, the columns' names first."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(table.rows)
    return text.getvalue()


def write_table(table: Table, folder: Path) -> None:
    """`<name>.md` and `<name>.csv`. Raises StorageError (`storage.write`)."""
    write_text_atomically(folder / f"{table.name}.md", f"# {table.title}\n\n{markdown(table)}")
    write_text_atomically(folder / f"{table.name}.csv", csv_text(table))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
