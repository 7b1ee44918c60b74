"""Every fitness of both algorithms against the teacher in plain Python, on machines that fail everywhere."""

import itertools
from fractions import Fraction
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.algorithms.traces import Traces
from nhc.algorithms.tree.environment import made_node
from nhc.algorithms.tree.sampler import tree_traces
from nhc.evolve.course import Batch
from nhc.evolve.evaluate import evaluate
from nhc.evolve.shaping import batch_fitness
from nhc.machine.config import MachineConfig
from tests.computer.machines import TREES
from tests.machine.runs import oracle_config, stacked
from tests.oracles.machine import Oracle, random_weights
from tests.oracles.teacher import (
    FAULTS,
    PlainTask,
    Score,
    damaged,
    free_step,
    fresh_children,
    grow,
    mean_fitness,
    score,
    search_weights,
)

GAP = 1e-5
COLUMNS, WIDER = 28, 37
SIGNALS = {"search": 2, "plan": 3}
BONUS = {"search": 20, "plan": 50}
FREE_GOALS = (1, 4, 2, 7, 20, 8, 12, 19, 21, 3, 24)
FITNESSES = ("steps", "outcome", "success", "answer")
PAIRS = list(itertools.product(FITNESSES, SIGNALS))


def machines(algorithm: str) -> list[dict[str, np.ndarray]]:
    """The right machine, each fault, the right machine blurred more and more, and random ones."""
    rng = np.random.default_rng(5)
    plan = [damaged(fault) for fault in FAULTS]
    for blur in np.repeat((0.05, 0.1, 0.15, 0.2, 0.3, 0.5), 2):
        noise = random_weights(rng, 3, blur)
        plan.append({name: array + noise[name] for name, array in damaged("none").items()})
    fixed = plan if algorithm == "plan" else [search_weights(weights) for weights in plan]
    wild = [random_weights(rng, SIGNALS[algorithm], scale) for scale in (0.1, 0.3, 1.0, 2.5) * 5]
    return fixed + wild


def world_of_few_states(rng: np.random.Generator) -> PlainTask:
    """A goal on one of the first six levels of a world that returns to where it was again and again."""
    while True:
        states, level = rng.integers(5, 40), rng.integers(1, 7)
        table = rng.integers(states, size=(states, 4)).tolist()

        def step(state: int, op: int, table=table) -> int:
            return table[state][op]

        goals = fresh_children(step, 0, level)
        if goals:
            return PlainTask(step, 0, goals[rng.integers(len(goals))])


@cache
def plain_tasks(fitness: str) -> tuple[PlainTask, ...]:
    if fitness != "steps":
        return tuple(PlainTask(free_step, 0, goal) for goal in FREE_GOALS)
    rng = np.random.default_rng(6)
    return tuple(world_of_few_states(rng) for _ in FREE_GOALS)


def contents(plain: tuple[PlainTask, ...]) -> np.ndarray:
    """Numbers of the configurations at the nodes; each row numbers them anew, at random."""
    rng = np.random.default_rng(7)
    content = np.full((len(plain), COLUMNS), 10**6, np.int32)
    for row, task in enumerate(plain):
        nodes = grow(task.step, task.start, task.goal + 1).configurations
        numbers = dict(zip(sorted(set(nodes)), rng.permutation(1000).tolist(), strict=False))
        content[row, : len(nodes)] = [numbers[configuration] for configuration in nodes]
    return content


def as_tasks(plain: tuple[PlainTask, ...], algorithm: str) -> Traces:
    """The traces of tasks."""
    goals = np.array([task.goal for task in plain], np.int32)
    return tree_traces(contents(plain), goals, TREES[algorithm])


def twin_scores(weights, config, plain, fitness: str, algorithm: str) -> list[list[Score]]:
    options = oracle_config(config)
    return [
        [score(Oracle(w, options), task, fitness, algorithm == "plan") for task in plain] for w in weights
    ]


