"""Where a run's configuration comes from: preset, file, overrides, in rising order; all validated at once."""

from collections.abc import Mapping
from functools import reduce
from pathlib import Path
from typing import cast

import numpy as np

from nhc.algorithms.protocol import Algorithm, InstanceT
from nhc.algorithms.registry import ALGORITHMS, AnyAlgorithm, algorithm_named
from nhc.certify.prove import is_provable
from nhc.domains.registry import make_domain
from nhc.errors import ConfigError, Place
from nhc.evolve.config import TrainConfig
from nhc.training.presets import FITNESS, PRESETS, SAMPLING, merged


def run_config(
    task: str | Algorithm[InstanceT],
    *,
    preset: str = "default",
    fitness: str = "steps",
    file: Mapping[str, object] | None = None,
    overrides: Mapping[str, object] | None = None,
    source: str | Path | None = None,
) -> TrainConfig:
    """The configuration of a run that learns an algorithm, by its name or itself.

    Unless `overrides`, `file` or `preset` say otherwise, levels are exact where the algorithm lists its tasks
    and no world is named, and an exact run ends with a proof where there is a prover.

    Raises ConfigError: `algorithm.unknown`, `algorithm.names`, `config.preset`, and `config.key` or
    `config.value`, naming every fault.
    """
    algorithm = declared(task) if isinstance(task, Algorithm) else algorithm_named(task)
    if preset not in PRESETS:
        raise ConfigError("config.preset", f"expected one of {', '.join(PRESETS)}, found {preset!r}")
    asked = reduce(merged, (PRESETS[preset], algorithm.defaults, file or {}, overrides or {}))
    fitness = str(asked.get("fitness", fitness))
    listed = algorithm.tasks(1) is not None and not asked.get("domain")
    sampling = str(asked.get("sampling", "exact" if listed else "sampled"))
    base: dict[str, object] = {
        "task": algorithm.name,
        "sampling": sampling,
        "fitness": fitness,
        "machine": {"signals": len(algorithm.signals), "ops": len(algorithm.ops)},
        "curriculum": {"levels": algorithm.levels},
    }
    usual = (base, SAMPLING.get(sampling, {}), FITNESS.get((sampling, fitness), {}), asked)
    config = validated(reduce(merged, usual), source, algorithm)
    provable = fitness in algorithm.proved and is_provable(algorithm, config.machine)
    if "until" in asked or sampling != "exact" or not provable:
        return config
    return config.model_copy(update={"until": "certified"})


def declared(algorithm: Algorithm[InstanceT]) -> AnyAlgorithm:
    """The algorithm, which has all that a class must say of itself.

    Raises ConfigError (`algorithm.names`) for what is missing, and for the name of another one that ships.
    """
    missing = [part for part in ("name", "signals", "ops", "levels") if not hasattr(algorithm, part)]
    if missing:
        found = f"{type(algorithm).__name__} lacks {', '.join(missing)}"
        raise ConfigError("algorithm.names", f"expected name, signals, ops and levels: {found}")
    if ALGORITHMS.get(algorithm.name, algorithm) is not algorithm:
        raise ConfigError("algorithm.names", f"an algorithm that ships is named {algorithm.name}")
    return cast(AnyAlgorithm, algorithm)


def validated(
    values: Mapping[str, object], source: str | Path | None = None, algorithm: AnyAlgorithm | None = None
) -> TrainConfig:
    """`values` as a configuration; unknown keys, values out of range and NaN are refused.

    Raises ConfigError: `config.key` if all that is wrong are unknown keys, else `config.value`;
    `algorithm.unknown`, and `domain.unknown` and `board.size` for a world that cannot be sampled.
    """
    place = None if source is None else Place(str(source))
    try:
        config = TrainConfig.model_validate(values)
        config.require_fit(config.algorithm if algorithm is None else algorithm)
    except ConfigError as error:
        raise ConfigError(error.code, error.message, place) from error
    except ValueError as error:
        raise ConfigError("config.value", str(error), place) from error
    if config.domain:  # A world that cannot be sampled is refused before anything is written or deleted.
        make_domain(config.domain).sample(np.random.default_rng(0), 1)
    return config
