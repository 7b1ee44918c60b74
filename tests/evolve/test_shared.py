"""Exact evaluation runs what tasks have in common once, or is compiled, and no score tells which."""

import numpy as np
import pytest
from numpy.typing import NDArray

from nhc.algorithms.judge import Judge, Steps
from nhc.algorithms.traces import Traces, concatenate, shared, stacked
from nhc.algorithms.tree.algorithm import TreeAlgorithm
from nhc.evolve import native
from nhc.evolve.bad_memories import empty_bad_memories
from nhc.evolve.config import TrainConfig
from nhc.evolve.course import Course
from nhc.evolve.evaluate import Scores, evaluate, evaluate_shared, padded_tasks, prepared, size_for
from nhc.machine.config import MachineConfig
from nhc.machine.parameters import Parameters
from tests.computer.machines import TREES, hand_made, model_of, zoo
from tests.computer.machines import stacked as members_of
from tests.oracles.machine import random_weights
from tests.oracles.teacher import FAULTS, damaged, search_weights

COUNTEREXAMPLES = (31, 2, 31, 50)
"""Goals beyond the levels, one of them twice, and one that is there already."""


def members(tree: TreeAlgorithm) -> Parameters:
    """Right machines, each fault, the right machine blurred, random ones, and one without weights."""
    rng = np.random.default_rng(11)
    weights = []
    for blur in (0.1, 0.15, 0.2, 0.3, 0.4):
        noise = random_weights(rng, 3, blur)
        blurred = {name: array + noise[name] for name, array in damaged("none").items()}
        weights.append(blurred if tree.backtracks else search_weights(blurred))
    weights += [
        random_weights(rng, len(tree.signals), scale) for scale in (0.1, 0.5, 1.0, 2.5, 0.2, 1.0, 2.0, 0.0)
    ]
    models = [zoo(tree.name), *(hand_made(tree.name, fault) for fault in FAULTS)]
    return members_of([*models, *(model_of(one, tree.name) for one in weights)])


def upto(tree: TreeAlgorithm, level: int, *more: int) -> Traces:
    """All tasks of the levels so far and some more."""
    tasks = stacked(tree, [*range(1, 4 * level + 1), *more])
    return tasks.padded(tasks.longest)


CASES = (
    ("plan", "steps", ((1, 0), (12, 4))),
    ("search", "steps", ((1, 0),)),
    ("plan", "outcome", ((12, 4),)),
    ("search", "success", ((12, 4),)),
    ("plan", "answer", ((2, 0),)),
)
"""By algorithm and fitness: levels and counterexamples of a batch. Each is compiled anew."""


@pytest.mark.parametrize(("name", "fitness", "batches"), CASES)
def test_scores_are_those_of_each_task_by_itself(
    name: str, fitness: str, batches: tuple[tuple[int, int], ...]
) -> None:
    tree = TREES[name]
    everyone, config, judge = members(tree), MachineConfig(signals=len(tree.signals)), tree.judge(fitness)
    flat = upto(tree, 12, *COUNTEREXAMPLES)
    whole = evaluate(everyone, flat.padded(128), config=config, judge=judge)
    assert len(np.unique(whole.ticks)) > 12, "machines fail everywhere"
    for level, more in batches:
        tasks = upto(tree, level, *COUNTEREXAMPLES[:more])
        rows = np.r_[: 4 * level, 48 : 48 + more]
        ready, most = shared(tasks), judge.most(tasks)
        scores = evaluate_shared(everyone, prepared(ready), config=config, judge=judge)
        np.testing.assert_array_equal(scores.main, whole.main[:, rows])
        np.testing.assert_array_equal(scores.bonus, whole.bonus[:, rows])
        apart = whole.ticks[:, rows].sum(axis=1)
        assert (scores.ticks.sum(axis=1) <= np.maximum(apart, tasks.longest)).all()
        perfect = ((scores.main == most.main) & (scores.bonus == most.bonus)).all(axis=1)
        assert perfect.sum() >= 2
        assert (scores.ticks[perfect].sum(axis=1) < apart[perfect]).all()
        if fitness == "steps":
            assert (scores.ticks[perfect].sum(axis=1) == ready.ticks).all()
            assert_same(native.evaluator(tasks, config)(everyone), whole, rows)


def assert_same(found: Scores, wanted: Scores, rows: NDArray[np.intp]) -> None:
    """The points are those of the tasks in these rows."""
    np.testing.assert_array_equal(found.main, wanted.main[:, rows])
    np.testing.assert_array_equal(found.bonus, wanted.bonus[:, rows])


