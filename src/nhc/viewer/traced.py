"""Runs by the network, with every tick and their data, and their ticks as JSON, for `nhc trace`.

docs/viewer.md describes the format; whoever reads it needs nothing but a JSON reader. `VERSION` changes when
a reader has to.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from nhc.algorithms.sequence.notation import AnyAsked
from nhc.algorithms.tree.environment import Status
from nhc.algorithms.tree.graph_plan import GRAPH_PLAN
from nhc.computer.hosted import Execution, execute
from nhc.computer.sequences import tape_algorithm
from nhc.computer.trace import trace
from nhc.errors import ConfigError
from nhc.machine.layout import MECHANISMS
from nhc.model import Model
from nhc.planning.graph_search import trace_graph
from nhc.planning.graph_tasks import graph_task
from nhc.planning.states import computer_for, problem_for
from nhc.runs.trace import Trace
from nhc.tasks.planning import PlanningTask
from nhc.viewer.replay import PlanningReplay, Replay, TapeReplay

FIRST_TRY, TIMES = 500, 10
"""Planning: ticks that are run at first, and how many times more if that was not enough."""

FORMAT, VERSION = "nhc.trace", 1
DIGITS = 6
"""Of strengths, behind the point."""
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


def header_line(name: str, model: Model, task: str, ticks: int) -> dict[str, object]:
    """What the numbers of the other lines mean."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "model": name,
        "weights": model.hash,
        "algorithm": model.algorithm.name,
        "task": task,
        "signals": list(model.algorithm.signals),
        "ops": list(model.algorithm.ops),
        "mechanisms": list(MECHANISMS),
        "ticks": ticks,
    }


def tick_lines(made: Trace, first: int, last: int) -> Iterator[dict[str, object]]:
    """The ticks `first`..`last`, as far as there are such; addresses are -1 where there is none."""
    winner, named = made.winner, made.data.dtype == object
    for t in range(first - 1, min(last, made.ticks)):
        line: dict[str, object] = {
            "tick": t + 1,
            "signals": [int(value) for value in made.signals[t]],
            "op": int(made.op[t]),
            "read": int(made.read[t]),
            "written": int(made.written[t]),
            "mechanism": int(winner[t]),
            "cells": made.addresses[t].tolist(),
            "strengths": np.round(made.strengths[t].astype(np.float64), DIGITS).tolist(),
            "word": "".join("+" if value > 0 else "-" for value in made.word[t]),
        }
        yield {**line, "data": made.data[t]} if named else line


def window(made: Trace, first: int, last: int) -> str:
    """The ticks `first`..`last` of a trace's table, with its heading."""
    heading, *lines = made.table().splitlines()
    return "\n".join([heading, *lines[first - 1 : last]])
