"""Data modules in the loop change nothing: the machine does what it did in training, where it had none.

In training a data word is the number of a node and equality comes from content numbers. Here the same
machines run on real words, with exact modules, and every decision is compared.
"""

from functools import cache
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
import pytest

from nhc.algorithms.judge import Steps
from nhc.algorithms.traces import Traces, concatenate
from nhc.algorithms.tree.environment import Status
from nhc.algorithms.tree.sampler import sample_tasks, tree_traces
from nhc.computer.trace import TaskTrace, trace
from nhc.domains.protocol import NOP
from nhc.domains.registry import AnyState
from nhc.domains.states import picked
from nhc.evolve.evaluate import Scores, evaluate
from nhc.machine.state import initial_state
from nhc.machine.tick import jitted_tick
from nhc.model import Model
from tests.computer.machines import (
    ALGORITHMS,
    TRACE_TICKS,
    TREES,
    Weights,
    between,
    computer,
    hand_made,
    model_of,
    stacked,
    world,
    zoo,
)
from tests.oracles.formulas import Phases
from tests.oracles.machine import random_weights
from tests.oracles.teacher import FAULTS, damaged, search_weights, way_back
from tests.oracles.teacher import grow as grow_plainly

LEVELS = (1, 3, 8, 21)
TASKS_A_LEVEL = 4
COLUMNS = 128
MACHINES = ("zoo:plan", "zoo:search", "hand-made plan", "hand-made search")


class Drawn(NamedTuple):
    """Tasks as the teacher knows them, and the states behind them."""

    tasks: Traces
    content: list[list[int]]
    """Numbers of the configurations at the nodes of each task's tree."""
    starts: list[AnyState]
    goals: list[AnyState]


@cache
def drawn(algorithm: str) -> Drawn:
    """Some Sokoban tasks of several levels."""
    domain, rng = world("sokoban-6x6"), np.random.default_rng(17)
    samples = [sample_tasks(domain, level, rng=rng, worlds=200) for level in LEVELS]
    first = slice(0, TASKS_A_LEVEL)
    rows = [(sample, row) for sample in samples for row in range(TASKS_A_LEVEL)]
    return Drawn(
        concatenate(
            [tree_traces(one.content[first], one.goal[first], TREES[algorithm]) for one in samples]
        ).padded(COLUMNS),
        [sample.content[row].tolist() for sample, row in rows],
        [picked(sample.start_state, row) for sample, row in rows],
        [picked(sample.goal_state, row) for sample, row in rows],
    )


def machine(name: str) -> Model:
    kind, _, algorithm = name.replace("-made ", ":").partition(":")
    return zoo(algorithm) if kind == "zoo" else hand_made(algorithm)


def traced_row(model: Model, tasks: Drawn, row: int) -> TaskTrace:
    domain = world("sokoban-6x6")
    problem = between(domain, tasks.starts[row], tasks.goals[row])
    return trace(computer(model, domain), problem, max_ticks=TRACE_TICKS)


@pytest.mark.parametrize("name", MACHINES)
def test_a_run_on_data_is_the_run_on_node_numbers(name: str) -> None:
    """Fed by hand with node numbers and equality of content, tick by tick."""
    model = machine(name)
    tasks = drawn(model.algorithm.name)
    duplicates = 0
    for row, goal in enumerate(tasks.tasks.main.tolist()):
        content = tasks.content[row]
        duplicates += len(set(content[: goal + 1])) < goal + 1
        found = traced_row(model, tasks, row)
        assert found.status == Status.FINISHED
        assert found.ticks == tasks.tasks.length[row]

        state = initial_state(model.config, jnp.int32(0), TRACE_TICKS)
        node, met, phases = 0, False, Phases(model.config.signals)
        words: dict[int, bytes] = {}
        for t in range(found.ticks):
            equal = content[node] == content[0 if met else goal]
            signals = jnp.array(phases.signals(equal), jnp.float32)
            state, made = jitted_tick(model.parameters, model.config, state, jnp.int32(node), signals)
            met = met or equal
            assert int(made.op) == found.op[t]
            assert int(made.reading.address) == found.read[t]
            assert made.reading.addresses.tolist() == found.addresses[t].tolist()
            assert made.reading.word.tolist() == found.word[t].tolist()
            assert int(made.written[0]) == found.written[t] == t
            assert made.signals.tolist() == found.signals[t].tolist()
            assert bool(found.met[t]) == met
            read = int(made.reading.data)
            # The same configuration has the same word, always; other configurations have others.
            assert words.setdefault(content[read], found.data[t].tobytes()) == found.data[t].tobytes()
            node = read if found.op[t] == NOP else 4 * read + 1 + int(found.op[t])
        assert len(set(words.values())) == len(words)
    assert duplicates > TASKS_A_LEVEL, "worlds without duplicates would not tell much"


