"""An experiment as a run directory sees it: a state, and the round that leads to the next."""

from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from jaxtyping import Array
from numpy.typing import NDArray

from nhc.baselines.config import BaselineConfig
from nhc.baselines.dnc import Dnc
from nhc.baselines.learner import Learner, descent_of, new_learners
from nhc.baselines.network import Network
from nhc.baselines.search import Form
from nhc.baselines.search_training import (
    Recipe,
    Runs,
    new_runs,
    next_levels,
    recipe_of,
    round_of_updates,
    widened,
)
from nhc.baselines.sequence_task import Sequences, SequenceTask, round_of_sequences, sequences
from nhc.baselines.stack_rnn import StackRnn
from nhc.baselines.supply import Supply, nodes_at, top_level
from nhc.domains.local import LocalWorld
from nhc.domains.registry import make_domain
from nhc.errors import ConfigError
from nhc.streams import random_stream

Record = dict[str, object]


@dataclass(frozen=True)
class Stage:
    """Where an experiment stands; all that the next round depends on."""

    iteration: int
    """Iterations of each run so far."""
    tree: Runs[object] | Learner[object]
    """`Runs` of the search task, a `Learner` of a sequence task; every leaf has a first axis of runs."""
    levels: NDArray[np.int64]
    """Of each run."""
    positions: NDArray[np.int64]
    """Of each run and level: refill and offset of its supply of tasks."""


class SearchExperiment:
    """All runs of the search task."""

    def __init__(self, config: BaselineConfig, network: Network[object, object], form: Form) -> None:
        self._config, self._network = config, network
        self._recipe: Recipe = recipe_of(config, form)
        self._supply = Supply(config, make_domain(config.domain))

    def begin(self) -> Stage:
        """Before the first iteration, every run at Level 1."""
        config, capacity = self._config, self._config.bad_memories.capacity
        learners = new_learners(self._network, self._recipe.descent, config.seeds)
        runs = new_runs(self._recipe, learners, runs=config.runs, capacity=capacity, nodes=nodes_at(1))
        positions = np.zeros((config.runs, config.curriculum.levels, 2), np.int64)
        return Stage(0, runs, np.ones(config.runs, np.int64), positions)

    def advance(self, stage: Stage) -> tuple[Stage, Record]:
        """The next round and its line of the log."""
        assert isinstance(stage.tree, Runs)
        config, levels = self._config, stage.levels
        draws, positions = self._supply.draws(levels, stage.positions, stage.iteration // config.round)
        runs = widened(stage.tree, nodes_at(top_level(config, levels)))
        runs, tally = round_of_updates(self._network, self._recipe, runs, draws)
        runs, risen = next_levels(runs, levels)
        # The level after the last, which draws from all, stays.
        after = np.minimum(risen, config.curriculum.levels + 1)
        iteration = stage.iteration + config.round
        fitness = by_run(tally.fitness)
        record: Record = {
            "iteration": iteration,
            "fitness_mean": float(np.round(fitness.mean(), 4)),
            "fitness_std": float(np.round(fitness.std(), 4)),
            "fitness": rounded(fitness),
            "best": rounded(np.asarray(tally.fitness).max(axis=0)),
            "correct": rounded(by_run(tally.correct)),
            "loss": rounded(by_run(tally.loss)),
            "level": levels.tolist(),
            "solved": (risen > levels).tolist(),
            "streak": np.asarray(runs.streak).tolist(),
        }
        return Stage(iteration, runs, after, positions), record


class SequenceExperiment:
    """All runs of a sequence task: no levels and no bad memories."""

    def __init__(self, config: BaselineConfig, network: Network[object, object], task: SequenceTask) -> None:
        self._config, self._network, self._task = config, network, task

    def begin(self) -> Stage:
        """Before the first iteration."""
        config = self._config
        runs = new_learners(self._network, descent_of(config), config.seeds)
        return Stage(0, runs, np.ones(config.runs, np.int64), np.zeros((config.runs, 0, 2), np.int64))

    def advance(self, stage: Stage) -> tuple[Stage, Record]:
        """The next round and its line of the log."""
        assert isinstance(stage.tree, Learner)
        config = self._config
        shown = self._shown(stage.iteration // config.round)
        runs, found = round_of_sequences(self._network, descent_of(config), stage.tree, shown)
        correct = by_run(found.correct)
        record: Record = {
            "iteration": stage.iteration + config.round,
            "correct_mean": float(np.round(correct.mean(), 4)),
            "correct_std": float(np.round(correct.std(), 4)),
            "correct": rounded(correct),
            "wrong_symbols": rounded(by_run(found.wrong_symbols)),
            "loss": rounded(by_run(found.loss)),
        }
        return replace(stage, iteration=stage.iteration + config.round, tree=runs), record

    def _shown(self, index: int) -> Sequences:
        """What chance gives to round `index` of all runs; axes updates, runs, batch."""
        config, columns = self._config, list[Sequences]()
        for seed in config.seeds:
            given = self._task.draws(config.round * config.batch, random_stream(seed, "baselines", index))
            columns.append(sequences(self._task, given))
        shape = (config.round, config.batch)
        return Sequences(
            *(
                np.stack([one.reshape(*shape, *one.shape[1:]) for one in column], axis=1)
                for column in zip(*columns, strict=True)
            )
        )


def by_run(values: Array) -> NDArray[np.float64]:
    """The mean of each run over the updates of a round."""
    return np.asarray(values, np.float64).mean(axis=0)


def rounded(values: NDArray[np.generic]) -> list[float]:
    """Plain numbers with four decimals; NaN, which JSON lacks, as -1."""
    plain = np.asarray(values, np.float64)
    return [float(value) for value in np.round(np.where(np.isfinite(plain), plain, -1.0), 4)]


Experiment = SearchExperiment | SequenceExperiment


def experiment_of(config: BaselineConfig) -> Experiment:
    """The configured experiment. Raises ConfigError (`domain.unknown`, `domain.cells`)."""
    if config.task != "search":
        task = SequenceTask(config.task, config.sequence.bits, config.sequence.length)
        return SequenceExperiment(config, network_of(config, task.inputs, task.outputs), task)
    domain = make_domain(config.domain)
    if not isinstance(domain, LocalWorld):
        raise ConfigError("domain.cells", f"expected a world made of cells, found {config.domain}")
    form = Form(domain.form.cells, len(domain.form.symbols))
    return SearchExperiment(config, network_of(config, form.inputs, form.outputs), form)


def network_of(config: BaselineConfig, inputs: int, outputs: int) -> Network[object, object]:
    """The configured network, of whatever weights and states."""
    sizes, dnc, stack = (inputs, outputs, config.hidden, config.word), config.dnc, config.stack
    found: object = (
        Dnc(*sizes, dnc.cells, dnc.reads, dnc.writes)
        if config.model == "dnc"
        else StackRnn(*sizes, stack.stacks, stack.depth, stack.tops)
    )
    return cast(Network[object, object], found)
