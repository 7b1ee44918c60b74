"""`nhc trace`: every tick of a run, to step through, for reading or for scripts."""

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nhc.cli.parse import message, parse
from nhc.cli.show_command import GivenOptions, given_input, given_task
from nhc.errors import ConfigError

if TYPE_CHECKING:  # These need JAX, which --help does not.
    from nhc.model import Model
    from nhc.viewer.traced import Traced


@dataclass
class WindowOptions(GivenOptions):
    """A model, a task, and which ticks of the run are shown."""

    first: int = 1
    """The first tick that is shown."""
    last: int | None = None
    """The last one."""
    max_ticks: int = 50_000
    """How far to run at most."""

    def window(self) -> tuple[int, int]:
        """First and last tick. Raises ConfigError (`trace.window`)."""
        last = self.max_ticks if self.last is None else self.last
        if not 1 <= self.first <= last:
            raise ConfigError("trace.window", f"expected 1 <= first <= last, found {self.first} and {last}")
        return self.first, last


@dataclass
class TraceOptions(WindowOptions):
    """Look at every tick of a run by the network: data, the five mechanisms, the program, cells of memory.

    In a terminal keys step through it; ? lists them, q quits. Elsewhere, or with --table, there is a line a
    tick: cells read and written, operation, mechanism, control word. With --json there is a line of JSON for
    each tick, after one that says what the numbers mean. Without a task there is an example.

    Examples:
    nhc trace zoo:brackets '([]{})'
    nhc trace zoo:plan level.xsb --table --first 40 --last 60
    nhc trace zoo:plan --sample level=12 --json
    """

    table: bool = False
    """A table, also in a terminal."""
    json: bool = False
    """Lines of JSON."""


def run(arguments: list[str]) -> int:
    """Trace and print, or browse. Exit 1 if the run did not end."""
    options = parse(TraceOptions, arguments, name="trace")
    first, last = options.window()
    from nhc.model import load_model
    from nhc.viewer.traced import header_line, tick_lines, window

    model = load_model(options.model)
    text, traced = traced_run(options, model)
    made = traced.replay.made
    if options.json:
        print(json.dumps(header_line(options.model, model, text, made.ticks), ensure_ascii=False))
        for line in tick_lines(made, first, last):
            print(json.dumps(line, ensure_ascii=False))
        print(json.dumps({"ended": not traced.failure}))
    elif options.table or not browsed(options, model, traced):
        print(window(made, first, last))
    if traced.failure:
        message(f"The run {traced.failure}.")
    return 1 if traced.failure else 0


def traced_run(options: WindowOptions, model: "Model") -> tuple[str, "Traced"]:
    """What the options give as text, and the run of a model on it.

    Raises what `given_task`, `given_input`, `traced_task` and `traced_input` raise.
    """
    from nhc.tasks.files import format_task
    from nhc.viewer.machine_json import PLANNERS
    from nhc.viewer.traced import traced_input, traced_task

    if model.algorithm.name in PLANNERS:
        task = given_task(options)
        return format_task(task), traced_task(model, task, options.max_ticks)
    text, asked = given_input(options, model.algorithm.name)
    return text, traced_input(model, asked, options.max_ticks)


def browsed(options: TraceOptions, model: "Model", traced: "Traced") -> bool:
    """Let a person look at the run; false where there is nobody, or no terminal that tells of single keys."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    try:
        from nhc.viewer.terminal import browse
    except ModuleNotFoundError:  # There is no termios on Windows.
        return False
    from rich.console import Console

    from nhc.viewer.scene import Scene
    from nhc.viewer.screen import View

    scene = Scene(options.model, model, *traced)
    first = min(options.first, scene.ticks)
    browse(scene, View(first), keyboard=sys.stdin.fileno(), console=Console())
    return True
