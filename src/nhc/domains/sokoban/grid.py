"""A board as a rectangle of cells that still know where they stand in the file.

Rows may be ragged; the board is the bounding box of what is drawn, and what no row covers is floor.
"""

from dataclasses import dataclass

from nhc.domains.sokoban.cells import Cell
from nhc.domains.sokoban.legends import Legend
from nhc.domains.sokoban.rows import ROW_SIGNS
from nhc.domains.sokoban.run_length import Sign, expand
from nhc.domains.sokoban.source import Line
from nhc.errors import InputError, Place

MAX_CELLS = 65_536
"""Largest bounding box: ragged rows could otherwise ask for far more cells than the file has signs."""

Position = tuple[int, int]
"""Row and column of a grid, from 0."""


@dataclass(frozen=True)
class Grid:
    """Cells by row and column, and the signs they were read from."""

    rows: tuple[tuple[int, ...], ...]
    signs: tuple[tuple[Sign, ...], ...]
    """The signs of each row from its first cell on, without padding; never an empty row."""
    file: str | None
    level: int | None

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(self.rows)

    @property
    def width(self) -> int:
        """Number of columns."""
        return len(self.rows[0])

    def positions(self) -> list[Position]:
        """All cells in row-major order."""
        return [(row, column) for row in range(self.height) for column in range(self.width)]

    def at(self, position: Position) -> int:
        """The contents of a cell."""
        return self.rows[position[0]][position[1]]

    def place(self, position: Position) -> Place:
        """Where a cell stands in the file; padding stands right of its row's end."""
        signs, column = self.signs[position[0]], position[1]
        last = signs[min(column, len(signs) - 1)]
        return Place(self.file, last.line, last.column + max(0, column - len(signs) + 1), self.level)


def parse_grid(lines: list[Line], legend: Legend, file: str | None, level: int | None) -> Grid:
    """The board on these lines.

    Raises InputError: `xsb.encoding` (a byte that is not UTF-8), `xsb.tab`, `xsb.character` (a sign that
    the legend does not have), `xsb.run_length`, `xsb.size` (a bounding box of over 65,536 cells).
    """
    rows = [row for line in lines for row in _parse_line(line, legend, file, level)]
    drawn = [[n for n, sign in enumerate(row) if legend.cells[sign.text] != Cell.FLOOR] for row in rows]
    kept = [number for number, columns in enumerate(drawn) if columns]
    rows = rows[kept[0] : kept[-1] + 1]
    left = min(columns[0] for columns in drawn if columns)
    width = 1 + max(columns[-1] for columns in drawn if columns) - left
    if width * len(rows) > MAX_CELLS:
        message = f"a board has at most {MAX_CELLS} cells, this one has {width} x {len(rows)}"
        raise InputError("xsb.size", message, Place(file, lines[0].number, 1, level))
    signs = tuple(tuple(row[left : left + width] or row[-1:]) for row in rows)
    cells = tuple(_pad([legend.cells[sign.text] for sign in row[left : left + width]], width) for row in rows)
    return Grid(cells, signs, file, level)


def add_border(grid: Grid) -> Grid:
    """The same board in a ring of walls; the new cells stand where their neighbours stand in the file."""
    wall = (Cell.WALL,)
    full = wall * (grid.width + 2)
    rows = (full, *(wall + row + wall for row in grid.rows), full)
    signs = tuple((row[0], *row) for row in (grid.signs[0], *grid.signs, grid.signs[-1]))
    return Grid(rows, signs, grid.file, grid.level)


def _pad(cells: list[int], width: int) -> tuple[int, ...]:
    return (*cells, *[Cell.FLOOR] * (width - len(cells)))


def _parse_line(line: Line, legend: Legend, file: str | None, level: int | None) -> list[list[Sign]]:
    """The rows of one line; more than one only if it has `|`."""
    _check_signs(line, legend, file, level)
    signs = [Sign(text, line.number, column) for column, text in enumerate(line.text, 1)]
    if not legend.run_lengths:
        return [signs[:: legend.spacing]]
    rows: list[list[Sign]] = [[]]
    if not set(line.text).isdisjoint(ROW_SIGNS):
        signs = expand(signs, "xsb.run_length", file, level)
    for sign in signs:
        if sign.text == "|":
            rows[-1] = rows[-1] or [_floor(legend, sign)]
            rows.append([])
        else:
            rows[-1].append(sign)
    return rows if rows[-1] else rows[:-1]


def _floor(legend: Legend, at: Sign) -> Sign:
    """A floor cell for a row without any sign."""
    floor = next(sign for sign, cell in legend.cells.items() if cell == Cell.FLOOR)
    return Sign(floor, at.line, at.column)


def _check_signs(line: Line, legend: Legend, file: str | None, level: int | None) -> None:
    if legend.run_lengths and line.bad_column is None and legend.cells.keys() >= set(line.text):
        return
    for column, sign in enumerate(line.text, 1):
        place = Place(file, line.number, column, level)
        if column == line.bad_column:
            raise InputError(
                "xsb.encoding", f"a board is plain text, found the byte 0x{ord(sign):02X}", place
            )
        if sign == "\t":
            raise InputError("xsb.tab", "a tab has no width in a board: write blanks or `-`", place)
        between = legend.spacing > 1 and (column - 1) % legend.spacing
        known = sign == " " if between else sign in legend.cells
        if not known and not (legend.run_lengths and sign in ROW_SIGNS):
            expected = "a blank between cells" if between else " ".join(sorted(set(legend.cells) - {" "}))
            raise InputError(
                "xsb.character",
                f"legend `{legend.name}` expects {expected}, found {sign!r} (U+{ord(sign):04X})",
                place,
            )
