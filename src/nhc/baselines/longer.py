"""What trained networks answer to longer inputs than they were trained on.

Their weights stay as they are, and the memory has more cells: no weight depends on their number.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import jax
import numpy as np

from nhc.baselines.config import BaselineConfig
from nhc.baselines.experiment import network_of
from nhc.baselines.network import Network, ParametersT, StateT
from nhc.baselines.sequence_task import (
    Answered,
    SequenceName,
    Sequences,
    SequenceTask,
    Symbols,
    answered,
    sequences,
)
from nhc.streams import random_stream

CELLS = 2
"""Memory cells, or places of a stack, for each symbol of an input, and never fewer than in training.

That is one for each tick of copy and reverse. With hardly more cells than symbols, the differentiable neural
computer gets most of what it can copy wrong: it writes while it answers, too.
"""


class Score(NamedTuple):
    """Answers to inputs of one length."""

    length: int
    inputs: int
    answers: float
    """Percentage that is right as a whole."""
    symbols: float
    """Percentage of symbols that are right."""


def longer_inputs(name: SequenceName, bits: int, length: int, count: int) -> list[Symbols]:
    """Random inputs of that length, always the same ones: whoever is compared is given these."""
    task, rng = SequenceTask(name, bits, length), random_stream(0, f"longer inputs, {name}", bits, length)
    return [task.draw(length, rng) for _ in range(count)]


def scores(config: BaselineConfig, parameters: object, lengths: Sequence[int], count: int) -> list[Score]:
    """The scores of one network at `lengths`. Raises ValueError for a configuration of another task."""
    if config.task == "search":
        raise ValueError("expected a sequence task, found search")
    found = []
    for length in lengths:
        enlarged = with_memory(config, CELLS * length)
        task = SequenceTask(config.task, config.sequence.bits, length)
        network = network_of(enlarged, task.inputs, task.outputs)
        shown = sequences(task, longer_inputs(task.name, task.bits, length, count))
        each = answers(network, parameters, shown)
        right, wrong = (float(np.mean(column)) for column in (each.correct, each.wrong_symbols))
        found.append(Score(length, count, right, 100 * (1 - wrong)))
    return found


@partial(jax.jit, static_argnames="network")
def answers(network: Network[ParametersT, StateT], parameters: ParametersT, shown: Sequences) -> Answered:
    """Each of some tasks, one after the other: the links of large memories side by side fit no cache."""
    return jax.lax.map(partial(answered, network, parameters), shown)


def with_memory(config: BaselineConfig, cells: int) -> BaselineConfig:
    """The same networks with a memory of at least so many cells, or stacks of that depth."""
    dnc = config.dnc.model_copy(update={"cells": max(cells, config.dnc.cells)})
    stack = config.stack.model_copy(update={"depth": max(cells, config.stack.depth)})
    return config.model_copy(update={"dnc": dnc, "stack": stack})
