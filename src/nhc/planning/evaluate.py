"""Evaluation with data in the loop: many sampled tasks of a level, every tick compared with the teacher.

A task counts as solved if operations and data words are right on every tick up to the end, which makes the
plan the shortest one that breadth-first search finds first.
"""

from collections.abc import Iterator
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, UInt8
from numpy.typing import NDArray

from nhc.computer.compose import Computer, Problem, RunState, Step, begin, step
from nhc.computer.goals import ConfigurationGoal, DataBits
from nhc.computer.halting import Status
from nhc.domains.protocol import BRANCHING, NOP
from nhc.domains.registry import AnyDomain, AnyState
from nhc.domains.states import joined, picked
from nhc.evolve.evaluate import capacity_for
from nhc.evolve.fitness.judge import Points
from nhc.planning.nodes import grow_trees, left_alone, run_nodes
from nhc.streams import random_stream
from nhc.tasks.algorithm import Algorithm
from nhc.tasks.batch import tick_bound
from nhc.algorithms.tree.sampler import MOST_WORLDS, Sample, grow_tree, level_is_empty, nearest_level, sample_tasks
from nhc.algorithms.tree.nodes import path

WORLDS_A_DRAW = 2_000
RUNS_AT_A_TIME, AHEAD_AT_A_TIME = 250, 2_000


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


class Runs(NamedTuple):
    """What a batch of runs did, tasks x ticks."""

    op: Int[Array | np.ndarray, "... ticks"]
    read: UInt8[Array | np.ndarray, "... ticks bytes"]
    """Data words read, packed."""
    status: Int[Array | np.ndarray, "... ticks"]


def evaluate_level(
    computer: Computer, domain: AnyDomain, level: int, *, count: int, seed: int
) -> LevelResult:
    """Run `count` fresh tasks of a level with data in the loop. Raises InputError (`task.level`)."""
    filled = nearest_level(domain, level, computer.algorithm)
    rng = random_stream(seed, "evaluation", filled)
    drawn = draw_level(domain, filled, computer.algorithm, count=count, rng=rng)
    batches = graded_batches(computer, domain, drawn, filled)
    solved = sum(int(grades.right.sum()) for _, grades in batches)
    return LevelResult(level, filled, count, solved, drawn.acceptance)


def draw_level(
    domain: AnyDomain, level: int, algorithm: Algorithm, *, count: int, rng: np.random.Generator
) -> Drawn:
    """`count` tasks of a level. Raises InputError (`task.level`) if 10,000 worlds hold none."""
    samples: list[Sample[AnyState]] = []
    found = 0
    while found < count:
        samples.append(sample_tasks(domain, level, algorithm, rng=rng, worlds=WORLDS_A_DRAW))
        found += samples[-1].tasks.size
        if found == 0 and len(samples) * WORLDS_A_DRAW >= MOST_WORLDS:
            raise level_is_empty(domain.name, level)
    first = slice(0, count)
    return Drawn(
        picked(joined([sample.start for sample in samples]), first),
        picked(joined([sample.goal for sample in samples]), first),
        np.concatenate([sample.tasks.goal for sample in samples])[first],
        found / (len(samples) * WORLDS_A_DRAW),
    )


class Grades(NamedTuple):
    """How runs compare with the teacher, per task."""

    points: Points
    """Of the fitness `steps`: up to and including the first mistake."""
    right: NDArray[np.bool_]
    """Was the run right on every tick, and did it end when it should?"""


def graded_batches(
    computer: Computer, domain: AnyDomain, drawn: Drawn, level: int, *, ahead: bool = False
) -> Iterator[tuple[NDArray[np.intp], Grades]]:
    """The runs of all tasks, batch by batch, with the tasks' numbers.

    With `ahead` the data modules are evaluated ahead of control, which gives the same grades.
    """
    count, size = len(drawn.node), AHEAD_AT_A_TIME if ahead else RUNS_AT_A_TIME
    graded = graded_ahead if ahead else graded_runs
    for first in range(0, count, size):
        # One shape for all calls: the last repeats its last task, and does not count it.
        rows = np.minimum(np.arange(first, first + size), count - 1)
        batch = Drawn(picked(drawn.start, rows), picked(drawn.goal, rows), drawn.node[rows], drawn.acceptance)
        (search, end), right = graded(computer, domain, batch, level)
        kept = slice(0, count - first)
        yield rows[kept], Grades(Points(search[kept], end[kept]), right[kept])


