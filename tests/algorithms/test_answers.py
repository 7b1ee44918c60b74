"""One bit a task, against runs on the data side itself, by machines that are wrong in many ways."""

import jax
import numpy as np
import pytest

import nhc
from nhc.algorithms.registry import ALGORITHMS
from nhc.algorithms.traces import stacked
from nhc.errors import ConfigError
from nhc.evolve.evaluate import evaluate
from nhc.training.config import run_config
from tests.computer.machines import stacked as stacked_models
from tests.computer.machines import zoo

SHARES = (0.0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4)
"""Of the weights' own sizes that are added to them at random."""
TRIES = 3


def blurred(name: str) -> list[nhc.Model]:
    """The machine that ships, and others more and more unlike it."""
    model, rng, made = zoo(name), np.random.default_rng(3), list[nhc.Model]()
    for share in np.repeat(SHARES, TRIES):

        def changed(array: jax.Array, share: float = share) -> jax.Array:
            noise = rng.normal(size=array.shape) * float(np.std(array))
            return array + np.float32(share) * noise.astype(np.float32)

        parameters = jax.tree.map(changed, model.parameters)
        made.append(nhc.Model(parameters, model.config, model.algorithm, {}))
    return made


@pytest.mark.parametrize("name", ["reverse", "brackets"])
def test_the_bit_is_whether_the_answer_is_right(name: str) -> None:
    algorithm = ALGORITHMS[name]
    sizes = range(5) if name == "brackets" else range(1, 6)
    instances = [instance for size in sizes for instance in algorithm.listed(size)]
    models, tasks = blurred(name), stacked(algorithm, instances)
    judge = algorithm.judge("answer")
    scores = evaluate(stacked_models(models), tasks, config=models[0].config, judge=judge)
    lengths = [len(algorithm.teacher(instance)) for instance in instances]
    runs = [
        [
            nhc.execute(model, instance, max_ticks=length)
            for instance, length in zip(instances, lengths, strict=True)
        ]
        for model in models
    ]
    assert scores.main.tolist() == [[run.correct for run in row] for row in runs]
    assert judge.most(tasks).main.tolist() == [1] * len(instances)
    right = scores.main.sum(axis=1)
    assert right[0] == len(instances) and len({*right.tolist()}) > 3
    ended = {(run.ended, run.correct) for row in runs for run in row}
    assert ended >= {(True, True), (True, False), (False, False)}


def test_no_proof_is_asked_of_an_answer_alone() -> None:
    """Copy may be learned by writing each word as it comes: right, but not what is proved."""
    assert run_config("copy", fitness="answer").until == "mastered"
    assert run_config("copy").until == run_config("plan", fitness="answer").until == "certified"
    with pytest.raises(ConfigError):
        run_config("postfix", fitness="answer")
