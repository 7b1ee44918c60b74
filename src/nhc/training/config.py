"""Where a run's configuration comes from: preset, file, overrides, in rising order; all validated at once."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from nhc.domains.registry import make_domain
from nhc.errors import ConfigError, Place
from nhc.evolve.config import TrainConfig
from nhc.evolve.presets import merged, preset_values


def run_config(
    task: str,
    *,
    preset: str = "default",
    fitness: str = "steps",
    file: Mapping[str, object] | None = None,
    overrides: Mapping[str, object] | None = None,
    source: Path | None = None,
) -> TrainConfig:
    """The configuration of a run. Raises ConfigError (`config.key`, `config.value`), naming every fault."""
    values = merged(preset_values(task, preset, fitness), file or {})
    return validated(merged(values, overrides or {}), source)


def validated(values: Mapping[str, object], source: Path | None = None) -> TrainConfig:
    """`values` as a configuration; unknown keys, values out of range and NaN are refused.

    Raises ConfigError: `config.key` if all that is wrong are unknown keys, else `config.value`;
    `domain.unknown` and `board.size` for a world that cannot be sampled.
    """
    try:
        config = TrainConfig.model_validate(values)
    except ValidationError as error:
        faults = [(".".join(map(str, fault["loc"])), fault["msg"], fault["type"]) for fault in error.errors()]
        unknown = all(kind == "extra_forbidden" for _, _, kind in faults)
        text = "; ".join(
            f"{key or 'configuration'}: {'unknown key' if kind == 'extra_forbidden' else message}"
            for key, message, kind in faults
        )
        place = None if source is None else Place(str(source))
        raise ConfigError("config.key" if unknown else "config.value", text, place) from error
    # A world that cannot be sampled is refused before anything is written or deleted.
    make_domain(config.domain).sample(np.random.default_rng(0), 1)
    return config
