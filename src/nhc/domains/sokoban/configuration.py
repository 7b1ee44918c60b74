"""A full configuration as a board in text: one board, its agent enclosed by walls."""

from nhc.domains.sokoban.board import Board
from nhc.domains.sokoban.grid import parse_grid
from nhc.domains.sokoban.legends import XSB, Legend
from nhc.domains.sokoban.region import Region, enclose
from nhc.domains.sokoban.rows import find_boards
from nhc.domains.sokoban.rules import State
from nhc.domains.sokoban.source import Line, read_lines
from nhc.errors import InputError, Place


def read_configuration(lines: list[Line], legend: Legend, file: str | None, *, close_border: bool) -> Region:
    """The only board on these lines.

    Raises InputError: `task.board` unless there is exactly one, and the codes of `parse_grid` and `enclose`.
    """
    boards = find_boards(lines, legend)
    if len(boards) != 1:
        line = lines[boards[1].start if boards else 0].number
        raise InputError("task.board", f"expected one board here, found {len(boards)}", Place(file, line))
    grid = parse_grid(lines[boards[0].start : boards[0].stop], legend, file, None)
    return enclose(grid, close_border=close_border)


def state_from_text(board: Board, value: object) -> State:
    """The state of a board drawn in XSB signs.

    Raises InputError: `task.json` for another size or no text, and the codes of `read_configuration`.
    """
    if not isinstance(value, str):
        raise InputError("task.json", f"expected a board as text, found {value!r:.60}")
    region = read_configuration(read_lines(value), XSB, None, close_border=False)
    if region.board != board:
        sizes = [f"{size.width}x{size.height}" for size in (board, region.board)]
        raise InputError("task.json", f"expected a board of {sizes[0]} cells, found {sizes[1]}")
    return region.state