def assert_equal_scores(
    scores, twin: list[list[Score]], tasks: Traces, judge, algorithm: str, least_share=0.97
) -> None:
    most, bonus = judge.most(tasks), BONUS[algorithm]
    failed = Batch(tasks, most, lambda members: scores).failures(scores)
    compared = 0
    for member, row in enumerate(twin):
        for column, expected in enumerate(row):
            if expected.gap < GAP:
                continue
            search, end = int(scores.main[member, column]), int(scores.bonus[member, column])
            explored = Fraction(100 * search, int(most.main[column]))
            ended = Fraction(bonus * end, int(most.bonus[column]))
            found = (explored, ended, int(scores.ticks[member, column]))
            assert found == expected[:3], (member, column)
            assert failed[member, column] == (explored < 100 or ended < bonus)
            compared += 1
    share = compared / tasks.size / len(twin)
    assert share > least_share, f"only {share:.1%} could be compared"


@cache
def evaluated(fitness: str, algorithm: str):
    config, judge = MachineConfig(signals=SIGNALS[algorithm]), TREES[algorithm].judge(fitness)
    weights, plain = machines(algorithm), plain_tasks(fitness)
    tasks = as_tasks(plain, algorithm)
    scores = evaluate(stacked(weights, config), tasks, config=config, judge=judge)
    return scores, twin_scores(weights, config, plain, fitness, algorithm), tasks, judge


def test_the_tasks_repeat_configurations_and_differ() -> None:
    tasks, rows = as_tasks(plain_tasks("steps"), "plan"), contents(plain_tasks("steps"))
    duplicates = [goal + 1 - len(set(row[: goal + 1])) for row, goal in zip(rows, tasks.main, strict=True)]
    assert sum(count > 0 for count in duplicates) >= 6
    assert max(duplicates) >= 8
    assert len(set(tasks.main.tolist())) >= 6
    assert {*(tasks.length - tasks.main).tolist()} == {2, 3, 4}
    assert tasks.longest == tasks.ticks == COLUMNS  # the longest episode just fits


@pytest.mark.parametrize(("fitness", "algorithm"), PAIRS)
def test_points_and_ticks_are_those_of_the_plain_teacher(fitness: str, algorithm: str) -> None:
    assert_equal_scores(*evaluated(fitness, algorithm), algorithm)


@pytest.mark.parametrize(("fitness", "algorithm"), PAIRS)
def test_the_episodes_end_in_all_ways(fitness: str, algorithm: str) -> None:
    """Otherwise the comparison says little: at once, on the way, late, at the goal, behind it, never."""
    _, twin, tasks, _ = evaluated(fitness, algorithm)
    ends = {
        (one.explored == 0, one.explored == 100, one.ended == 0, one.ended == BONUS[algorithm])
        for row in twin
        for one in row
    }
    assert (False, True, False, True) in ends
    if fitness == "answer":
        assert ends == {(False, True, False, True), (True, False, True, False)}
        return
    assert (False, True, True, False) in ends
    if (fitness, algorithm) in {("steps", "plan"), ("outcome", "plan")}:
        assert (False, True, False, False) in ends
    assert ((False, False, True, False) in ends) == (fitness != "success")
    early = [
        (one.ticks, goal)
        for row in twin
        for one, goal in zip(row, tasks.main, strict=True)
        if one.explored < 100
    ]
    lengths = {ticks for ticks, _ in early}
    assert lengths >= ({1, 2, 3, 5} if fitness == "steps" else {1, 2, 3, 4, 7, 8, 12, 24})
    if fitness == "steps":
        assert {(9, 23), (17, 23), (9, 12)} <= {(ticks, int(goal)) for ticks, goal in early}


