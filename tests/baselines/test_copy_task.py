"""The copy task: its sequences, and that both networks learn it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.baselines.config import BaselineConfig
from nhc.baselines.copy_task import CopyForm, draw_sequence, sequence
from nhc.baselines.experiment import Record, experiment_of

WORDS = np.array([[1, 0], [0, 1], [1, 1], [0, 0]])


@pytest.mark.parametrize("reverse", [False, True])
def test_a_sequence_is_shown_and_then_asked_for(reverse: bool) -> None:
    form = CopyForm(bits=2, length=4, reverse=reverse)
    for length in (1, 3, 4):
        made = sequence(form, jnp.asarray(WORDS, jnp.float32), jnp.int32(length))
        shown = WORDS[:length]
        expected = np.zeros((8, 3))
        expected[:length, :2] = shown
        expected[length:, 2] = 1
        assert (np.asarray(made.inputs) == expected).all()
        assert made.asked.tolist() == [length <= tick < 2 * length for tick in range(8)]
        asked = np.asarray(made.targets)[length : 2 * length]
        assert (asked == (shown[::-1] if reverse else shown)).all()
        assert not np.asarray(made.targets)[2 * length :].any()


def test_lengths_and_bits_are_uniform() -> None:
    form = CopyForm(bits=2, length=4, reverse=False)
    keys = jax.random.split(jax.random.key(0), 2000)
    drawn = jax.jit(jax.vmap(lambda key: draw_sequence(form, key=key)))(keys)
    lengths = np.asarray(drawn.asked.sum(axis=1))
    assert (np.bincount(lengths, minlength=5)[1:] / 2000).tolist() == pytest.approx([0.25] * 4, abs=0.05)
    assert float(drawn.targets[drawn.asked].mean()) == pytest.approx(0.5, abs=0.03)


def test_a_small_dnc_learns_to_copy() -> None:
    """The stack-augmented network learns it in test_run.py."""
    config = BaselineConfig.model_validate(
        {
            **{"model": "dnc", "task": "copy", "runs": 2, "iterations": 200, "round": 100, "batch": 16},
            **{"hidden": 24, "word": 6, "learning_rate": 0.01, "dnc": {"cells": 3}},
            "copy_task": {"bits": 2, "length": 2},
        }
    )
    experiment = experiment_of(config)
    stage, records = experiment.begin(), list[Record]()
    for _ in range(2):
        stage, record = experiment.advance(stage)
        records.append(record)
    correct = np.array([record["correct"] for record in records])
    wrong = np.array([record["wrong_bits"] for record in records])
    loss = np.array([record["loss"] for record in records])
    # By chance half of the bits are right, and (1/4 + 1/16) / 2 = 16 % of the sequences.
    assert (correct[-1] > 80).all() and (wrong[-1] < 0.1).all() and (loss[-1] < 0.2).all()
    assert (correct[-1] > correct[0]).all()
