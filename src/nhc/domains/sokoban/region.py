"""The part of a board that the agent can ever reach, and what a board must satisfy to be played.

Boxes can be pushed away, so reach goes through them. What lies outside becomes wall: then the walls
enclose the agent, which the rules need, and decoration cannot change the game.
"""

from collections import deque
from dataclasses import dataclass

from nhc.domains.sokoban.board import STEPS, Board
from nhc.domains.sokoban.cells import Cell
from nhc.domains.sokoban.grid import Grid, Position, add_border
from nhc.domains.sokoban.level import Note
from nhc.domains.sokoban.rules import State
from nhc.errors import InputError, Place


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
        return [cell for cell in self.grid.positions() if cell in self.reach and part & self.grid.at(cell)]

    def outside(self, part: int) -> list[Position]:
        """The cells out of reach that hold this, in row-major order."""
        return [
            cell for cell in self.grid.positions() if cell not in self.reach and part & self.grid.at(cell)
        ]


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
    decoration = _check_outside(region)
    boxes, goals = region.within(Cell.BOX), region.within(Cell.GOAL)
    lost = [cell for cell in region.outside(Cell.GOAL) if not region.grid.at(cell) & Cell.BOX]
    first = region.grid.place((0, 0))
    counts = f"{_count(len(boxes), 'box', 'boxes')} and {_count(len(goals), 'goal', 'goals')}"
    counts += f", and {_count(len(lost), 'goal', 'goals')} out of reach" if lost else ""
    if len(goals) < len(boxes) or (len(goals) + len(lost) > len(boxes) and not allow_extra_goals):
        message = f"a board has as many goals as boxes, this one has {counts}"
        raise InputError("xsb.goals", message, Place(first.file, first.line, None, first.level))
    extra = (Note("xsb.goals", counts, first),) if len(goals) + len(lost) > len(boxes) else ()
    return (*decoration, *extra, *_check_solved(region, boxes, first))


def _region(grid: Grid, reach: frozenset[Position], notes: tuple[Note, ...]) -> Region:
    boxes = agent = goals = inside = 0
    for row, column in reach:
        bit = 1 << (row * grid.width + column)
        content = grid.rows[row][column]
        inside |= bit
        boxes |= bit if content & Cell.BOX else 0
        agent |= bit if content & Cell.AGENT else 0
        goals |= bit if content & Cell.GOAL else 0
    walls = (1 << grid.width * grid.height) - 1 ^ inside
    return Region(grid, reach, State(walls, boxes, agent), goals, notes)


def _check_outside(region: Region) -> tuple[Note, ...]:
    notes = []
    for cell in region.outside(Cell.BOX):
        place = region.grid.place(cell)
        if not region.grid.at(cell) & Cell.GOAL:
            message = f"the box at {_name(place)} stands on no goal and out of reach: this cannot be solved"
            raise InputError("xsb.unreachable_box", message, place)
        notes.append(Note("xsb.unreachable_box", "a box on a goal out of reach was made a wall", place))
    return tuple(notes)


def _check_solved(region: Region, boxes: list[Position], first: Place) -> tuple[Note, ...]:
    if not boxes:
        return (Note("xsb.no_boxes", "there are no boxes: the empty plan is the answer", first),)
    if all(region.grid.at(box) & Cell.GOAL for box in boxes):
        return (
            Note("xsb.solved", "all boxes are on goals at the start: the empty plan is the answer", first),
        )
    return ()


def _only_agent(grid: Grid) -> Position:
    agents = [cell for cell in grid.positions() if grid.at(cell) & Cell.AGENT]
    first = grid.place((0, 0))
    if not agents:
        place = Place(first.file, first.line, None, first.level)
        raise InputError("xsb.no_player", "a board has one player, this one has none", place)
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
