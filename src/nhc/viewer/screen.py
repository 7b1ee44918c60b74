"""One tick of a run as a screen of text: what the page shows, in a terminal of any size.

`screen` is pure: the same scene, tick and size give the same text. From above: where the run is, data before
and after, the five mechanisms, the line of the program, cells of memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.console import Group, RenderableType
from rich.layout import Layout
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from nhc.machine.layout import MECHANISMS
from nhc.shapes import NONE
from nhc.viewer.learned import Line
from nhc.viewer.pictures import data_lines, data_rows
from nhc.viewer.scene import Scene, Wanted

SHORT_NAMES = ("first", "next", "previous", "child", "parent")
"""What programs call the cells that the mechanisms name."""
WAYS_WIDTH, WAYS_HEIGHT, BAR = 42, 8, 10
SIDE_BY_SIDE, NARROWEST = 72, 44
"""From so many columns on, data and mechanisms stand side by side; with fewer there is no screen."""
LOWEST, LOWEST_STACKED = 16, 23
"""Rows that are needed, also where they stand one above the other."""
KEYS = (
    ("← →", "one tick back or on"),
    ("↑ ↓", "ten ticks back or on"),
    ("Home End", "to the first or the last tick"),
    ("space", "play or stop"),
    ("+ -", "play faster or slower"),
    ("/", "jump: type a tick and Enter"),
    ("n p", "to the next stop, or to the one before"),
    ("s", "stop where the signals change (goal seen), or not"),
    ("m", "stop where another mechanism wins, or not"),
    ("w", "stop at a word: type its name, such as DONE, or nothing"),
    ("?", "this help, or back"),
    ("q", "quit"),
)


@dataclass(frozen=True)
class View:
    """What a person chose to see."""

    tick: int = 1
    wanted: Wanted = field(default_factory=Wanted)
    playing: bool = False
    speed: int = 3
    """Ticks a second."""
    help: bool = False
    prompt: str = ""
    """What is being asked: `tick` or `word`."""
    typed: str = ""
    """The answer so far."""


def screen(scene: Scene, view: View, width: int, height: int) -> RenderableType:
    """The whole screen."""
    beside = width >= SIDE_BY_SIDE
    if width < NARROWEST or height < (LOWEST if beside else LOWEST_STACKED):
        return Text(f"Too small: needs {SIDE_BY_SIDE}x{LOWEST} or {NARROWEST}x{LOWEST_STACKED}. q: quit")
    if view.help:
        return _help()
    tick, room = view.tick, height - 3
    below = room if beside else room - WAYS_HEIGHT
    high = max(WAYS_HEIGHT, min(room // 2, data_rows(scene.replay) + 2, below - 4))
    left = below - high
    line_rows = 4 if left < 16 else min(left // 2, 12)
    data = Layout(_data(scene, tick, width - WAYS_WIDTH - 2 if beside else width, high))
    ways = Layout(_ways(scene, tick), size=WAYS_WIDTH if beside else WAYS_HEIGHT)
    top = Layout(size=high)
    if beside:
        top.split_row(data, Layout(" ", size=2), ways)
    else:
        top.update(data.renderable)
    whole, cells = Layout(), left - line_rows - 2
    whole.split_column(
        Layout(_head(scene, view, width), size=2),
        top,
        *([] if beside else [ways]),
        Layout(_program(scene, tick, line_rows), size=line_rows),
        Layout(_memory(scene, tick, cells), visible=cells > 0),
        Layout(_foot(scene, view), size=1),
    )
    return whole


def _head(scene: Scene, view: View, width: int) -> RenderableType:
    line = Text.assemble((f" {scene.model.algorithm.name}", "bold"), f" · {scene.name} · tick ", no_wrap=True)
    line.append(f"{view.tick}", "bold")
    line.append(f" of {scene.ticks:,}")
    for name, value in zip(scene.model.algorithm.signals, scene.made.signals[view.tick - 1], strict=True):
        line.append(f"  {'●' if value > 0 else '○'} {name}", "bold" if value > 0 else "dim")
    line.truncate(width, overflow="ellipsis")
    return Group(line, _track(scene, view.tick, width))


def _track(scene: Scene, tick: int, width: int) -> Text:
    """The run as a line: what was shown, and a star where the goal was seen."""

    def place(at: int) -> int:
        return 1 + round((at - 1) * (width - 3) / max(1, scene.ticks - 1))

    signs = [" ", *("━" if at < place(tick) else "─" for at in range(1, width - 1)), " "]
    if scene.goal_at is not None:
        signs[place(scene.goal_at)] = "★"
    signs[place(tick)] = "◆"
    return Text("".join(signs), "cyan", no_wrap=True)


def _data(scene: Scene, tick: int, width: int, rows: int) -> RenderableType:
    return Group(_title("Data"), *data_lines(scene.replay, tick, width, rows - 1))


def _ways(scene: Scene, tick: int) -> RenderableType:
    """The five mechanisms as bars between the weakest and the strongest; ░ names no cell."""
    made, now = scene.made, tick - 1
    strengths, cells, winner = made.strengths[now].astype(float), made.addresses[now], int(made.winner[now])
    low, span = strengths.min(), float(strengths.max() - strengths.min()) or 1.0
    table = Table.grid(padding=(0, 1))
    for width in (2, 8, BAR, 6):
        table.add_column(width=width, no_wrap=True, justify="right" if width == 6 else "left")
    table.add_column(no_wrap=True)
    for number, name in enumerate(SHORT_NAMES):
        cell, wins = int(cells[number]), number == winner
        filled = 1 + round((BAR - 1) * (strengths[number] - low) / span)
        bar = ("░" if cell == NONE else "█") * filled
        target = "no cell" if cell == NONE else f"cell {cell}"
        style = "bold green" if wins else "dim" if cell == NONE else ""
        table.add_row(
            " ★" if wins else "", name, bar, f"{round(strengths[number], 1) + 0:.1f}", target, style=style
        )
    written, read = int(made.written[now]), int(made.read[now])
    stores = "stores nothing" if written == NONE else f"stores into cell {written}"
    reads = "reads nothing" if read == NONE else f"reads cell {read}"
    told = Text(f"{stores}, {reads}", no_wrap=True)
    by = Text(f"by {SHORT_NAMES[winner]} ({MECHANISMS[winner]})", "dim", no_wrap=True)
    return Group(_title("Five ways to choose a cell"), table, told, by)


def _program(scene: Scene, tick: int, rows: int) -> RenderableType:
    """The line that is executed, among those of its section where there is room."""
    found = scene.line_at(tick)
    if found is None:
        why = "no line: small inputs do not meet this case" if scene.lines else scene.program.about
        return Group(_title("The learned program"), Text(f" {why}", "dim"))
    section, line = found
    title = _title(f"The learned program · {section.title}")
    if rows < len(section.lines) + 2 and rows <= 4:
        when = Text(f" ▸ {line.when}:", "bold", no_wrap=True, overflow="ellipsis")
        return Group(title, when, _what(line, "   "))
    place = section.lines.index(line)
    first = max(0, min(place - (rows - 2) // 2, len(section.lines) - (rows - 2)))
    table = Table.grid(padding=(0, 1))
    for each in section.lines[first : first + rows - 2]:
        here = each is line
        table.add_row(" ▸" if here else "  ", each.when, _what(each), style="bold" if here else "dim")
    return Group(title, table)


def _what(line: Line, begin: str = "") -> Text:
    """What a line does, in its order."""
    what = Text(begin, no_wrap=True, overflow="ellipsis")
    for verb, text in (("mark", line.mark), ("add", line.add or "nothing"), ("", line.read), ("do", line.do)):
        if text:
            what.append(f"{verb} " if verb else "", "not bold dim").append(f"{text}  ")
    return what


def _memory(scene: Scene, tick: int, rows: int) -> RenderableType:
    """Cells around the one that is read, and those that this tick is about."""
    now, count = tick - 1, scene.replay.cells_at(tick)
    read, written = int(scene.made.read[now]), int(scene.made.written[now])
    marked = int(scene.made.read[now - 1]) if now else NONE
    table = Table.grid(padding=(0, 2), expand=False)
    for number in range(5):
        table.add_column(no_wrap=True, justify="left" if number else "right")
    table.add_row(
        " cell", "way from the start" if scene.is_planning else "data", "word", "parent", "", style="dim"
    )
    last = NONE
    for cell in shown_cells(count, [read, written, marked], rows):
        named = [SHORT_NAMES[m] for m, at in enumerate(scene.made.addresses[now]) if at == cell]
        notes = [note for note, at in (("read", read), ("new", written), ("marked", marked)) if at == cell]
        parent = int(scene.made.read[scene.replay.born[cell] - 2]) if scene.replay.born[cell] > 1 else NONE
        table.add_row(
            f"{'⋮' if cell > last + 1 else ''} {'▶' if cell == read else ''}{cell}",
            scene.replay.cell(cell),
            scene.word_name(scene.word_of(cell, tick)),
            "" if parent == NONE else str(parent),
            ", ".join(notes) + (f"  ({', '.join(named)})" if named else ""),
            style="bold cyan" if cell == read else "green" if cell == written else "",
        )
        last = cell
    return Group(_title(f"Memory · {count:,} cells"), table)


def shown_cells(count: int, wanted: Sequence[int], rows: int) -> list[int]:
    """Up to so many cells: those that are wanted, as far as there are such, and those around the first."""
    shown = dict.fromkeys(cell for cell in wanted if 0 <= cell < count)
    first = next(iter(shown), 0)
    for around in range(1, count):
        if len(shown) >= rows:
            break
        shown.update(dict.fromkeys(c for c in (first - around, first + around) if 0 <= c < count))
    if not shown and count:
        shown[0] = None
    return sorted([*shown][: max(rows, 1)])


def _foot(scene: Scene, view: View) -> Text:
    if view.prompt:
        asked = {"tick": "jump to tick", "word": "stop at the word (empty: at none)"}[view.prompt]
        return Text.assemble((f" {asked}: ", "bold"), view.typed, ("▏", "blink"))
    if view.tick == scene.ticks:
        text = f"the run {scene.failure}" if scene.failure else scene.replay.ending
        return Text(f" ■ {text}", "bold", no_wrap=True, overflow="ellipsis")
    wanted = view.wanted
    names = ("goal seen" if scene.is_planning else "signals change", "mechanism changes", wanted.word)
    stops = [name for name, is_wanted in zip(names, wanted, strict=True) if is_wanted]
    state = f"playing, {view.speed} a second" if view.playing else "← → step  space play  n stop"
    return Text(
        f" {state}  ? keys  q quit · stops: {', '.join(stops) or 'none'}",
        "dim",
        no_wrap=True,
        overflow="ellipsis",
    )


def _title(text: str) -> Rule:
    return Rule(Text(text, "bold"), align="left", style="dim", characters="─")


def _help() -> RenderableType:
    table = Table.grid(padding=(0, 3))
    for keys, text in KEYS:
        table.add_row(f"  {keys}", text)
    signs = "★ wins, or the goal is seen · ▶ read · ░ names no cell · changed signs of a board are reversed"
    return Group(_title("Keys"), table, Text(f"\n  {signs}", "dim"))