def each(
    everyone: Parameters, tasks: Traces, judge: Judge, attention: str = "hard", ticks: int = 32
) -> Scores:
    """The scores of each task by itself, always in one shape."""
    more, config = padded_tasks(tasks, 13).padded(ticks), MachineConfig(attention=attention)
    columns = evaluate(everyone, more, config=config, judge=judge)
    return Scores(*(column[:, : tasks.size] for column in columns))


def told_apart(*stored: list[int]) -> Traces:
    """Tasks that store these words and must read the word stored last, by op 0."""
    parts = []
    for words in stored:
        ticks = len(words)
        signals = np.zeros((1, ticks, 3), np.float32)
        signals[:, :, 0] = 1
        row = np.array([words], np.int32)
        ends = (np.array([value], np.int32) for value in (max(1, ticks - 1), ticks))
        parts.append(Traces(signals, row, np.zeros_like(row), row, *ends))
    return concatenate(parts)


@pytest.mark.parametrize(
    "tasks",
    [
        told_apart([1, 2, 3], [4, 2, 3], [5, 2]),
        told_apart([1, 2, 3], [1, 2, 3], [1, 2, 3]),
        told_apart([1, 2, 3, 4]),
        told_apart([1], [1, 2], [1, 2, 3], [1, 3, 3, 3]),
        told_apart([7]),
    ],
    ids=["nothing in common", "identical", "one task", "each the beginning of the next", "one row"],
)
def test_made_up_tasks_score_as_by_themselves(tasks: Traces) -> None:
    everyone = members(TREES["plan"])
    flat = each(everyone, tasks, Steps())
    found = evaluate_shared(everyone, prepared(shared(tasks)), config=MachineConfig(), judge=Steps())
    np.testing.assert_array_equal(found.main, flat.main)
    np.testing.assert_array_equal(found.bonus, flat.bonus)
    assert found.main.shape == flat.main.shape
    assert native.fits(MachineConfig(), Steps(), tasks)
    fast = native.evaluator(tasks, MachineConfig())(everyone)
    assert_same(fast, flat, np.arange(tasks.size))
    if tasks.size == 1:
        np.testing.assert_array_equal(found.ticks, flat.ticks)
        np.testing.assert_array_equal(fast.ticks, flat.ticks)


def test_tasks_without_length_take_no_tick_and_score_nothing() -> None:
    tree, config = TREES["plan"], MachineConfig()
    tasks = upto(tree, 2)
    more = padded_tasks(tasks, 13)
    scores = evaluate(members(tree), more.padded(32), config=config, judge=Steps())
    assert not np.any([column[:, 8:] for column in scores])
    most = Steps().most(more)
    assert most.main[8:].tolist() == most.bonus[8:].tolist() == [0] * 5


def test_sizes_are_few_and_enough() -> None:
    assert [size_for(count, (8, 32)) for count in (0, 8, 9, 32)] == [8, 8, 32, 32]
    assert [size_for(count, (8, 32)) for count in (33, 64, 65)] == [64, 64, 128]  # as many as asked for
    tasks = prepared(shared(upto(TREES["plan"], 5, 31)))
    assert (tasks.tasks_before_padding, tasks.cells) == (21, 128)


@pytest.mark.parametrize("attention", ["hard", "soft"])
def test_a_batch_gives_the_failures_of_plain_evaluation(attention: str) -> None:
    """Also where nothing can be shared, and tasks are padded to few shapes."""
    tree = TREES["plan"]
    values = {"sampling": "exact", "machine": {"attention": attention}, "curriculum": {"levels": 2}}
    config = TrainConfig.model_validate(values)
    course = Course(config, config.algorithm)
    bad = empty_bad_memories(4, 16, 3).remember(stacked(tree, [12, 9]))
    batch, everyone = course.upto(2, bad), members(tree)
    scores, most = batch.run(everyone), course.judge.most(batch.tasks)
    flat = each(everyone, batch.tasks, course.judge, attention, 16 if attention == "soft" else 32)
    np.testing.assert_array_equal(scores.main, flat.main)
    np.testing.assert_array_equal(scores.bonus, flat.bonus)
    failed = batch.failures(scores)
    assert failed.shape == scores.ticks.shape == (len(scores.main), 10)
    np.testing.assert_array_equal(failed, (flat.main != most.main) | (flat.bonus != most.bonus))
    assert failed.any(axis=1).sum() > 8
    if attention == "hard":
        assert not failed[:2].any()