@pytest.mark.parametrize(("fitness", "algorithm"), PAIRS)
def test_batch_fitness_is_equation_3(fitness: str, algorithm: str) -> None:
    scores, twin, tasks, judge = evaluated(fitness, algorithm)
    bonus = TREES[algorithm].bonus
    assert bonus == BONUS[algorithm]
    found = batch_fitness(scores.points, judge.most(tasks), bonus)
    values = set()
    for member, row in enumerate(twin):
        if min(one.gap for one in row) >= GAP:
            assert found[member] == pytest.approx(float(mean_fitness(row)), abs=1e-9)
            values.add(found[member])
    assert len(values) > (3 if fitness == "answer" else 6)
    assert max(values) == 100 + bonus


@pytest.mark.parametrize(("fitness", "algorithm"), [("steps", "plan"), ("outcome", "search")])
def test_one_by_one_and_on_wider_rows_machines_score_the_same(fitness: str, algorithm: str) -> None:
    together, _, tasks, judge = evaluated(fitness, algorithm)
    config = MachineConfig(signals=SIGNALS[algorithm])
    for member, weights in enumerate(machines(algorithm)):
        alone = evaluate(stacked([weights], config), tasks.padded(WIDER), config=config, judge=judge)
        np.testing.assert_array_equal(np.stack(alone)[:, 0], np.stack(together)[:, member])


@pytest.mark.parametrize(("fitness", "algorithm"), [("steps", "plan"), ("success", "search")])
def test_an_episode_ends_where_nothing_is_in_memory(fitness: str, algorithm: str) -> None:
    config = MachineConfig(signals=SIGNALS[algorithm], write_gate="learned", allocation="learned")
    weights = machines(algorithm)
    for number, machine in enumerate(weights):
        machine["interface.write.gate.b"] += (0.5, -0.5, 2.0)[number % 3]
        machine["interface.write.allocation.b"] += 0.7
    plain = plain_tasks(fitness)
    tasks = as_tasks(plain, algorithm)
    judge = TREES[algorithm].judge(fitness)
    scores = evaluate(stacked(weights, config), tasks, config=config, judge=judge)
    twin = twin_scores(weights, config, plain, fitness, algorithm)
    assert_equal_scores(scores, twin, tasks, judge, algorithm, least_share=0.9)
    nothing = [row for row in twin if all(one[:3] == (0, 0, 1) for one in row)]
    assert len(nothing) >= 5


def test_the_way_back_of_an_early_goal_is_judged() -> None:
    """The greedy machine meets 4 at tick 1 and 20 at tick 2: all of `success`, little of `outcome`."""
    greedy = list(FAULTS).index("greedy")
    for row, goal, ticks, share in ((1, 4, 3, 25), (4, 20, 5, 10)):
        assert FREE_GOALS[row] == goal
        for fitness, explored in (("success", 100), ("answer", 100), ("outcome", share)):
            scores, _, tasks, judge = evaluated(fitness, "plan")
            most = judge.most(tasks)
            assert scores.ticks[greedy, row] == ticks
            assert scores.main[greedy, row] * 100 == explored * most.main[row]
            assert scores.bonus[greedy, row] == most.bonus[row]


def test_numbers_of_a_free_run_saturate_and_never_return() -> None:
    """Ops 2, ..., 2, 3 would lead back to node 0 if numbers wrapped around."""
    make = jax.jit(made_node)
    for ops in ([2] * 17 + [3, 0], [3] * 20, [0] * 20):
        node = exact = 0
        for op in ops:
            after, exact = int(make(jnp.int32(op), jnp.int32(node))), free_step(exact, op)
            assert after == (exact if exact < 2**31 - 8 else node)
            assert after >= node
            node = after
        assert int(make(jnp.int32(4), jnp.int32(node))) == node


def test_scores_are_arrays_of_members_by_tasks() -> None:
    scores, twin, tasks, judge = evaluated("steps", "plan")
    assert scores.main.shape == scores.bonus.shape == scores.ticks.shape == (len(twin), tasks.size)
    assert jax.tree.map(np.shape, tuple(judge.most(tasks))) == ((tasks.size,), (tasks.size,))
