"""The comparison networks on copy, reverse and brackets, trained on the same lengths as our machine.

Then each is tested on longer inputs, and the proved machine of the zoo on the very same ones.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple, get_args

import jax

from nhc.baselines.config import BaselineConfig
from nhc.baselines.learner import Learner
from nhc.baselines.longer import CELLS, Score, longer_inputs, scores
from nhc.baselines.run import last_stage, run_in_directory
from nhc.baselines.sequence_task import SequenceName, SequenceTask, algorithm_of
from nhc.computer.sequences import run_sequence
from nhc.errors import ConfigError, Place
from nhc.experiments.job import Record, field, number, table, tables, whole
from nhc.model import load_model
from nhc.runs.canonical import canonical_json, parse_json
from nhc.runs.directory import RunDirectory
from nhc.runs.storage import write_text_atomically
from nhc.zoo import ZOO_PREFIX

NAMES: tuple[SequenceName, ...] = get_args(SequenceName)
MODELS = {"dnc": "DNC", "stack-rnn": "stack RNN"}
BITS = 3
"""Of a symbol: 8 symbols, or brackets of 4 types."""
RATE = 0.005
UPDATES: Mapping[str, Mapping[SequenceName, int]] = {
    "dnc": {"copy": 2_000, "reverse": 4_000, "brackets": 5_000},
    "stack-rnn": {"copy": 10_000, "reverse": 4_000, "brackets": 6_000},
}
"""By then a network was right on nearly all inputs of the trained lengths."""
ROUND = 100
LENGTHS = (4, 8, 10, 20, 40, 100, 200, 300)
"""Even, since a string of brackets of odd length is always wrong."""
INPUTS = 50
"""Of each length."""
RESULT = "longer.json"
"""In the directory of a run: what came of its tests."""


class NetworkJob(NamedTuple):
    """One network to be trained and tested."""

    config: BaselineConfig
    path: Path
    lengths: tuple[int, ...] = LENGTHS
    """Of the inputs that it is tested on."""
    inputs: int = INPUTS
    """Of each length."""

    @property
    def name(self) -> str:
        """`copy, DNC, seed 0`."""
        return f"{self.config.task}, {MODELS[self.config.model]}, seed {self.config.seed}"


class Trial(NamedTuple):
    """A network that was trained and tested."""

    task: str
    learner: str
    seed: int
    updates: int
    """Of its weights."""
    seconds: float
    """Of training, by the process that ended it."""
    trained: float
    """Percentage of right answers in the last round of training."""
    scores: tuple[Score, ...]

    @property
    def name(self) -> str:
        """`copy, DNC, seed 0`."""
        return f"{self.task}, {MODELS[self.learner]}, seed {self.seed}"

    def record(self) -> Record:
        """As plain JSON values."""
        return {**self._asdict(), "scores": [score._asdict() for score in self.scores]}


def network_config(task: SequenceName, model: str, seed: int, updates: int | None = None) -> BaselineConfig:
    """The settings of a run, with which the networks were seen to learn the lengths that they train.

    Raises ConfigError (`config.value`).
    """
    wanted = UPDATES[model][task] if updates is None else updates
    return BaselineConfig.model_validate(
        {
            **{"model": model, "task": task, "seed": seed, "runs": 1, "batch": 32},
            **{"iterations": wanted, "round": max(1, math.gcd(wanted, ROUND))},
            **{"learning_rate": RATE, "hidden": 64, "word": 8},
            "sequence": {"bits": BITS, "length": max(map(max, algorithm_of(task).sizes))},
            "dnc": {"cells": 16, "reads": 1, "writes": 1},
            "stack": {"stacks": 2, "depth": 16, "tops": 1},
        }
    )


def network_jobs(
    names: Iterable[str], seeds: Sequence[int], folder: Path, updates: int | None = None
) -> list[NetworkJob]:
    """Both networks for each task and seed. Raises ConfigError (`suite.networks`, `config.value`)."""
    chosen = [name for name in NAMES if name in set(names)]
    wrong = [name for name in names if name not in NAMES]
    if wrong:
        message = f"expected some of {', '.join(NAMES)}, which networks are compared on, found {wrong[0]}"
        raise ConfigError("suite.networks", message)
    return [
        NetworkJob(network_config(name, model, seed, updates), folder / f"{name}-{model}-seed{seed}")
        for name in chosen
        for model in MODELS
        for seed in seeds
    ]


def run_network(job: NetworkJob) -> Trial:
    """Train from where the run stands, then test; what was done is not repeated.

    Raises what `run_in_directory` and `last_stage` raise.
    """
    kept = kept_trial(job)
    if kept is not None:
        return kept
    config = job.config
    summary = run_in_directory(config, job.path, resume=True)
    learner = last_stage(config, job.path).tree
    assert isinstance(learner, Learner)
    weights = jax.tree.map(itemgetter(0), learner.parameters)  # of the only network
    found = scores(config, weights, job.lengths, job.inputs)
    trained = summary.last["correct_mean"]
    took = table(RunDirectory.open(job.path).read_meta(), "summary")
    trial = Trial(
        *(config.task, config.model, config.seed, summary.iterations),
        *(number(took, "wall_s"), float(str(trained)), tuple(found)),
    )
    write_text_atomically(job.path / RESULT, canonical_json(asked(job) | {"trial": trial.record()}))
    return trial


def asked(job: NetworkJob) -> Record:
    """All that a trial depends on."""
    config = job.config.model_dump(mode="json")
    return {"config": config, "lengths": list(job.lengths), "inputs": job.inputs, "cells": CELLS}


def kept_trial(job: NetworkJob) -> Trial | None:
    """The trial that the run's directory has, None if there is none of these settings.

    Raises ConfigError (`run.damaged`).
    """
    path = job.path / RESULT
    if not path.is_file():
        return None
    try:
        kept = parse_json(path.read_bytes())
    except ValueError as error:
        raise ConfigError("run.damaged", f"expected JSON, found: {error}", Place(str(path))) from error
    if not isinstance(kept, dict) or any(kept.get(name) != value for name, value in asked(job).items()):
        return None
    trial = table(kept, "trial")
    return Trial(
        *(field(trial, "task", str), field(trial, "learner", str), whole(trial, "seed")),
        *(whole(trial, "updates"), number(trial, "seconds"), number(trial, "trained")),
        tuple(
            Score(whole(one, "length"), whole(one, "inputs"), number(one, "answers"), number(one, "symbols"))
            for one in tables(trial, "scores")
        ),
    )


def machine_scores(name: SequenceName, lengths: Sequence[int], inputs: int) -> list[Score]:
    """The machine of the zoo on the inputs that the networks are given, by its program.

    A symbol is right if it stands where it should; of a run that does not end, none is.
    """
    model, task, found = load_model(f"{ZOO_PREFIX}{name}"), SequenceTask(name, BITS, 1), list[Score]()
    for length in lengths:
        given = longer_inputs(name, BITS, length, inputs)
        right = [right_symbols(run_sequence(model, one).result, task.answer(one)) for one in given]
        whole_answers = sum(share == 1 for share in right)
        found.append(Score(length, inputs, 100 * whole_answers / inputs, 100 * sum(right) / inputs))
    return found


def usual_verdict(lengths: Sequence[int], inputs: int) -> list[float]:
    """What who always gives the more frequent verdict on brackets gets right, in percent, for each length."""
    task, found = SequenceTask("brackets", BITS, 1), list[float]()
    for length in lengths:
        accepted = sum(task.answer(one) == (1,) for one in longer_inputs("brackets", BITS, length, inputs))
        found.append(100 * max(accepted, inputs - accepted) / inputs)
    return found


def right_symbols(result: object, wanted: Sequence[int]) -> float:
    """The share of the wanted symbols that the result has in their places; of a longer result none counts."""
    emitted = result if isinstance(result, tuple) else () if result is None else (int(result is True),)
    if len(emitted) > len(wanted):
        return 0.0
    return sum(one == other for one, other in zip(emitted, wanted, strict=False)) / len(wanted)
