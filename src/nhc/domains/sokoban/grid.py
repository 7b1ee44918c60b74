"""One board of a level file: its cells, the part that the agent can reach, and whether it can be played.

Rows may be ragged; the board is the bounding box of what is drawn, and what no row covers is floor. Cells
know where they stand in the file. Boxes can be pushed away, so reach goes through them. What lies outside
becomes wall: then the walls enclose the agent, which the rules need, and decoration cannot change the game.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from nhc.domains.sokoban.legends import SIGN_OF, Cell, Legend
from nhc.domains.sokoban.lines import ROW_SIGNS, Line, Sign, expand
from nhc.domains.sokoban.rules import STEPS, Board, State
from nhc.errors import InputError, Note, Place

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

    def holding(self, part: int) -> list[Position]:
        """The cells that hold this, in row-major order."""
        rows = enumerate(self.rows)
        return [(row, column) for row, cells in rows for column, cell in enumerate(cells) if cell & part]

    def at(self, position: Position) -> int:
        """The contents of a cell."""
        return self.rows[position[0]][position[1]]

    def place(self, position: Position) -> Place:
        """Where a cell stands in the file; padding stands right of its row's end."""
        signs, column = self.signs[position[0]], position[1]
        last = signs[min(column, len(signs) - 1)]
        return Place(self.file, last.line, last.column + max(0, column - len(signs) + 1), self.level)

    @property
    def first_line(self) -> Place:
        """Where the board begins in the file."""
        first = self.signs[0][0]
        return Place(self.file, first.line, None, self.level)


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
    cells = [[legend.cells[sign.text] for sign in row[left : left + width]] for row in rows]
    padded = tuple((*row, *[Cell.FLOOR] * (width - len(row))) for row in cells)
    return Grid(padded, signs, file, level)


def add_border(grid: Grid) -> Grid:
    """The same board in a ring of walls; the new cells stand where their neighbours stand in the file."""
    wall = (Cell.WALL,)
    full = wall * (grid.width + 2)
    rows = (full, *(wall + row + wall for row in grid.rows), full)
    signs = tuple((row[0], *row) for row in (grid.signs[0], *grid.signs, grid.signs[-1]))
    return Grid(rows, signs, grid.file, grid.level)


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
            rows[-1] = rows[-1] or [sign._replace(text=SIGN_OF[Cell.FLOOR])]
            rows.append([])
        else:
            rows[-1].append(sign)
    return rows if rows[-1] else rows[:-1]


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


@dataclass(frozen=True)
class Region:
    """A board with one agent inside closed walls."""

    grid: Grid
    reach: frozenset[Position]
    """The cells that the agent could stand on if boxes were not in the way."""
    state: State
    """Walls (all that is out of reach), boxes and agent."""
    goals: int
    """The goal cells within reach."""
    notes: tuple[Note, ...]

    @property
    def board(self) -> Board:
        """The size of the board."""
        return Board(self.grid.width, self.grid.height)

    def within(self, part: int) -> list[Position]:
        """The cells in reach that hold this, in row-major order."""
        return [cell for cell in self.grid.holding(part) if cell in self.reach]

    def outside(self, part: int) -> list[Position]:
        """The cells out of reach that hold this, in row-major order."""
        return [cell for cell in self.grid.holding(part) if cell not in self.reach]


def enclose(grid: Grid, *, close_border: bool = False) -> Region:
    """Find the agent and what it can reach; with `close_border` open boards get a ring of walls.

    Raises InputError: `xsb.no_player`, `xsb.players` (more than one), `xsb.open` (the agent can reach the
    edge of the board; the place is the cell where it does).
    """
    agent = _only_agent(grid)
    reach, leak = _flood(grid, agent)
    if leak is None:
        return _region(grid, reach, ())
    if not close_border:
        message = f"the walls are open: the player can leave the board at {_name(grid.place(leak))}"
        raise InputError("xsb.open", message, grid.place(leak))
    note = Note("xsb.open", "a border of walls was added around the open board", grid.place(leak))
    closed = add_border(grid)
    reach, _ = _flood(closed, _only_agent(closed))
    return _region(closed, reach, (note,))


