"""Random tasks of every shipped machine as a person would write them, and what the machine does on each."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nhc.algorithms.sequence.algorithm import SequenceAlgorithm
from nhc.algorithms.sequence.grammar import NOTATIONS
from nhc.algorithms.sequence.notation import argument_text
from nhc.algorithms.tree.graph_plan import GRAPH_PLAN, Graph
from nhc.algorithms.tree.sampler import sample_tasks
from nhc.computer.hosted import execute
from nhc.computer.trace import trace
from nhc.domains.free_tree import TreeState
from nhc.domains.protocol import BRANCHING
from nhc.domains.states import picked, plain
from nhc.model import Model
from nhc.planning.sample import sampled_task
from nhc.planning.states import computer_for, problem_for
from nhc.runs.trace import Trace
from nhc.tasks.files import format_task
from nhc.tasks.planning import PlanningTask
from nhc.viewer.machine_json import PLANNERS
from tests.computer.machines import world, zoo

WORLDS = ("sokoban-6x6", "sliding-3x3", "free-tree")
LONGEST = 100
"""Ticks of a planning task: Level 21 needs 88."""


@dataclass(frozen=True)
class Expected:
    """A task's text, and the run on it."""

    text: str
    op: list[int]
    read: list[int]
    winner: list[int]
    word: list[int]
    addresses: list[list[int]]
    answer: str | None

    def json(self) -> dict[str, object]:
        return dict(self.__dict__)


def expected_runs(name: str, count: int, seed: int = 0) -> Iterator[Expected]:
    """`count` random tasks of the shipped machine of that name."""
    model, rng = zoo(name), np.random.default_rng(seed)
    if name in PLANNERS:
        yield from _planning_runs(model, count, rng)
        return
    made = 0
    while made < count:
        run = _sequence_run(model, rng)
        if run is not None:
            made += 1
            yield run


def _sequence_run(model: Model, rng: np.random.Generator) -> Expected | None:
    algorithm: object = model.algorithm
    assert isinstance(algorithm, SequenceAlgorithm)
    notation = NOTATIONS[algorithm.name]
    level = int(rng.integers(1, algorithm.levels + (1 if algorithm.exponential else 8)))
    try:
        text = notation.write(algorithm.sample(level, rng))
    except ValueError:  # More types of brackets than there are signs.
        return None
    asked = notation.read(argument_text(text.split()))
    done = execute(model, asked.instance, keep=True)
    assert done.correct and done.trace is not None
    return _expected(text, done.trace, notation.show(done.result, asked))


def _planning_runs(model: Model, count: int, rng: np.random.Generator) -> Iterator[Expected]:
    name = model.algorithm.name
    for number in range(count):
        domain = world(WORLDS[number % len(WORLDS)])
        if domain.name == "free-tree":
            task = sampled_task(domain, TreeState(0), TreeState(int(rng.integers(1, 85))), "")
        else:
            sample = sample_tasks(domain, int(rng.integers(1, 22)), rng=rng, worlds=256)
            if not sample.size:
                sample = sample_tasks(domain, 1, rng=rng, worlds=256)
            task = sampled_task(domain, picked(sample.start_state, 0), picked(sample.goal_state, 0), "")
        made = _graph_run(model, task) if name == GRAPH_PLAN.name else _tree_run(model, task)
        text = "\n".join(line for line in format_task(task).splitlines() if not line.startswith("Title:"))
        yield _expected(text, made, None)


def _tree_run(model: Model, task: PlanningTask) -> Trace:
    return trace(computer_for(model, world(task.world.name)), problem_for(task), max_ticks=LONGEST)


def _graph_run(model: Model, task: PlanningTask) -> Trace:
    """On the graph of the task's states, each numbered as it is first met."""
    numbers, states, children = {task.start: 0}, [task.start], list[list[int]]()
    for state in states:  # grows
        if task.goal in numbers:
            break
        children.append([])
        for op in range(BRANCHING):
            after = plain(task.world.step(state, op))
            if after not in numbers:
                numbers[after] = len(states)
                states.append(after)
            children[-1].append(numbers[after])
    children += [[node] * BRANCHING for node in range(len(children), len(states))]
    done = execute(model, Graph(children, numbers[task.goal]), keep=True)
    assert done.correct and done.trace is not None
    return done.trace


def _expected(text: str, made: Trace, answer: str | None) -> Expected:
    places = 1 << np.arange(made.word.shape[1])
    return Expected(
        text,
        made.op.tolist(),
        made.read.tolist(),
        made.winner.tolist(),
        ((made.word > 0) @ places).tolist(),
        made.addresses.tolist(),
        answer,
    )


def as_json(name: str, count: int, seed: int = 0) -> str:
    """Those runs as a JSON list."""
    return json.dumps([run.json() for run in expected_runs(name, count, seed)])
