"""`nhc trace` in a terminal: what a screen says, what keys do, and that the terminal is left as it was."""

import io
import os
import pty
import sys
import termios
import threading
from functools import cache

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console

from nhc.algorithms.sequence.grammar import NOTATIONS
from nhc.algorithms.sequence.notation import argument_text
from nhc.cli.trace_command import run
from nhc.planning.states import decoded_states
from nhc.tasks.files import parse_task
from nhc.viewer.scene import Scene, Wanted
from nhc.viewer.screen import View, screen
from nhc.viewer.show import EXAMPLE
from nhc.viewer.terminal import after_key, after_pause, browse, next_stop
from nhc.viewer.traced import traced_input, traced_task
from tests.computer.machines import zoo
from tests.viewer.browser import Browser
from tests.viewer.conftest import PageMaker

BOARD_SCREEN = """\
 plan · zoo:plan · tick 17 of 52  ● searching  ○ goal met  ○ start met again
 ━━━━━━━━━━━━━━━━━━━━━━━━◆───────────────────────────────────────────────★─────
Data ───────────────────────────────  Five ways to choose a cell ───────────────
 cell 4        new     goal              first    ████████      0.6 cell 4
 ######        ######  ######          ★ next     ██████████    1.4 cell 4
 #    #        #@   #  #    #            previous ███          -1.1 cell 2
 #@ $ #        #  $ #  #   $#            child    ████         -0.5 cell 16
 #    #  ↑ up  #    #  # @  #            parent   █            -1.7 cell 0
 #    #        #    #  #    #         stores into cell 16, reads cell 4
 ######        ######  ######         by next (temporal forward)

The learned program · search: the goal was not met ─────────────────────────────
 ▸ on EXPANDING-3 after left:
   mark DONE  add FRESH  read next  do up

Memory · 17 cells ──────────────────────────────────────────────────────────────
 cell  way from the start  word   parent
  ⋮ 2  →                   DONE   0         (previous)
    3  ↓                   DONE   0       marked
   ▶4  ←                   FRESH  0       read  (first, next)
    5  ↑↑                  FRESH  1
    6  ↑→                  FRESH  1
 ⋮ 16  ↓←                  FRESH  3       new  (child)
 ← → step  space play  n stop  ? keys  q quit · stops: goal seen"""

TAPE_SCREEN = """\
 brackets · zoo:brackets · tick 8 of 8  ○ open  ○ close  ● …
 ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━◆
Data ───────────────────────────────────────────────────────
 input
  start  (  [  ]  {  }  )
 output
 [yes]
 reads  blank (cell 7)
 does   accept

Five ways to choose a cell ─────────────────────────────────
   first    █            -0.4 cell 3
   next     ███           0.0 cell 1
   previous ░            -0.4 no cell
 ★ child    █████         0.4 cell 7
   parent   ░░░░░░░░░░    1.4 no cell
stores into cell 7, reads cell 7
by child (usage forward)
The learned program · shown end ────────────────────────────
 ▸ on B after nop:
   mark D  add D  read parent, else child  do accept if D, …

Memory · 8 cells ───────────────────────────────────────────
 cell  data   word  parent
    0  start  D             marked
  ⋮ 4  {      D     1
    5  }      D     4
    6  )      A     1
   ▶7  blank  D     0       read, new  (child)
 ■ answer: yes"""


@cache
def scene(name: str) -> Scene:
    """The run of a shipped machine on its example."""
    model = zoo(name)
    if name in NOTATIONS:
        asked = NOTATIONS[name].read(argument_text([NOTATIONS[name].example]))
        traced = traced_input(model, asked, 1000)
    else:
        traced = traced_task(model, parse_task(EXAMPLE.encode()), 1000)
    return Scene(f"zoo:{name}", model, *traced)


def text_of(of: Scene, view: View, width: int, height: int) -> list[str]:
    console = Console(width=width, height=height, file=io.StringIO(), color_system=None)
    with console.capture() as shown:
        console.print(screen(of, view, width, height), height=height, end="")
    return shown.get().rstrip("\n").split("\n")


@pytest.mark.parametrize(
    ("name", "tick", "size", "wanted"),
    [("plan", 17, (80, 24), BOARD_SCREEN), ("brackets", 8, (60, 30), TAPE_SCREEN)],
)
def test_what_a_screen_says(name: str, tick: int, size: tuple[int, int], wanted: str) -> None:
    assert "\n".join(line.rstrip() for line in text_of(scene(name), View(tick), *size)) == wanted