def check_goals(region: Region, *, allow_extra_goals: bool = False) -> tuple[Note, ...]:
    """What is remarkable about boxes and goals.

    Raises InputError: `xsb.unreachable_box` (a box off the goals that the agent can never push) and
    `xsb.goals` (not as many goals as boxes; with `allow_extra_goals`, less goals than boxes).
    """
    notes = []
    for cell in region.outside(Cell.BOX):
        place = region.grid.place(cell)
        if not region.grid.at(cell) & Cell.GOAL:
            message = f"the box at {_name(place)} stands on no goal and out of reach: this cannot be solved"
            raise InputError("xsb.unreachable_box", message, place)
        notes.append(Note("xsb.unreachable_box", "a box on a goal out of reach was made a wall", place))
    boxes, goals = region.within(Cell.BOX), region.within(Cell.GOAL)
    lost = [cell for cell in region.outside(Cell.GOAL) if not region.grid.at(cell) & Cell.BOX]
    counts = f"{_count(len(boxes), 'box', 'boxes')} and {_count(len(goals), 'goal', 'goals')}"
    counts += f", and {_count(len(lost), 'goal', 'goals')} out of reach" if lost else ""
    if len(goals) < len(boxes) or (len(goals) + len(lost) > len(boxes) and not allow_extra_goals):
        message = f"a board has as many goals as boxes, this one has {counts}"
        raise InputError("xsb.goals", message, region.grid.first_line)
    first = region.grid.place((0, 0))
    if len(goals) + len(lost) > len(boxes):
        notes.append(Note("xsb.goals", counts, first))
    if not boxes:
        notes.append(Note("xsb.no_boxes", "there are no boxes: the empty plan is the answer", first))
    elif all(region.grid.at(box) & Cell.GOAL for box in boxes):
        message = "all boxes are on goals at the start: the empty plan is the answer"
        notes.append(Note("xsb.solved", message, first))
    return tuple(notes)


def _region(grid: Grid, reach: frozenset[Position], notes: tuple[Note, ...]) -> Region:
    def bits(cells: Iterable[Position]) -> int:
        return sum(1 << row * grid.width + column for row, column in cells)

    boxes, agent, goals = (
        bits(cell for cell in grid.holding(part) if cell in reach)
        for part in (Cell.BOX, Cell.AGENT, Cell.GOAL)
    )
    walls = (1 << grid.width * grid.height) - 1 ^ bits(reach)
    return Region(grid, reach, State(walls, boxes, agent), goals, notes)


def _only_agent(grid: Grid) -> Position:
    agents = grid.holding(Cell.AGENT)
    if not agents:
        raise InputError("xsb.no_player", "a board has one player, this one has none", grid.first_line)
    if len(agents) > 1:
        cells = " and ".join(_name(grid.place(cell)) for cell in agents)
        raise InputError(
            "xsb.players", f"a board has one player, this one has {cells}", grid.place(agents[1])
        )
    return agents[0]


def _flood(grid: Grid, agent: Position) -> tuple[frozenset[Position], Position | None]:
    """The cells in reach, and the nearest one on the board's edge, if any."""
    seen, queue, leak = {agent}, deque([agent]), None
    while queue:
        row, column = queue.popleft()
        if leak is None and (row in (0, grid.height - 1) or column in (0, grid.width - 1)):
            leak = (row, column)
        for down, right in STEPS:
            cell = (row + down, column + right)
            inside = 0 <= cell[0] < grid.height and 0 <= cell[1] < grid.width
            if inside and cell not in seen and grid.at(cell) != Cell.WALL:
                seen.add(cell)
                queue.append(cell)
    return frozenset(seen), leak


def _name(place: Place) -> str:
    return f"line {place.line}, column {place.column}"


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
