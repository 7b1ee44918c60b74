"""Runs by the network, with every tick and their data, for `nhc trace`."""

from typing import NamedTuple

from nhc.algorithms.sequence.notation import AnyAsked
from nhc.algorithms.tree.environment import Status
from nhc.algorithms.tree.graph_plan import GRAPH_PLAN
from nhc.computer.hosted import Execution, execute
from nhc.computer.sequences import tape_algorithm
from nhc.computer.trace import trace
from nhc.errors import ConfigError
from nhc.model import Model
from nhc.planning.graph_search import trace_graph
from nhc.planning.graph_tasks import graph_task
from nhc.planning.states import computer_for, problem_for
from nhc.runs.trace import Trace
from nhc.tasks.planning import PlanningTask
from nhc.viewer.replay import PlanningReplay, Replay, TapeReplay

FIRST_TRY, TIMES = 500, 10
"""Planning: ticks that are run at first, and how many times more if that was not enough."""

FAILURES = {
    Status.RUNNING: "did not end within {:,} ticks",
    Status.STOPPED_WITHOUT_GOAL: "stopped without the goal after {:,} ticks",
    Status.NOTHING_IN_MEMORY: "had nothing to read after {:,} ticks",
}


class Traced(NamedTuple):
    """A run, and whether it came to its end."""

    replay: Replay
    failure: str = ""
    """What it did instead, after `The run`."""


def traced_input(model: Model, asked: AnyAsked, max_ticks: int) -> Traced:
    """An algorithm that takes an input; words read have the names that were typed. Raises ConfigError."""
    done = execute(model, asked.instance, max_ticks=max_ticks, keep=True)
    replay = TapeReplay(_kept(done).named(asked.name), tape_algorithm(model), asked)
    return Traced(replay, _failure(done, max_ticks))


def traced_task(model: Model, task: PlanningTask, max_ticks: int) -> Traced:
    """Planning by the exact rules of the world. Raises ConfigError."""
    if model.algorithm.name == GRAPH_PLAN.name:
        done = trace_graph(model, graph_task(task), max_ticks=max_ticks)
        return Traced(PlanningReplay(_kept(done), task), _failure(done, max_ticks))
    computer, problem = computer_for(model, task.world), problem_for(task)
    ticks = min(FIRST_TRY, max_ticks)
    while (made := trace(computer, problem, max_ticks=ticks)).status == Status.RUNNING:
        if ticks == max_ticks:
            break
        ticks = min(ticks * TIMES, max_ticks)
    return Traced(PlanningReplay(made, task), FAILURES.get(made.status, "").format(made.ticks))


def _failure(done: Execution, max_ticks: int) -> str:
    """A run that is neither at its end nor cut off had nothing to read."""
    status = Status.RUNNING if done.ticks == max_ticks else Status.NOTHING_IN_MEMORY
    return "" if done.ended else FAILURES[status].format(done.ticks)


def _kept(done: Execution) -> Trace:
    if done.trace is None:
        raise ConfigError("trace.window", "expected a run of at least one tick, found none")
    return done.trace
