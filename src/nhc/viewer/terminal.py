"""The keys of `nhc trace` in a terminal: from a view and a key to the next view, and the loop around it."""

import os
import re
import select
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from rich.console import Console
from rich.live import Live

from nhc.viewer.scene import Scene
from nhc.viewer.screen import View, screen

KEY = re.compile(r"\x1b\[[0-9;]*[~A-Za-z]|\x1bO[A-Za-z]|.", re.DOTALL)
"""A key as terminals send it."""
NAMES = {
    **dict.fromkeys(("\x1b[D", "\x1bOD", "h"), "left"),
    **dict.fromkeys(("\x1b[C", "\x1bOC", "l"), "right"),
    **dict.fromkeys(("\x1b[A", "\x1bOA", "\x1b[5~", "k"), "up"),
    **dict.fromkeys(("\x1b[B", "\x1bOB", "\x1b[6~", "j"), "down"),
    **dict.fromkeys(("\x1b[H", "\x1bOH", "\x1b[1~", "\x1b[7~"), "home"),
    **dict.fromkeys(("\x1b[F", "\x1bOF", "\x1b[4~", "\x1b[8~"), "end"),
}
ENTER, ERASE, ESCAPE = ("\r", "\n"), ("\x7f", "\b"), "\x1b"
MOVES = {"left": -1, "right": 1, "up": -10, "down": 10}
SPEEDS = (1, 3, 10, 40)
REFRESH = 0.25
"""Seconds after which a terminal of another size is noticed."""


def after_key(scene: Scene, view: View, key: str) -> View | None:
    """What is to be seen after a key; None to quit. Keys without a meaning change nothing."""
    if view.prompt:
        return _answered(scene, view, key)
    name = NAMES.get(key, key)
    if name == "q":
        return None
    if view.help or name == "?":
        return replace(view, help=not view.help, playing=False)
    if name in MOVES:
        return _at(scene, view, view.tick + MOVES[name])
    if name in ("home", "end"):
        return _at(scene, view, 1 if name == "home" else scene.ticks)
    if name in ("n", "p"):
        return _at(scene, view, next_stop(scene, view, 1 if name == "n" else -1))
    return _set(scene, view, name)


def _set(scene: Scene, view: View, name: str) -> View:
    """Keys that ask, or change how the run is shown."""
    match name:
        case "/" | "w":
            return replace(view, prompt="tick" if name == "/" else "word", typed="", playing=False)
        case "s":
            return replace(view, wanted=view.wanted._replace(signals=not view.wanted.signals))
        case "m":
            return replace(view, wanted=view.wanted._replace(mechanism=not view.wanted.mechanism))
        case "+" | "-":
            place = SPEEDS.index(view.speed) + (1 if name == "+" else -1)
            return replace(view, speed=SPEEDS[max(0, min(place, len(SPEEDS) - 1))])
        case " ":
            begin = 1 if view.tick == scene.ticks and not view.playing else view.tick
            return replace(view, playing=not view.playing, tick=begin)
    return view


def after_pause(scene: Scene, view: View) -> View:
    """The next tick of a run that plays; it stops at its end, and where something wanted happens."""
    tick = min(view.tick + 1, scene.ticks)
    return replace(view, tick=tick, playing=tick < scene.ticks and not scene.stops(tick, view.wanted))


def next_stop(scene: Scene, view: View, direction: int) -> int:
    """The nearest tick in a direction at which something wanted happens, else the first or the last."""
    tick = view.tick + direction
    while 1 < tick < scene.ticks and not scene.stops(tick, view.wanted):
        tick += direction
    return tick


def _at(scene: Scene, view: View, tick: int) -> View:
    return replace(view, tick=max(1, min(tick, scene.ticks)), playing=False)


def _answered(scene: Scene, view: View, key: str) -> View:
    """A key while something is being asked."""
    done = replace(view, prompt="", typed="")
    if key == ESCAPE:
        return done
    if key in ERASE:
        return replace(view, typed=view.typed[:-1])
    if key not in ENTER:
        return replace(view, typed=view.typed + key) if key.isprintable() else view
    if view.prompt == "word":
        return replace(done, wanted=view.wanted._replace(word=view.typed.strip()))
    return _at(scene, done, int(view.typed)) if view.typed.strip().isdecimal() else done


def browse(scene: Scene, view: View, *, keyboard: int, console: Console) -> View:
    """Show a run until a person quits; returns what was seen last.

    `keyboard` is the descriptor of the terminal that keys come from; it is left as it was.
    """
    screen(scene, view, *console.size)  # What has to be computed first is, before the screen is taken.
    with _key_by_key(keyboard), Live(console=console, screen=True, auto_refresh=False) as live:
        size, now = console.size, View(0)
        while True:
            if view != now or console.size != size:
                size, now = console.size, view
                live.update(screen(scene, view, *size), refresh=True)
            if not select.select([keyboard], [], [], 1 / view.speed if view.playing else REFRESH)[0]:
                view = after_pause(scene, view) if view.playing else view
                continue
            typed = os.read(keyboard, 256).decode(errors="replace")
            for key in KEY.findall(typed):
                after = after_key(scene, view, key)
                if after is None:
                    return view
                view = after
            if not typed:
                return view


@contextmanager
def _key_by_key(keyboard: int) -> Iterator[None]:
    """Keys come at once and are not shown."""
    before = termios.tcgetattr(keyboard)
    try:
        tty.setcbreak(keyboard, termios.TCSADRAIN)  # Keys that were typed ahead count.
        yield
    except KeyboardInterrupt:
        pass
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)
