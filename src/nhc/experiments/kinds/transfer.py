"""A machine, unchanged, on the curriculum of another world: a run of `nhc transfer`, level by level."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nhc.evolve.config import TrainConfig
from nhc.experiments.fields import whole
from nhc.experiments.job import Record, Values
from nhc.runs.arrays import load_arrays, save_arrays

if TYPE_CHECKING:
    from nhc.planning.transfer import Part

SAMPLES_A_SECOND = 300.0
"""On one core, with learned data modules."""
START_SECONDS = 15.0
DEFAULTS = TrainConfig()
"""Batch and curriculum of a transfer are those of training."""
LEVEL = "level-{}.safetensors"


def seconds(values: Values) -> float:
    """About how long a run takes."""
    iterations = values["iterations"]
    assert isinstance(iterations, int)
    return START_SECONDS + iterations * DEFAULTS.batch / SAMPLES_A_SECOND


def run(values: Values, folder: Path) -> Record:
    """Transfer `model` to `world` with `modules`, `iterations` batches by `seed`; keeps finished levels."""
    from nhc.domains.registry import make_domain
    from nhc.domains.states import picked, plain
    from nhc.model import load_model
    from nhc.planning.modules import chosen_modules
    from nhc.planning.states import computer_for
    from nhc.planning.transfer import transfer
    from nhc.streams import random_stream

    model, domain = load_model(str(values["model"])), make_domain(str(values["world"]))
    seed, iterations = values["seed"], values["iterations"]
    assert isinstance(seed, int) and isinstance(iterations, int)
    chosen = chosen_modules(str(values["modules"]), domain)
    folder.mkdir(parents=True, exist_ok=True)
    made = transfer(
        computer_for(model, domain, chosen.modules),
        domain,
        iterations=iterations,
        seed=seed,
        kept=kept_levels(folder),
        on_part=lambda number, part: keep_level(folder, number, part),
    )
    below = np.flatnonzero(made.fitness < model.algorithm.maximum)
    return {
        "task": made.task,
        "world": made.domain,
        "modules": chosen.note,
        "samples": made.samples,
        "mistakes": made.mistakes,
        "maximum": model.algorithm.maximum,
        "levels": run_lengths(made.level),
        # Nearly all batches are at the maximum; the others are named one by one.
        "below_maximum": {str(at): float(made.fitness[at]) for at in below},
        "empty_levels": {str(level): behind for level, behind in made.behind.items()},
        "weights": model.hash,
        "picture": domain.draw(plain(picked(domain.sample(random_stream(seed, "picture"), 1), 0))),
    }


def fraction(values: Values, folder: Path) -> float:
    """How much of a run is done."""
    del values
    return len(list(folder.glob(LEVEL.format("*")))) / DEFAULTS.curriculum.levels


def run_lengths(level: NDArray[np.int64]) -> list[list[int]]:
    """The levels in a row, each with its number of iterations."""
    starts = np.flatnonzero(np.diff(level, prepend=-1))
    lengths = np.diff(np.append(starts, len(level)))
    return [[int(level[start]), int(length)] for start, length in zip(starts, lengths, strict=True)]


def keep_level(folder: Path, number: int, part: "Part") -> None:
    """Write a finished level."""
    metadata: dict[str, object] = {"filled": part.filled, "mistakes": part.mistakes}
    save_arrays(folder / LEVEL.format(number), {"counts": part.counts}, metadata)


def kept_levels(folder: Path) -> "dict[int, Part]":
    """The levels that are finished. Raises ModelError and ConfigError (`run.damaged`) for a damaged file."""
    from nhc.planning.transfer import Part

    parts: dict[int, Part] = {}
    for path in folder.glob(LEVEL.format("*")):
        arrays, metadata = load_arrays(path)
        filled, mistakes = whole(metadata, "filled"), whole(metadata, "mistakes")
        parts[int(path.stem.rpartition("-")[2])] = Part(filled, arrays["counts"].astype(np.int32), mistakes)
    return parts
