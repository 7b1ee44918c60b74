"""Where a run's configuration comes from: preset, file, overrides, in rising order; all validated at once."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from nhc.domains.registry import make_domain
from nhc.errors import ConfigError, Place
from nhc.evolve.config import TrainConfig
from nhc.evolve.presets import FITNESS_DEFAULTS, PRESETS, merged, preset_values
from nhc.tasks.algorithm import ALGORITHMS


def run_config(
    task: str,
    *,
    preset: str = "default",
    fitness: str = "steps",
    file: Mapping[str, object] | None = None,
    overrides: Mapping[str, object] | None = None,
    source: str | Path | None = None,
) -> TrainConfig:
    """The configuration of a run. Raises ConfigError (`config.key`, `config.value`), naming every fault."""
    known_names = {"task": [*ALGORITHMS], "preset": [*PRESETS], "fitness": [*FITNESS_DEFAULTS]}
    for (what, known), name in zip(known_names.items(), (task, preset, fitness), strict=True):
        if name not in known:
            expected = ", ".join(known)
            raise ConfigError("config.value", f"{what}: expected one of {expected}; found {name!r}")
    values = merged(preset_values(task, preset, fitness), file or {})
    return validated(merged(values, overrides or {}), source)


def validated(values: Mapping[str, object], source: str | Path | None = None) -> TrainConfig:
    """`values` as a configuration; unknown keys, values out of range and NaN are refused.

    Raises ConfigError: `config.key` if all that is wrong are unknown keys, else `config.value`;
    `domain.unknown` and `board.size` for a world that cannot be sampled.
    """
    try:
        config = TrainConfig.model_validate(values)
    except ConfigError as error:
        raise ConfigError(
            error.code, error.message, None if source is None else Place(str(source))
        ) from error
    # A world that cannot be sampled is refused before anything is written or deleted.
    make_domain(config.domain).sample(np.random.default_rng(0), 1)
    return config
