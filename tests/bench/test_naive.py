"""The naive twin gives the points and ticks of the real evaluation, for machines of all kinds."""

import numpy as np
import pytest

from nhc.algorithms.judge import Steps
from nhc.algorithms.traces import Traces, concatenate
from nhc.algorithms.tree.sampler import sample_tasks, tree_traces
from nhc.bench.naive import naive_evaluate
from nhc.evolve.evaluate import evaluate
from tests.computer.machines import ALGORITHMS, TREES, hand_made, model_of, stacked, world, zoo
from tests.oracles.machine import random_weights
from tests.oracles.teacher import damaged, search_weights

COLUMNS = 32
FAULTS = ("no way back", "last op wins", "stops at 4", "goal unread")


def tasks_of(algorithm: str) -> Traces:
    """Two tasks of each of the first levels of Sokoban."""
    rng = np.random.default_rng(12)
    drawn = [sample_tasks(world("sokoban-6x6"), level, rng=rng, worlds=50) for level in (1, 2, 4, 6)]
    parts = [tree_traces(one.content[:2], one.goal[:2], TREES[algorithm]) for one in drawn]
    return concatenate(parts).padded(COLUMNS)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_dense_matrices_without_early_stop_give_the_same_scores(algorithm: str) -> None:
    rng = np.random.default_rng(13)
    signals, plan = len(ALGORITHMS[algorithm].signals), algorithm == "plan"
    blurred = []
    for blur in (0.1, 0.2, 0.3, 0.4):
        noise = random_weights(rng, 3, blur)
        weights = {name: array + noise[name] for name, array in damaged("none").items()}
        blurred.append(model_of(weights if plan else search_weights(weights), algorithm))
    models = [zoo(algorithm), hand_made(algorithm), *blurred]
    models += [hand_made(algorithm, fault) for fault in FAULTS]
    models += [model_of(random_weights(rng, signals, scale), algorithm) for scale in (0.1, 0.3, 1.0, 2.0)]
    tasks, judge = tasks_of(algorithm), Steps()
    config = models[0].config
    fast = evaluate(stacked(models), tasks, config=config, judge=judge)
    slow = naive_evaluate(stacked(models), tasks, config=config, judge=judge)
    for name in fast._fields:
        assert getattr(fast, name).tolist() == getattr(slow, name).tolist(), name
    most = judge.most(tasks)
    assert (fast.main[:2] == most.main).all() and (fast.bonus[:2] == most.bonus).all()
    perfect = (fast.main == most.main).all(axis=1) & (fast.bonus == most.bonus).all(axis=1)
    assert 2 <= perfect.sum() < len(models) - 4, "many fail, each somewhere else"
    assert len(np.unique(fast.ticks)) > 6