def graded_runs(computer: Computer, domain: AnyDomain, drawn: Drawn, level: int) -> Grades:
    """Run tasks of one level with data in the loop and compare each tick with the teacher."""
    ticks = tick_bound(level, computer.algorithm)
    starts, goals = (jnp.asarray(domain.encode(states)) for states in (drawn.start, drawn.goal))
    runs = Runs(*map(np.asarray, _run_all(computer, starts, goals, capacity_for(ticks))))
    tree = np.packbits(domain.encode(grow_tree(domain, drawn.start, BRANCHING * level + 1)), axis=-1)
    rows = [
        _graded(computer.algorithm, Runs(*(column[row] for column in runs)), tree[row], int(goal))
        for row, goal in enumerate(drawn.node)
    ]
    return _grades(rows)


def graded_ahead(computer: Computer, domain: AnyDomain, drawn: Drawn, level: int) -> Grades:
    """`graded_runs` with the data modules evaluated ahead of control, each distinct word once."""
    nodes, ticks = BRANCHING * level + 1, tick_bound(level, computer.algorithm)
    starts, goals = (domain.encode(states) for states in (drawn.start, drawn.goal))
    trees = grow_trees(computer.modules, starts, goals, nodes)
    op, read, status = run_nodes(computer, trees, capacity_for(ticks))
    truth = np.packbits(domain.encode(grow_tree(domain, drawn.start, nodes)), axis=-1)
    rows = [
        _graded(
            computer.algorithm,
            Runs(op[row], trees.words[row, read[row]], status[row]),
            truth[row],
            goal,
        )
        for row, goal in enumerate(map(int, drawn.node))
    ]
    points, right = _grades(rows)
    ways = [(row, node) for row, goal in enumerate(map(int, drawn.node)) for node in path(goal)]
    tasks, emitted = np.array(ways).T
    np.logical_and.at(right, tasks, left_alone(computer.modules, trees.words[tasks, emitted]))
    return Grades(points, right)


def _grades(rows: list[tuple[int, int, bool]]) -> Grades:
    search, end, right = (np.array(column) for column in zip(*rows, strict=True))
    return Grades(Points(search.astype(np.int32), end.astype(np.int32)), right)


def _graded(algorithm: Algorithm, run: Runs, tree: NDArray[np.uint8], goal: int) -> tuple[int, int, bool]:
    """Search points, end points and rightness of one run: T_e = goal ticks, then those of the end."""
    searched = np.arange(goal)
    back = path(goal) if algorithm.backtracks else [0]
    nodes = np.concatenate([searched // BRANCHING, back]).astype(int)
    ops = np.concatenate([searched % BRANCHING, np.full(len(back), NOP)])
    total = len(ops)
    op_right = run.op[:total] == ops
    data_right = (run.read[:total] == tree[nodes]).all(axis=1)
    searching = np.arange(total) < goal
    data_points = np.where(searching, 2, algorithm.data_points)
    wrong = ~(op_right & (data_right | (data_points == 0)))
    judged = np.arange(total) <= (wrong.argmax() if wrong.any() else total)
    points = (op_right + data_points * data_right) * judged
    ended = (run.status[: total - 1] == Status.RUNNING).all() and run.status[total - 1] == Status.FINISHED
    right = not wrong.any() and bool(ended)
    return int(points[searching].sum()), int(points[~searching].sum()), right


@eqx.filter_jit
def _run_all(
    computer: Computer, starts: UInt8[Array, "tasks word"], goals: UInt8[Array, "tasks word"], ticks: int
) -> Runs:
    def begin_one(start: DataBits) -> RunState:
        return begin(computer, Problem(start, ConfigurationGoal(start)), ticks)

    def step_one(start: DataBits, goal: DataBits, run: RunState) -> tuple[RunState, Step]:
        return step(computer, Problem(start, ConfigurationGoal(goal)), run)

    def advance(runs: RunState, _: None) -> tuple[RunState, Runs]:
        runs, steps = jax.vmap(step_one)(starts, goals, runs)
        return runs, Runs(steps.tick.op, steps.read, runs.status)

    _, columns = jax.lax.scan(advance, jax.vmap(begin_one)(starts), None, length=ticks)
    return jax.tree.map(lambda column: jnp.swapaxes(column, 0, 1), columns)
