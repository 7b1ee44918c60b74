"""Evaluation in a world: many sampled tasks of a level, every tick compared with the teacher.

A task counts as solved if operations and data words are right on every tick up to the end, which makes the
plan the shortest one that breadth-first search finds first. The data modules are evaluated ahead of control,
each distinct word once; `nhc.planning.nodes` says why that is the run with data in the loop.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.algorithms.judge import Points
from nhc.algorithms.traces import ANY, Traces
from nhc.algorithms.tree.environment import Status
from nhc.algorithms.tree.nodes import path
from nhc.algorithms.tree.sampler import (
    MOST_WORLDS,
    Sample,
    grow_tree,
    level_is_empty,
    nearest_level,
    sample_tasks,
    tree_traces,
)
from nhc.computer.world import Computer
from nhc.domains.protocol import BRANCHING
from nhc.domains.registry import AnyDomain, AnyState
from nhc.domains.states import joined, picked
from nhc.evolve.evaluate import capacity_for
from nhc.planning.nodes import NodeRuns, grow_trees, left_alone, run_nodes
from nhc.streams import random_stream

WORLDS_A_DRAW = 2_000
RUNS_AT_A_TIME = 2_000


class LevelResult(NamedTuple):
    """Successes on one level."""

    level: int
    drawn_from: int
    """The level of the tasks: the nearest lower one where the domain has none of `level`."""
    tasks: int
    solved: int
    acceptance: float
    """Share of drawn worlds that hold a task of the level."""

    @property
    def failures(self) -> int:
        """Tasks that were not solved."""
        return self.tasks - self.solved


class Drawn(NamedTuple):
    """Tasks of a level with the states behind them."""

    start: AnyState
    goal: AnyState
    node: NDArray[np.int32]
    acceptance: float


def evaluate_level(
    computer: Computer, domain: AnyDomain, level: int, *, count: int, seed: int
) -> LevelResult:
    """Run `count` fresh tasks of a level. Raises InputError (`task.level`)."""
    filled = nearest_level(domain, level)
    rng = random_stream(seed, "evaluation", filled)
    drawn = draw_level(domain, filled, count=count, rng=rng)
    batches = graded_batches(computer, domain, drawn, filled)
    solved = sum(int(grades.right.sum()) for _, grades in batches)
    return LevelResult(level, filled, count, solved, drawn.acceptance)


def draw_level(domain: AnyDomain, level: int, *, count: int, rng: np.random.Generator) -> Drawn:
    """`count` tasks of a level. Raises InputError (`task.level`) if 10,000 worlds hold none."""
    samples: list[Sample[AnyState]] = []
    found = 0
    while found < count:
        samples.append(sample_tasks(domain, level, rng=rng, worlds=WORLDS_A_DRAW))
        found += samples[-1].size
        if found == 0 and len(samples) * WORLDS_A_DRAW >= MOST_WORLDS:
            raise level_is_empty(domain.name, level)
    first = slice(0, count)
    return Drawn(
        picked(joined([sample.start_state for sample in samples]), first),
        picked(joined([sample.goal_state for sample in samples]), first),
        np.concatenate([sample.goal for sample in samples])[first],
        found / (len(samples) * WORLDS_A_DRAW),
    )


class Grades(NamedTuple):
    """How runs compare with the teacher, per task."""

    points: Points
    """Of the fitness `steps`: up to and including the first mistake."""
    right: NDArray[np.bool_]
    """Was the run right on every tick, and did it end when it should?"""


def graded_batches(
    computer: Computer, domain: AnyDomain, drawn: Drawn, level: int
) -> Iterator[tuple[NDArray[np.intp], Grades]]:
    """The runs of all tasks, batch by batch, with the tasks' numbers."""
    count = len(drawn.node)
    for first in range(0, count, RUNS_AT_A_TIME):
        # One shape for all calls: the last repeats its last task, and does not count it.
        rows = np.minimum(np.arange(first, first + RUNS_AT_A_TIME), count - 1)
        batch = Drawn(picked(drawn.start, rows), picked(drawn.goal, rows), drawn.node[rows], drawn.acceptance)
        points, right = graded(computer, domain, batch, level)
        kept = slice(0, count - first)
        yield rows[kept], Grades(Points(points.main[kept], points.bonus[kept]), right[kept])


def graded(computer: Computer, domain: AnyDomain, drawn: Drawn, level: int) -> Grades:
    """Run tasks of one level and compare each tick with the teacher."""
    nodes, ticks = BRANCHING * level + 1, computer.algorithm.longest(level)
    starts, goals = (domain.encode(states) for states in (drawn.start, drawn.goal))
    trees = grow_trees(computer.modules, starts, goals, nodes)
    runs = run_nodes(computer, trees.at_goal, trees.at_start, capacity_for(ticks))
    truth = np.packbits(domain.encode(grow_tree(domain, drawn.start, nodes)), axis=-1)
    traces = tree_traces(
        np.tile(np.arange(nodes, dtype=np.int32), (len(drawn.node), 1)), drawn.node, computer.algorithm
    )
    points, right = compared(traces, runs, trees.words, truth)
    ways = [(row, node) for row, goal in enumerate(map(int, drawn.node)) for node in path(goal)]
    tasks, emitted = np.array(ways).T
    np.logical_and.at(right, tasks, left_alone(computer.modules, trees.words[tasks, emitted]))
    return Grades(points, right)


def compared(
    traces: Traces, runs: NodeRuns, words: NDArray[np.uint8], truth: NDArray[np.uint8]
) -> tuple[Points, NDArray[np.bool_]]:
    """The points of `steps` and the rightness of runs on node numbers, tasks x ticks.

    `words` and `truth` are the packed words of each node, as the modules make them and as they should be; the
    words of `traces` are node numbers. A run is right if all its ticks are, and if it ends with the last one.
    """
    op, read, status = (np.asarray(column)[:, : traces.ticks] for column in runs)
    wanted, length = np.asarray(traces.word), np.asarray(traces.length)
    task, ticks = np.arange(len(op))[:, None], np.arange(traces.ticks)
    asked = wanted != ANY
    op_right = op == traces.op
    made = words[task, read]
    data_right = (made == truth[task, np.maximum(wanted, 0)]).all(axis=2)
    within = ticks < length[:, None]
    wrong = ~(op_right & (data_right | ~asked)) & within
    judged = within & (np.cumsum(wrong, axis=1) - wrong == 0)  # Up to and including the first mistake.
    points = (op_right + 2 * (asked & data_right)) * judged
    in_main = ticks < np.asarray(traces.main)[:, None]
    last = length - 1
    running = (status == Status.RUNNING) | (ticks >= last[:, None])
    ended = running.all(axis=1) & (status[task[:, 0], last] == Status.FINISHED)
    main, bonus = ((points * part).sum(axis=1, dtype=np.int32) for part in (in_main, ~in_main))
    return Points(main, bonus), ~wrong.any(axis=1) & ended
