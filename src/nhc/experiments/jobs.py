"""The settings of runs: the one place that knows how training, data modules and networks are configured."""

from collections.abc import Mapping

from nhc.evolve.config import TrainConfig
from nhc.evolve.course import Course
from nhc.experiments.job import Values
from nhc.machine.layout import weight_count
from nhc.training.config import run_config
from nhc.training.presets import merged

Changes = Mapping[str, object]

LEVELS = TrainConfig().curriculum.levels
"""Of training, and of a transfer."""
SAMPLES_OF_A_BATCH = TrainConfig().batch


def training_values(task: str, *changes: Changes) -> Values:
    """Every setting of a training run: the defaults with all changes, of which later ones count.

    Raises ConfigError (`config.key`, `config.value`).
    """
    overrides: dict[str, object] = {"sampling": "sampled"}
    for one in changes:
        overrides = merged(overrides, one)
    return run_config(task, overrides=overrides).model_dump(mode="json")


def weights_of(values: Values) -> int:
    """Weights of the machine that a training run learns."""
    return weight_count(TrainConfig.model_validate(dict(values)).machine)


def ticks_of(values: Values, level: int) -> int:
    """Ticks of the longest task of a level of a training run."""
    config = TrainConfig.model_validate(dict(values))
    return Course(config, config.algorithm).ticks_at(level)


def network_values(**settings: object) -> Values:
    """Every setting of a run of comparison networks."""
    from nhc.baselines.config import BaselineConfig

    return BaselineConfig.model_validate(settings).model_dump(mode="json")


def modules_values(world: str, **settings: object) -> Values:
    """Every setting of learning the data modules of a world."""
    from nhc.supervised.config import ModulesConfig

    return ModulesConfig.of_world(world, **settings).model_dump(mode="json")
