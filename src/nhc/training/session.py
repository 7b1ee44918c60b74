"""One training run from configuration to trained model, with or without a directory to keep it in.

Everything that decides the run is in its configuration; what is kept along the way cannot change it.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from nhc.domains.registry import make_domain
from nhc.evolve.config import TrainConfig
from nhc.evolve.loop import evolution
from nhc.evolve.state import Record, TrainState, initial_train_state
from nhc.model import Model
from nhc.tasks.source import TaskSource
from nhc.training.certified import certified_evolution


@dataclass(frozen=True)
class Result:
    """A finished run."""

    config: TrainConfig
    state: TrainState
    model: Model
    seconds: float
    """Wall time of this process, compilation included."""
    ticks: int
    """Machine ticks of this process."""

    @property
    def mastered(self) -> bool:
        """Were all levels solved within the budget?"""
        return self.state.mastered

    @property
    def succeeded(self) -> bool:
        """Did the run end because of what was learned, not because of the budget?"""
        return self.state.mastered or self.state.certified


def train(
    config: TrainConfig,
    *,
    state: TrainState | None = None,
    on_step: Callable[[TrainState, list[Record]], None] = lambda state, records: None,
) -> Result:
    """Train until every level is solved or the budget is spent.

    `on_step` is told of every few iterations: a state to continue from, and their records. The same
    configuration gives the same result bit for bit on one machine, also when continued from such a state.
    """
    began = time.perf_counter()
    first = initial_train_state(config) if state is None else state
    last = first
    for last, records in steps(config, first):
        on_step(last, records)
    seconds = time.perf_counter() - began
    return Result(config, last, trained_model(config, last), seconds, last.ticks - first.ticks)


def steps(config: TrainConfig, state: TrainState) -> Iterator[tuple[TrainState, list[Record]]]:
    """`nhc.evolve.loop.evolution` with tasks drawn from the configured domain."""
    source = TaskSource(make_domain(config.domain), config.algorithm, seed=config.seed)
    if config.until == "certified":
        return certified_evolution(config, state, source)
    return evolution(config, state, source)


def trained_model(config: TrainConfig, state: TrainState) -> Model:
    """The model of a state, with the record of how it came to be."""
    record: dict[str, object] = {
        "seed": config.seed,
        "mastered": state.mastered,
        "certified": state.certified,
        "level": min(state.level, config.curriculum.levels + 1),
        "iterations": state.iteration,
        "learning_iterations": state.learning_iterations,
        "restarts": state.restarts,
        "ticks": state.ticks,
        "config": config.model_dump(mode="json"),
    }
    return Model(state.parameters, config.machine, config.algorithm, record)
