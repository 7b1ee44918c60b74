"""Tests on longer inputs: the inputs are the same for all, the memory grows, the weights and answers stay."""

from operator import itemgetter

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.baselines.config import BaselineConfig
from nhc.baselines.experiment import experiment_of, network_of
from nhc.baselines.longer import CELLS, answers, longer_inputs, scores, with_memory
from nhc.baselines.sequence_task import SequenceTask, sequences

CONFIG = BaselineConfig.model_validate(
    {
        **{"model": "stack-rnn", "task": "reverse", "runs": 2, "hidden": 5, "word": 3},
        **{"stack": {"stacks": 2, "depth": 9, "tops": 1}, "dnc": {"cells": 9, "writes": 1}},
        "sequence": {"bits": 2, "length": 4},
    }
)


def test_inputs_are_the_same_for_whoever_asks_and_differ_by_length_and_task() -> None:
    made = longer_inputs("copy", 3, 30, 4)
    assert made == longer_inputs("copy", 3, 30, 6)[:4] and len(set(made)) == 4
    assert {len(one) for one in made} == {30} and {symbol for one in made for symbol in one} == set(
        range(1, 9)
    )
    assert longer_inputs("reverse", 3, 30, 4) != made
    assert longer_inputs("copy", 3, 20, 1)[0] != made[0][:20]


def test_the_memory_is_never_smaller_than_in_training() -> None:
    grown = with_memory(CONFIG, 40)
    assert (grown.dnc.cells, grown.stack.depth) == (40, 40)
    assert with_memory(CONFIG, 4) == CONFIG
    rest = grown.model_dump() | {"dnc": None, "stack": None}
    assert rest == CONFIG.model_dump() | {"dnc": None, "stack": None}


@pytest.mark.parametrize("model", ["dnc", "stack-rnn"])
def test_the_scores_are_those_of_each_network_run_by_itself(model: str) -> None:
    config = CONFIG.model_copy(update={"model": model})
    weights = jax.tree.map(lambda leaf: 3 * leaf, experiment_of(config).begin().tree.parameters)
    each = [jax.tree.map(itemgetter(run), weights) for run in (0, 1)]
    found = [scores(config, own, (3, 12), 7) for own in each]
    for length, place in ((3, 0), (12, 1)):
        task = SequenceTask("reverse", 2, length)
        network = network_of(with_memory(config, CELLS * length), task.inputs, task.outputs)
        step = jax.jit(network.step)
        assert max(getattr(network, "cells", 0), getattr(network, "depth", 0)) == max(9, CELLS * length)
        for run, own in enumerate(each):
            right = list[float]()
            for given in longer_inputs("reverse", 2, length, 7):
                state, emitted = network.begin(), list[int]()
                for x in sequences(task, [given]).inputs[0]:
                    state, output = step(own, state, jnp.asarray(x))
                    emitted.append(1 + int(output[0] > 0) + 2 * int(output[1] > 0))
                pairs = zip(emitted[length:], given[::-1], strict=True)
                right.append(float(np.mean([one == other for one, other in pairs])))
            score = found[run][place]
            assert (score.length, score.inputs) == (length, 7)
            assert score.symbols == pytest.approx(100 * np.mean(right), abs=1e-3)
            assert score.answers == pytest.approx(100 * np.mean([one == 1 for one in right]))
    assert found[0] != found[1]


def test_search_has_no_longer_inputs() -> None:
    with pytest.raises(ValueError, match="sequence task"):
        scores(BaselineConfig(), None, (3,), 1)


def test_answers_are_by_task() -> None:
    """Not means: a few inputs more do not change those of the others."""
    task = SequenceTask("reverse", 2, 3)
    network = network_of(CONFIG, task.inputs, task.outputs)
    own = jax.tree.map(itemgetter(0), experiment_of(CONFIG).begin().tree.parameters)
    given = longer_inputs("reverse", 2, 3, 13)
    many, few = (answers(network, own, sequences(task, part)) for part in (given, given[:5]))
    assert many.loss.shape == (13,) and np.allclose(many.loss[:5], few.loss, atol=1e-6)
