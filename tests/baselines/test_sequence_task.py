"""Sequence tasks: what is shown and asked for, what counts as right, and that a network learns them."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.algorithms.sequence.brackets import Brackets
from nhc.baselines.config import BaselineConfig
from nhc.baselines.experiment import Record, experiment_of
from nhc.baselines.sequence_task import SequenceName, Sequences, SequenceTask, answered, sequences

Given = tuple[int, ...]


@pytest.mark.parametrize(("name", "answer"), [("copy", [0, 2, 3]), ("reverse", [3, 2, 0])])
def test_symbols_are_shown_and_then_asked_for(name: SequenceName, answer: list[int]) -> None:
    made = sequences(SequenceTask(name, bits=2, length=4), [(1, 3, 4), (2,)])
    words = {0: [0, 0], 1: [1, 0], 2: [0, 1], 3: [1, 1]}
    shown = [[*words[code], 0] for code in (0, 2, 3)] + [[0, 0, 1]] * 5
    assert made.inputs[0].tolist() == shown
    assert made.asked[0].tolist() == [False] * 3 + [True] * 3 + [False] * 2
    assert made.targets[0].tolist() == [[0, 0]] * 3 + [words[code] for code in answer] + [[0, 0]] * 2
    assert made.inputs[1].tolist() == [[1, 0, 0]] + [[0, 0, 1]] * 7
    assert made.asked[1].tolist() == [False, True] + [False] * 6


@pytest.mark.parametrize(
    ("given", "right"), [((), 1), ((1, -1), 1), ((2, 1, -1), 0), ((2, -1), 0), ((-1,), 0)]
)
def test_brackets_are_shown_and_then_judged(given: Given, right: int) -> None:
    made = sequences(SequenceTask("brackets", bits=2, length=3), [given])
    codes = {1: [0, 0], -1: [1, 0], 2: [0, 1], -2: [1, 1]}
    rest = 4 - len(given)
    assert made.inputs[0].tolist() == [[*codes[token], 0] for token in given] + [[0, 0, 1]] * rest
    assert made.targets[0].tolist() == [[0]] * len(given) + [[right]] + [[0]] * (rest - 1)
    assert made.asked[0].tolist() == [False] * len(given) + [True] + [False] * (rest - 1)


@pytest.mark.parametrize("name", ["copy", "brackets"])
def test_lengths_and_symbols_are_uniform(name: SequenceName) -> None:
    task = SequenceTask(name, bits=2, length=4)
    drawn = task.draws(2000, np.random.default_rng(0))
    lengths = np.bincount([len(one) for one in drawn], minlength=5)[task.least :] / 2000
    assert lengths.tolist() == pytest.approx([1 / len(lengths)] * len(lengths), abs=0.05)
    assert (len(lengths) == 5) == (name == "brackets")
    if name == "copy":
        share = np.bincount(np.concatenate(drawn), minlength=5) / sum(map(len, drawn))
        assert share.tolist() == pytest.approx([0, 0.25, 0.25, 0.25, 0.25], abs=0.03)


def test_brackets_of_few_types_are_right_as_often_as_those_of_the_algorithm() -> None:
    task, own, rng = SequenceTask("brackets", bits=3, length=20), Brackets(), np.random.default_rng(0)
    few = [task.draw(20, rng) for _ in range(2000)]
    many = [own.random(20, rng) for _ in range(2000)]
    assert {abs(token) for one in few for token in one} == {1, 2, 3, 4}
    assert max(abs(token) for one in many for token in one) > 1000
    shares = [np.mean([own.spec(one) for one in drawn]) for drawn in (few, many)]
    assert shares[0] == pytest.approx(shares[1], abs=0.04) and 0.5 < shares[0] < 0.7


class Scripted:
    """A network that emits what its weights say, tick by tick."""

    inputs = outputs = 2

    def initial_parameters(self, rng: np.random.Generator) -> jax.Array:
        raise NotImplementedError

    def begin(self) -> jax.Array:
        return jnp.int32(0)

    def step(self, parameters: jax.Array, state: jax.Array, x: jax.Array) -> tuple[jax.Array, jax.Array]:
        del x
        return state + 1, parameters[state]


def test_what_is_asked_for_counts_symbol_by_symbol() -> None:
    targets = np.array([[1, 1], [1, 0], [0, 1], [1, 1], [0, 0]], np.float32)
    shown = Sequences(np.zeros((5, 2), np.float32), targets, np.array([False, True, True, True, False]))
    judge = partial(answered, Scripted(), shown=shown)
    right = jnp.asarray(np.where(targets > 0, 9.0, -9.0), jnp.float32)
    perfect = judge(right.at[0, 0].set(-9).at[4].set(9))  # neither tick is asked for
    assert float(perfect.loss) == pytest.approx(np.log1p(np.exp(-9)), rel=1e-3)
    assert (float(perfect.wrong_symbols), float(perfect.correct)) == (0, 100)
    # Two wrong bits of one symbol are one wrong symbol; a third is in another one.
    for places, wrong in (([(1, 0)], 1), ([(1, 0), (1, 1)], 1), ([(1, 0), (1, 1), (3, 0)], 2)):
        changed = right
        for place in places:
            changed = changed.at[place].multiply(-1)
        found = judge(changed)
        assert float(found.wrong_symbols) == pytest.approx(wrong / 3) and float(found.correct) == 0
        assert float(found.loss) == pytest.approx(9 * len(places) / 6, rel=1e-3)


def test_a_small_dnc_learns_to_copy() -> None:
    """The stack-augmented network learns to reverse in test_run.py."""
    config = BaselineConfig.model_validate(
        {
            **{"model": "dnc", "task": "copy", "runs": 2, "iterations": 200, "round": 100, "batch": 16},
            **{"hidden": 24, "word": 6, "learning_rate": 0.01, "dnc": {"cells": 3}},
            "sequence": {"bits": 2, "length": 2},
        }
    )
    experiment = experiment_of(config)
    stage, records = experiment.begin(), list[Record]()
    for _ in range(2):
        stage, record = experiment.advance(stage)
        records.append(record)
    correct = np.array([record["correct"] for record in records])
    wrong = np.array([record["wrong_symbols"] for record in records])
    loss = np.array([record["loss"] for record in records])
    # By chance a quarter of the symbols is right, and (1/4 + 1/16) / 2 = 16 % of the answers.
    assert (correct[-1] > 80).all() and (wrong[-1] < 0.15).all() and (loss[-1] < 0.2).all()
    assert (correct[-1] > correct[0]).all()
    assert correct[-1, 0] != correct[-1, 1]  # each run has inputs and weights of its own