@pytest.mark.parametrize("size", [(44, 23), (71, 23), (72, 16), (80, 24), (132, 43), (230, 70), (20, 5)])
def test_a_screen_fits(size: tuple[int, int]) -> None:
    """Nothing is wider or higher than the terminal, and the board and the ending are to be seen."""
    for name in ("plan", "brackets"):
        last = scene(name).ticks
        for view in (View(1), View(last), View(2, help=True), View(2, prompt="word", typed="DONE")):
            lines = text_of(scene(name), view, *size)
            assert len(lines) <= size[1] and max(map(cell_len, lines)) <= size[0]
            if view.tick == last and size[0] > 20:
                assert scene(name).replay.ending in lines[-1]


def test_keys() -> None:
    """The same stops as on the page."""
    of, view, seen = scene("plan"), View(), []
    for key in (
        "l",
        "\x1b[C",
        "\x1b[D",
        "\x1b[F",
        "\x1b[C",
        "\x1b[H",
        "\x1bOD",
        "n",
        "p",
        *"/17\r",
        *"/x\x7f9\r",
    ):
        after = after_key(of, view, key)
        assert after is not None
        view = after
        if not view.prompt:
            seen.append(view.tick)
    assert seen == [2, 3, 2, of.ticks, of.ticks, 1, 1, 49, 1, 17, 9]
    for key in (*"wDONE\r", "s", "m", "+"):
        view = after_key(of, view, key) or view
    assert view == View(9, Wanted(signals=False, mechanism=True, word="DONE"), speed=10)
    assert next_stop(of, View(1, Wanted(False, True)), 1) == 5, (
        "the fourth operation is followed by the next node"
    )
    done = next_stop(of, View(1, Wanted(False, False, "DONE")), 1)
    assert of.word_name(of.word_read(done)) == "DONE"
    assert after_key(of, view, "q") is None
    playing = after_key(of, View(of.ticks), " ")
    assert playing == View(1, playing=True) and after_pause(of, playing) == View(2, playing=True)
    assert not after_pause(of, View(48, playing=True)).playing, "the goal is seen"


def test_memory_and_data_are_those_of_the_run(browser: Browser, page_of: PageMaker) -> None:
    """Words of cells as the page has them, which keeps its own memory; boards as the trace has them."""
    of = scene("plan")
    states = decoded_states(of.replay.task.world, of.made.data)  # type: ignore[attr-defined]
    assert [of.replay.read_at(tick + 1) for tick in range(of.ticks)] == states  # type: ignore[attr-defined]
    browser.open(page_of("plan"))
    cells = [
        [of.word_of(cell, tick) for cell in range(of.replay.cells_at(tick))]
        for tick in range(1, of.ticks + 1)
    ]
    ticks = "nhc.page.runs[0].ticks.map((_, t) => nhc.page.runs[0].memoryAt(t + 1))"
    assert (
        browser.value(f"{ticks}.map((m) => Array.from({{ length: m.count }}, (_, c) => m.code(c)))") == cells
    )
    closed = scene("graph-plan")
    assert closed.replay.ending == of.replay.ending == "plan: → ↓ ←"
    assert len(closed.replay.born) == int(np.max(closed.made.written)) + 1 < closed.ticks


def test_a_terminal_is_left_as_it_was() -> None:
    """Keys come through a real terminal device, and what is drawn goes to it."""
    outer, inner = pty.openpty()
    before, shown = termios.tcgetattr(inner), bytearray()

    def person() -> None:
        """Types when there is something to see."""
        while not shown.endswith(b"THE END"):
            begins = b"?1049h" not in shown
            shown.extend(os.read(outer, 1 << 16))
            if begins and b"?1049h" in shown:
                os.write(outer, b"\x1b[C\x1b[Cn/12\rq")

    reader = threading.Thread(target=person, daemon=True)
    reader.start()
    with os.fdopen(inner, "w", closefd=True) as file:
        console = Console(file=file, force_terminal=True, width=80, height=24)
        view = browse(scene("plan"), View(), keyboard=inner, console=console)
        after = termios.tcgetattr(inner)
        file.write("THE END")
        file.flush()
        reader.join(timeout=10)
    os.close(outer)
    assert view.tick == 12 and after == before
    text = shown.decode()
    assert text.index("\x1b[?1049h") < text.index("Five ways to choose") < text.index("\x1b[?1049l"), (
        "own screen"
    )


def test_scripts_get_lines(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where stdout is no terminal, or with --table."""
    assert run(["zoo:copy", "ab"]) == 0
    plain = capsys.readouterr().out
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    assert run(["zoo:copy", "ab", "--table"]) == 0
    assert capsys.readouterr().out == plain != ""
