"""One training run from configuration to trained model, with or without a directory to keep it in.

Everything that decides the run is in its configuration; what is kept along the way cannot change it.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from nhc.algorithms.protocol import Algorithm, InstanceT
from nhc.algorithms.registry import AnyAlgorithm
from nhc.errors import ConfigError
from nhc.evolve.config import TrainConfig
from nhc.evolve.course import Course
from nhc.evolve.loop import Step, evolution
from nhc.evolve.state import Record, TrainState, initial_train_state
from nhc.model import Model
from nhc.training.certified import examiner
from nhc.training.config import run_config

if TYPE_CHECKING:  # Slow to import, and only pictures need it.
    from matplotlib.figure import Figure


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
    history: list[Record] = field(default_factory=list, repr=False)
    """The iterations of this process: the lines of metrics.jsonl."""

    @property
    def mastered(self) -> bool:
        """Were all levels solved within the budget?"""
        return self.state.mastered

    @property
    def succeeded(self) -> bool:
        """Did the run end because of what was learned, not because of the budget?"""
        return self.state.mastered or self.state.certified

    def plot(self) -> "Figure":
        """The learning curve of this process; a notebook shows it. Raises InputError (`run.empty`)."""
        from nhc.training.picture import learning_curve

        course = Course(self.config, self.model.algorithm)
        return learning_curve(course, [record._asdict() for record in self.history])


def train(
    config: TrainConfig,
    algorithm: Algorithm[InstanceT] | None = None,
    *,
    state: TrainState | None = None,
    on_step: Callable[[TrainState, list[Record]], bool | None] = lambda state, records: None,
) -> Result:
    """Train until every level is solved, or the weights are proved, or the budget is spent.

    `algorithm` is needed for one that does not ship. `on_step` is told of every few iterations: a state to
    continue from, and their records; if it returns True the run ends there. The same configuration gives the
    same result bit for bit on one machine, also when continued from such a state.

    Raises ConfigError (`algorithm.unknown`, `algorithm.teacher`, `algorithm.tasks`) and InputError
    (`task.level`).
    """
    began = time.perf_counter()
    course = course_of(config, algorithm)
    first = initial_train_state(course) if state is None else state
    last, history = first, []
    for last, records in steps(course, first):
        history += records
        if on_step(last, records):
            break
    seconds = time.perf_counter() - began
    return Result(config, last, trained_model(course, last), seconds, last.ticks - first.ticks, history)


def learn(algorithm: Algorithm[InstanceT], *, seed: int = 0, **options: object) -> Result:
    """Train a machine for an algorithm, with the options in its `defaults` and these, for example `budget`.

    `nhc.run_config` and `nhc.train` do the same in two steps. Raises what they raise.
    """
    return train(run_config(algorithm, overrides={**options, "seed": seed}), algorithm)


def course_of(config: TrainConfig, algorithm: Algorithm[InstanceT] | None = None) -> Course:
    """The configuration with its algorithm, by default the one that ships under its name.

    Raises ConfigError (`algorithm.unknown`) if none ships, or the configuration is another algorithm's.
    """
    if algorithm is None:
        return Course(config, config.algorithm)
    if algorithm.name != config.task:
        raise ConfigError(
            "algorithm.unknown", f"expected the algorithm {config.task}, found {algorithm.name}"
        )
    return Course(config, cast(AnyAlgorithm, algorithm))


def steps(course: Course, state: TrainState) -> Iterator[Step]:
    """`nhc.evolve.loop.evolution`, with proofs where the configuration asks for them."""
    if course.config.until == "certified":
        return evolution(course, state, examiner(course))
    return evolution(course, state)


def trained_model(course: Course, state: TrainState) -> Model:
    """The model of a state, with the record of how it came to be."""
    config = course.config
    record: dict[str, object] = {
        "seed": config.seed,
        "mastered": state.mastered,
        "certified": state.certified,
        "level": min(state.level, config.last_level),
        "iterations": state.iteration,
        "learning_iterations": state.learning_iterations,
        "restarts": state.restarts,
        "ticks": state.ticks,
        "config": config.model_dump(mode="json"),
    }
    return Model(state.parameters, config.machine, course.algorithm, record)