def marred(algorithm: str) -> list[Weights]:
    """Every fault, the right machine blurred, and random machines."""
    rng = np.random.default_rng(3)
    plan = [damaged(fault) for fault in FAULTS]
    for blur in (0.1, 0.15, 0.2, 0.3, 0.4):
        noise = random_weights(rng, 3, blur)
        plan.append({name: array + noise[name] for name, array in damaged("none").items()})
    fixed = plan if algorithm == "plan" else [search_weights(weights) for weights in plan]
    signals = len(ALGORITHMS[algorithm].signals)
    return fixed + [random_weights(rng, signals, scale) for scale in (0.1, 0.5, 1.0, 2.5)]


def points_of(found: TaskTrace, tasks: Drawn, row: int) -> tuple[int, int, int]:
    """Points for search and end, and ticks until after the first mistake, read from a run on data words."""
    domain = world("sokoban-6x6")
    goal, length = int(tasks.tasks.main[row]), int(tasks.tasks.length[row])
    start = type(tasks.starts[row])(*map(int, tasks.starts[row]))
    plain_tree = grow_plainly(domain.step, start, goal + 1)
    back = way_back(plain_tree, goal)
    backtracks = length - goal == len(back)
    points, ticks = [0, 0], 0
    for t in range(length):
        searching = t < goal
        wanted = plain_tree.configurations[t // 4 if searching else back[t - goal]]
        if t >= found.ticks or found.read[t] < 0:
            ticks += 1
            break
        op_right = found.op[t] == (t % 4 if searching else NOP)
        data_right = (found.data[t] == domain.encode(wanted)).all()
        counts = searching or backtracks
        points[0 if searching else 1] += int(op_right) + (2 * int(data_right) if counts else 0)
        ticks += 1
        if not (op_right and (data_right or not counts)):
            break
    return points[0], points[1], ticks


@cache
def judged(algorithm: str) -> tuple[list[Model], Scores]:
    """The mastered machines, zoo and hand-made, then those that fail; and what the teacher gives them."""
    models = [zoo(algorithm), hand_made(algorithm)]
    models += [model_of(weights, algorithm) for weights in marred(algorithm)]
    tasks, config = drawn(algorithm).tasks, models[0].config
    return models, evaluate(stacked(models), tasks, config=config, judge=Steps())


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_mastered_machines_are_perfect_in_the_eyes_of_the_teacher(algorithm: str) -> None:
    (models, scores), tasks = judged(algorithm), drawn(algorithm)
    most = Steps().most(tasks.tasks)
    for number, model in enumerate(models[:2]):
        assert scores.main[number].tolist() == most.main.tolist()
        assert scores.bonus[number].tolist() == most.bonus.tolist()
        lived = [traced_row(model, tasks, row).ticks for row in range(tasks.tasks.size)]
        assert scores.ticks[number].tolist() == lived


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_machines_that_fail_are_judged_as_their_runs_on_data_deserve(algorithm: str) -> None:
    """The teacher ends an episode at the first mistake; until then the run on data words is the same."""
    (models, scores), tasks = judged(algorithm), drawn(algorithm)
    endings = set()
    for number, model in enumerate(models):
        for row in range(number % 3, tasks.tasks.size, 3):
            expected = points_of(traced_row(model, tasks, row), tasks, row)
            columns = (scores.main, scores.bonus, scores.ticks)
            assert tuple(int(column[number, row]) for column in columns) == expected, (number, row)
            endings.add((expected[2] <= tasks.tasks.main[row], expected[1] > 0))
    assert len(endings) == 3, "some fail while searching, some later, some not at all"
