"""The compiled evaluation gives the points of the plain one, whatever the gates, sizes and signals.

Trees and made-up tasks are in `test_shared.py`.
"""

from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.algorithms.judge import Judge, Steps
from nhc.algorithms.registry import ALGORITHMS
from nhc.algorithms.traces import Traces, concatenate, stacked
from nhc.algorithms.tree.algorithm import PLAN
from nhc.evolve import native
from nhc.evolve.evaluate import Scores, evaluate
from nhc.machine.config import MachineConfig
from nhc.machine.parameters import Parameters, initial_parameters
from nhc.model import load_model

MEMBERS = 24


def tasks_of(name: str, *levels: int) -> Traces:
    """All listed tasks of some levels."""
    algorithm = ALGORITHMS[name]
    return concatenate([stacked(algorithm, algorithm.tasks(level)) for level in levels])


def members_of(config: MachineConfig, near: str | None = None) -> Parameters:
    """Random machines; or one of the zoo, and machines ever farther from it."""
    keys = jax.random.split(jax.random.key(5), MEMBERS)
    scales = jnp.linspace(0.1, 1.5, MEMBERS) if near is None else jnp.linspace(0.0, 0.6, MEMBERS)
    noise = jax.vmap(lambda key: initial_parameters(config, key=key, scale=1.0))(keys)
    scaled = jax.tree.map(lambda leaf: scales.reshape(-1, *[1] * (leaf.ndim - 1)) * leaf, noise)
    if near is None:
        return scaled
    return jax.tree.map(lambda theta, leaf: theta[None] + leaf, load_model(f"zoo:{near}").parameters, scaled)


def both(tasks: Traces, config: MachineConfig, members: Parameters) -> tuple[Scores, Scores]:
    """Compiled and plain."""
    assert native.fits(config, Steps(), tasks)
    plain = evaluate(members, tasks.padded(tasks.longest), config=config, judge=Steps())
    return native.evaluator(tasks, config)(members), plain


@pytest.mark.parametrize(
    ("name", "levels", "word_size", "hidden"),
    [("brackets", (1, 2), 8, 16), ("hanoi", (3, 1), 8, 16), ("duplicate", (2,), 5, 7)],
)
def test_points_are_those_of_the_machine(
    name: str, levels: tuple[int, ...], word_size: int, hidden: int
) -> None:
    algorithm, tasks = ALGORITHMS[name], tasks_of(name, *levels)
    config = MachineConfig(
        signals=len(algorithm.signals), ops=len(algorithm.ops), word_size=word_size, hidden=hidden
    )
    trained = name if (word_size, hidden) == (8, 16) else None
    fast, plain = both(tasks, config, members_of(config, trained))
    np.testing.assert_array_equal(fast.main, plain.main)
    np.testing.assert_array_equal(fast.bonus, plain.bonus)
    assert len(np.unique(fast.main.sum(axis=1))) > 4, "machines fail everywhere"
    if trained is not None:
        assert (fast.main[0] == Steps().most(tasks).main).all()


def test_cells_that_are_not_written_are_no_cells() -> None:
    """With a gate that control learns, near a machine that closes it where it may."""
    config, plan = load_model("zoo:graph-plan").config, tasks_of("plan", 1, 2, 3)
    assert config.write_gate == "learned"
    more = np.zeros((plan.size, plan.ticks, config.signals - plan.signals.shape[2]), np.float32)
    wide = np.concatenate([plan.signals, more], axis=2)
    wide[::3, 4:, -1] = 1  # "Seen": nothing is to be stored.
    for members in (members_of(config, "graph-plan"), members_of(config)):
        fast, plain = both(plan._replace(signals=wide), config, members)
        np.testing.assert_array_equal(fast.main, plain.main)
        np.testing.assert_array_equal(fast.bonus, plain.bonus)


def test_what_tasks_share_is_run_once() -> None:
    """A right machine runs each beginning that tasks have in common a single time."""
    tasks = tasks_of("brackets", 1, 2)
    columns = [np.asarray(column) for column in tasks[:4]]
    beginnings = {
        tuple(column[task, :tick].tobytes() for column in columns)
        for task in range(tasks.size)
        for tick in range(1, int(tasks.length[task]) + 1)
    }
    right = jax.tree.map(lambda leaf: leaf[None], load_model("zoo:brackets").parameters)
    config = load_model("zoo:brackets").config
    assert native.evaluator(tasks, config)(right).ticks.sum() == len(beginnings) < tasks.length.sum() / 2


def test_neighbours_begin_alike() -> None:
    rng = np.random.default_rng(2)
    length = rng.integers(1, 6, 40).astype(np.int32)
    stored, op, word = rng.integers(0, 2, (3, 40, 5)).astype(np.int32)
    tasks = Traces(rng.integers(0, 2, (40, 5, 2)).astype(np.float32), stored, op, word, length, length)
    found, order = native.in_order(tasks)
    assert sorted(order) == [*range(40)] and (found.length == length[order]).all()
    rows = [
        [
            (signals @ [1, 2], *columns)
            for signals, *columns in zip(*(c[task] for c in tasks[:4]), strict=True)
        ]
        for task in order
    ]
    for number, (before, after) in enumerate(pairwise(rows)):
        most = min(length[order[number : number + 2]])
        alike = next((tick for tick in range(most) if before[tick] != after[tick]), most)
        assert found.alike[number + 1] == alike
    assert found.alike[0] == 0 and found.alike.sum() > 20


def test_weights_that_are_not_finite_earn_nothing() -> None:
    tasks, config = tasks_of("hanoi", 1), load_model("zoo:hanoi").config
    members = members_of(config, "hanoi")
    spoilt = members.transform_c.b.at[0, 0].set(jnp.inf).at[1, 1].set(jnp.nan)
    members = Parameters(
        members.controller, members.interface, type(members.transform_c)(members.transform_c.w, spoilt)
    )
    scores = native.evaluator(tasks, config)(members)
    assert not np.any([column[:2] for column in scores]) and scores.main[2:4].all()


@pytest.mark.parametrize(
    ("options", "judge", "signal"),
    [
        ({"words": "real"}, Steps(), 1.0),
        ({"usage_link": False}, Steps(), 1.0),
        ({"word_size": 9}, Steps(), 1.0),
        ({"signals": 12}, Steps(), 1.0),
        ({}, PLAN.judge("outcome"), 1.0),
        ({}, Steps(), 0.5),
    ],
)
def test_other_machines_fitness_and_signals_are_left_to_the_plain_one(
    options: dict[str, object], judge: Judge, signal: float
) -> None:
    tasks = tasks_of("plan", 1)
    signals = np.asarray(tasks.signals).copy()
    assert native.fits(MachineConfig(), Steps(), tasks)
    signals[0, 0, 0] = signal
    config = MachineConfig.model_validate(options)
    assert not native.fits(config, judge, tasks._replace(signals=signals))
