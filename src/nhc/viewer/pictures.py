"""Data of a tick as lines of text: boards before and after, or a tape with what was written."""

from collections.abc import Iterator

from rich.text import Text

from nhc.domains.registry import AnyState
from nhc.shapes import NONE
from nhc.tasks.planning import GoalCells, draw
from nhc.viewer.replay import PlanningReplay, Replay, TapeReplay

GAP = 2


def data_rows(replay: Replay) -> int:
    """How many lines there are to show."""
    if isinstance(replay, PlanningReplay):
        return 1 + replay.task.world.draw(replay.states[0]).count("\n") + 1
    return 6


def data_lines(replay: Replay, tick: int, width: int, rows: int) -> list[Text]:
    """At most so many lines of at most this width."""
    if isinstance(replay, PlanningReplay):
        return [*_boards(replay, tick, width, rows)]
    return [*_tapes(replay, tick, width)] if isinstance(replay, TapeReplay) else []


def _boards(replay: PlanningReplay, tick: int, width: int, rows: int) -> Iterator[Text]:
    """Before and after, and the goal if there is room; large boards around the first change."""
    read, goal = replay.read_at(tick), replay.task.goal
    before, after, wanted = _drawn(replay, read, replay.states[tick], goal)
    does = replay.op_text(int(replay.made.op[tick - 1]))
    changed = [
        (row, column)
        for row, pair in enumerate(zip(before, after, strict=True))
        for column, signs in enumerate(zip(*pair, strict=True))
        if signs[0] != signs[1]
    ]
    each, high = min(len(after[0]), (width - len(does) - 2 * GAP - 1) // 2), min(len(after), rows - 1)
    row, column = changed[0] if changed else _agent(before)
    top, left = _window(row, high, len(after)), _window(column, each, len(after[0]))
    cell = int(replay.made.read[tick - 1])
    caption = "nothing" if cell == NONE else f"cell {cell}"
    first, second = max(each, len(caption)), max(each, len("new"))
    fits = 1 + first + 2 * GAP + len(does) + second + GAP + each <= width
    wanted = wanted if fits and not isinstance(goal, GoalCells) else []
    heading = f" {caption:<{first}}{'':{len(does) + 2 * GAP}}{'new':<{second}}{'':{GAP}}"
    yield Text(heading + "goal" * bool(wanted), "dim", no_wrap=True)
    for number in range(top, top + high):
        middle = does if number == top + high // 2 else ""
        line = Text(f" {before[number][left : left + each]:<{first}}", no_wrap=True)
        line.append(f"{'':{GAP}}{middle:<{len(does)}}{'':{GAP}}", "bold")
        for place in range(left, left + each):
            line.append(after[number][place], "reverse" if (number, place) in changed else "")
        yield line.append(
            f"{'':{second - each + GAP}}{wanted[number][left : left + each]}" if wanted else "", "dim"
        )


def _drawn(replay: PlanningReplay, *states: AnyState | GoalCells | None) -> list[list[str]]:
    """The rows of each state, all of one size; with goal cells where the task has such."""
    drawn = [
        [""] if state is None or isinstance(state, GoalCells) else draw(replay.task, state).split("\n")
        for state in states
    ]
    high, width = max(map(len, drawn)), max(len(row) for rows in drawn for row in rows)
    return [[row.ljust(width) for row in [*rows, *[""] * (high - len(rows))]] for rows in drawn]


def _agent(board: list[str]) -> tuple[int, int]:
    """Where to look at a large board on which nothing changed."""
    return next(((row, line.index("@")) for row, line in enumerate(board) if "@" in line), (0, 0))


def _window(at: int, size: int, whole: int) -> int:
    """Where a window begins that shows a place, in the middle if possible."""
    return max(0, min(at - size // 2, whole - size))


def _tapes(replay: TapeReplay, tick: int, width: int) -> Iterator[Text]:
    now, cell = tick - 1, int(replay.made.read[tick - 1])
    shown = replay.positions[now]
    fresh = shown - 1 if shown > (replay.positions[now - 1] if now else 0) else NONE
    yield Text(" input", "dim")
    yield _tape(replay.input, fresh, shown, width)
    output = replay.output_at(tick)
    new = len(output) - 1 if len(output) > (replay.written[now - 1] if now else 0) else NONE
    yield Text(" output", "dim")
    yield _tape(output, new, len(output), width) if output else Text(" nothing yet")
    read = "nothing" if cell == NONE else f"{replay.cell(cell)} (cell {cell})"
    yield Text(f" reads  {read}", no_wrap=True, overflow="ellipsis")
    yield Text.assemble(" does   ", (replay.op_text(int(replay.made.op[now])), "bold"))


def _tape(words: list[str], newest: int, seen: int, width: int) -> Text:
    """Words in a row around the newest, which stands in brackets; those still to come are dim."""
    middle = max(0, min(seen, len(words)) - 1 if newest == NONE else newest)
    first, last, room = middle, middle, width - 4 - len(words[middle] if words else "") - 2
    while words:  # A word before, a word behind, as far as there is room.
        sides = [place for place in (first - 1, last + 1) if 0 <= place < len(words)]
        fitting = [place for place in sides if len(words[place]) + 2 <= room]
        if not fitting:
            break
        place = min(fitting, key=lambda place: abs(place - middle))
        room, first, last = room - len(words[place]) - 2, min(first, place), max(last, place)
    line = Text("…" if first else " ", no_wrap=True)
    for place in range(first, min(last + 1, len(words))):
        sign = f"[{words[place]}]" if place == newest else f" {words[place]} "
        line.append(sign, "bold reverse" if place == newest else "" if place < seen else "dim")
    return line.append("…" if last + 1 < len(words) else "")
