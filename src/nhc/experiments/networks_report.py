"""The report of the comparison networks: how they were trained, and what they and the machine answer."""

import math
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import jax
import numpy as np

from nhc.baselines.experiment import network_of
from nhc.baselines.longer import CELLS, Score
from nhc.baselines.sequence_task import SequenceName, SequenceTask, algorithm_of
from nhc.experiments.job import Record
from nhc.experiments.networks import BITS, MODELS, NAMES, Trial, machine_scores, network_config, usual_verdict
from nhc.experiments.suite import markdown_table
from nhc.runs.canonical import canonical_json
from nhc.runs.storage import write_text_atomically
from nhc.zoo import ZOO_PREFIX

RECORDS, REPORT = "networks.jsonl", "networks.md"
TRAINING_COLUMNS = ("task", "network", "lengths", "updates", "right answers in the last round", "seconds")
WHOLE, SYMBOLS = "whole answers", "symbols"

TEXT = """\
Seeds {seeds}. Each network begins with random weights and learns by gradient descent, from random
inputs of the lengths that our machine is trained on, all equally often. Copy and reverse have
{symbols} symbols, each a word of {bits} bits. Brackets are of {types} types, and right as often as those that
the algorithm draws for itself. The input is shown symbol by symbol; then a sign asks for the
answer, which is a symbol a tick, or one bit for a verdict.

- {dnc}
- {stack}

Then it is tested on {inputs} random inputs of each length. Our machine gets the very same inputs, and
runs by its program. For a test memory and stacks have {cells} cells for each symbol of the input, if
these are more than they had in training; no weight depends on that.

**What they learn from differs.** Our machine learns control alone, from a teacher that names the
operation and the word to be read at every tick; what is done to data is given. The networks learn
from the symbols of right answers only, and what to do with data they have to learn as well.
"""


class Comparison(NamedTuple):
    """All that was measured."""

    trials: tuple[Trial, ...]
    machines: dict[SequenceName, list[Score]]

    @property
    def lengths(self) -> list[int]:
        """Of the tests."""
        return [score.length for score in next(iter(self.machines.values()))]

    @property
    def columns(self) -> tuple[str, ...]:
        """Of the table of tests."""
        return ("task", "learner", "of", *map(str, self.lengths))

    def records(self) -> list[Record]:
        """One for each network and each machine, as plain JSON values."""
        machines: list[Record] = [
            {"task": name, "learner": f"{ZOO_PREFIX}{name}", "scores": [score._asdict() for score in own]}
            for name, own in self.machines.items()
        ]
        return [*(one.record() for one in self.trials), *machines]

    def training(self) -> list[tuple[str, ...]]:
        """The rows about training, one for each task and network."""
        rows = list[tuple[str, ...]]()
        for name in self.machines:
            task = SequenceTask(name, BITS, max(map(max, algorithm_of(name).sizes)))
            for model, title in MODELS.items():
                own = self._of(name, model)
                updates = ", ".join(dict.fromkeys(f"{one.updates:,}" for one in own))
                right = spread([one.trained for one in own])
                seconds = f"{statistics.median(one.seconds for one in own):.0f}"
                rows.append((name, title, f"{task.least} to {task.length}", updates, right, seconds))
        return rows

    def tests(self) -> list[tuple[str, ...]]:
        """The rows about tests, the machine's before those of the networks; a verdict is one symbol."""
        rows = list[tuple[str, ...]]()
        for name, own in self.machines.items():
            judges = SequenceTask(name, BITS, 1).judges
            if judges:
                usual = map(percent, usual_verdict(self.lengths, own[0].inputs))
                rows.append((name, "always the same verdict", WHOLE, *usual))
            learners: dict[str, list[Sequence[Score]]] = {f"`{ZOO_PREFIX}{name}`, proved": [own]}
            learners |= {MODELS[model]: [one.scores for one in self._of(name, model)] for model in MODELS}
            for learner, runs in learners.items():
                rows.append((name, learner, WHOLE, *by_length(runs, "answers")))
                if not judges:
                    rows.append((name, learner, SYMBOLS, *by_length(runs, "symbols")))
        return rows

    def _of(self, name: str, model: str) -> list[Trial]:
        return [one for one in self.trials if (one.task, one.learner) == (name, model)]


