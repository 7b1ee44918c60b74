"""Episodes of the search task against a loop, and their fitness against that of learning by evolution."""

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.algorithms.judge import Points
from nhc.baselines.search import Form, Result, Trial, episode, judged
from nhc.evolve.shaping import batch_fitness
from tests.baselines.scripted import (
    FORM,
    Script,
    Scripted,
    one_hot,
    right_outputs,
    run,
    tree_words,
)

GOALS = (1, 3, 6, 8)


@partial(jax.jit, static_argnames="teacher")
def found(script: Script, trial: Trial, *, teacher: bool) -> Result:
    return episode(Scripted(), script, trial, FORM, teacher=teacher)


def case(seed: int, goal: int, mistake: int, strength: float) -> tuple[Script, np.ndarray, Trial]:
    """Right up to the tick `mistake`, at which a cell or the signal is wrong; what is fed matters too."""
    rng = np.random.default_rng(seed)
    symbols = tree_words(rng)
    table = right_outputs(symbols, goal)
    # At the tick after the search only the signal can be wrong.
    wrong = FORM.cells if mistake == goal else rng.integers(FORM.cells + 1)
    if mistake < len(table):
        at = slice(3 * wrong, 3 * wrong + 3) if wrong < FORM.cells else slice(-1, None)
        table[mistake, at] = -table[mistake, at] + 0.1 * rng.normal(size=table[mistake, at].shape)
    w = strength * rng.normal(size=(FORM.outputs, FORM.inputs))
    script = Script(jnp.asarray(table, jnp.float32), jnp.asarray(w, jnp.float32))
    trial = Trial(jnp.packbits(jnp.asarray(one_hot(symbols)), axis=1), jnp.int32(goal))
    return script, symbols, trial


@pytest.mark.parametrize("teacher", [True, False])
@pytest.mark.parametrize("strength", [0.0, 0.1, 0.6])
def test_an_episode_is_what_the_loop_says(teacher: bool, strength: float) -> None:
    seen = set()
    for seed in range(8):
        for goal in GOALS:
            script, symbols, trial = case(seed, goal, seed, strength)
            result = found(script, trial, teacher=teacher)
            expected = run(script, symbols, goal, teacher=teacher)
            assert float(result.loss) == pytest.approx(expected.loss, rel=1e-4)
            assert (int(result.search), int(result.data), int(result.end)) == expected[1:]
            seen.add((expected.search < 3 * goal, expected.end))
    assert strength > 0 or seen == {(True, 0), (False, 0), (False, 1)}


def test_points_are_the_same_with_and_without_teacher() -> None:
    """Up to and including the first mistake the inputs are the same; the loss after it is another."""
    losses = []
    for seed in range(8):
        script, _, trial = case(seed, 6, seed, 0.3)
        own, taught = (found(script, trial, teacher=teacher) for teacher in (False, True))
        assert [int(own.search), int(own.data), int(own.end)] == [
            int(taught.search),
            int(taught.data),
            int(taught.end),
        ]
        losses.append(abs(float(own.loss) - float(taught.loss)) > 1e-3)
    assert any(losses)


def test_a_batch_has_the_fitness_of_learning_by_evolution() -> None:
    goals = np.array([1, 4, 3, 2], np.int32)
    for search, end in (
        ([3, 12, 9, 6], [1, 0, 1, 1]),
        ([3, 12, 9, 6], [1, 1, 1, 1]),
        ([3, 1, 8, 6], [1, 0, 0, 1]),
    ):
        points = Points(np.array([search], np.int32), np.array([end], np.int32))
        expected = batch_fitness(points, Points(3 * goals, np.ones(4, np.int32)), 20.0)[0]
        columns = [jnp.asarray(column, jnp.int32) for column in (search, [s // 3 for s in search], end)]
        batch = judged(Result(jnp.zeros(4), *columns), jnp.asarray(goals))
        assert float(batch.fitness) == pytest.approx(expected, abs=1e-4)
        failed = [s < 3 * g or not e for s, g, e in zip(search, goals, end, strict=True)]
        assert batch.failed.tolist() == failed


def test_sizes_of_the_papers_world() -> None:
    assert (Form(36, 4).bits, Form(36, 4).inputs, Form(36, 4).outputs) == (144, 289, 145)
    assert replace(Scripted(), ticks=3).begin() == 0
