"""`nhc trace`: every tick of a run, for reading or for scripts."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from nhc.cli.parse import message, parse
from nhc.cli.show_command import GivenOptions, given_input, given_task
from nhc.errors import ConfigError

if TYPE_CHECKING:  # These need JAX, which --help does not.
    from nhc.domains.registry import AnyReadable
    from nhc.model import Model
    from nhc.runs.trace import Trace

EXAMPLES = """
nhc trace zoo:brackets '([]{})'
nhc trace zoo:plan level.xsb --first 40 --last 60
nhc trace zoo:plan --sample level=12 --json
"""
FIRST_TRY, TIMES = 500, 10
"""Planning: ticks that are run at first, and how many times more if that was not enough."""


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
    """Print every tick of a run by the network: cells read and written, operation, mechanism, control word.

    Without a task there is an example. With --json there is a line of JSON for each tick, after one that says
    what the numbers mean.
    """

    json: bool = False
    """Lines of JSON."""


class Traced(NamedTuple):
    """A run, the task as text, and how it ended."""

    made: "Trace"
    task: str
    ended: bool
    world: "AnyReadable | None" = None
    """Of a planning task."""


def run(arguments: list[str]) -> int:
    """Trace and print. Exit 1 if the run did not end."""
    options = parse(TraceOptions, arguments, name="trace", examples=EXAMPLES)
    first, last = options.window()
    from nhc.model import load_model
    from nhc.viewer.trace_lines import header_line, tick_lines, window

    model = load_model(options.model)
    traced = traced_run(options, model)
    made = traced.made
    if options.json:
        print(json.dumps(header_line(options.model, model, traced.task, made.ticks), ensure_ascii=False))
        for line in tick_lines(made, first, last):
            print(json.dumps(line, ensure_ascii=False))
        print(json.dumps({"ended": traced.ended}))
    else:
        print(window(made, first, last))
    if not traced.ended:
        message(f"The run did not end within {made.ticks:,} ticks.")
    return 0 if traced.ended else 1


def traced_run(options: WindowOptions, model: "Model") -> Traced:
    """The run of a model on what the options give.

    Raises ConfigError (`trace.algorithm`) for graph-plan, and what `given_task` and `given_input` raise.
    """
    from nhc.algorithms.tree.algorithm import TREES
    from nhc.algorithms.tree.graph_plan import GRAPH_PLAN

    if model.algorithm.name == GRAPH_PLAN.name:
        raise ConfigError(
            "trace.algorithm", f"expected another algorithm than {GRAPH_PLAN.name}: see nhc show"
        )
    return (planned if model.algorithm.name in TREES else executed)(options, model)


def executed(options: WindowOptions, model: "Model") -> Traced:
    """An algorithm that takes an input; words read have the names that were typed."""
    from nhc.computer.hosted import execute

    text, asked = given_input(options, model.algorithm.name)
    done = execute(model, asked.instance, max_ticks=options.max_ticks, keep=True)
    if done.trace is None:
        raise ConfigError("trace.window", "expected a run of at least one tick, found none")
    return Traced(done.trace.named(asked.name), text, done.ended)


def planned(options: WindowOptions, model: "Model") -> Traced:
    """Search and plan, with the exact data modules of the world."""
    from nhc.algorithms.tree.environment import Status
    from nhc.computer.trace import trace
    from nhc.planning.states import computer_for, problem_for
    from nhc.tasks.files import format_task

    task = given_task(options)
    computer, problem = computer_for(model, task.world), problem_for(task)
    ticks = min(FIRST_TRY, options.max_ticks)
    while (made := trace(computer, problem, max_ticks=ticks)).status == Status.RUNNING:
        if ticks == options.max_ticks:
            break
        ticks = min(ticks * TIMES, options.max_ticks)
    return Traced(made, format_task(task), made.status == Status.FINISHED, task.world)