def by_length(runs: Sequence[Sequence[Score]], measure: str) -> list[str]:
    """The spread over all runs of one of their percentages, for each length."""
    return [spread([getattr(score, measure) for score in scores]) for scores in zip(*runs, strict=True)]


def spread(values: Sequence[float]) -> str:
    """`97.3 (92 to 100)`: the mean, and least to most where they differ."""
    least, mean, most = map(percent, (min(values), statistics.mean(values), max(values)))
    return mean if least == most else f"{mean} ({least} to {most})"


def percent(value: float) -> str:
    """One decimal at most, rounded down, so that 100 means all; what floats add or lack does not count."""
    return f"{math.floor(10 * value + 1e-6) / 10:g}"


def write_comparison(
    trials: Sequence[Trial], lengths: Sequence[int], inputs: int, folder: Path
) -> Comparison:
    """Test the machines too, and write `RECORDS` and `REPORT` into the folder.

    Raises StorageError (`storage.write`) and what loading a model raises.
    """
    names = [name for name in NAMES if any(one.task == name for one in trials)]
    machines = {name: machine_scores(name, lengths, inputs) for name in names}
    made = Comparison(tuple(trials), machines)
    write_text_atomically(
        folder / RECORDS, "".join(f"{canonical_json(record)}\n" for record in made.records())
    )
    write_text_atomically(folder / REPORT, report(made))
    return made


def report(made: Comparison) -> str:
    """Settings, what was trained and what was measured, as Markdown."""
    seeds = ", ".join(dict.fromkeys(str(one.seed) for one in made.trials))
    tasks = ", ".join(made.machines)
    inputs = next(iter(made.machines.values()))[0].inputs
    lines = [
        f"# Comparison networks on {tasks}",
        "",
        TEXT.format(
            **{"seeds": seeds, "inputs": inputs, "bits": BITS, "symbols": 2**BITS, "types": 2 ** (BITS - 1)},
            **{"cells": CELLS, "dnc": settings_of("dnc"), "stack": settings_of("stack-rnn")},
        ),
        "## Training",
        "",
        *markdown_table(TRAINING_COLUMNS, made.training(), 3),
        "",
        "## Tests",
        "",
        "Percentages that are right, by the length of the input, rounded down: mean over the seeds, and",
        f"least to most. By chance {100 / 2**BITS:g} % of symbols are right. Lengths are even, since a",
        "string of brackets of odd length is always wrong.",
        "",
        *markdown_table(made.columns, made.tests(), 3),
    ]
    return "\n".join(lines) + "\n"


def settings_of(model: str) -> str:
    """A sentence about one network, from the configuration of its runs."""
    config = network_config("copy", model, 0)
    task = SequenceTask("copy", BITS, 1)
    weights = network_of(config, task.inputs, task.outputs).initial_parameters(np.random.default_rng(0))
    count = sum(leaf.size for leaf in jax.tree.leaves(weights))
    dnc, stack = config.dnc, config.stack
    memory = (
        f"{dnc.cells} memory cells of {config.word} values, {dnc.reads} read and {dnc.writes} write head"
        if model == "dnc"
        else f"{stack.stacks} stacks of {stack.depth} cells of {config.word} values, {stack.tops} seen"
    )
    return (
        f"{MODELS[model]}: an LSTM of {config.hidden} units, {memory}; {count:,} weights on copy. "
        f"{config.optimiser.capitalize()}, learning rate {config.learning_rate:g}, {config.batch} inputs an "
        f"update, gradients clipped to norm {config.clip:g}."
    )
