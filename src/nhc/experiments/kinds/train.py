"""Learning to search or to plan: a run of `nhc train`."""

from pathlib import Path

import numpy as np

from nhc.experiments.job import Record, Values
from nhc.experiments.kinds.folders import begun
from nhc.runs.checkpoints import checkpoint_files
from nhc.runs.directory import RunDirectory
from nhc.runs.history import history
from nhc.runs.storage import sha256_file

SECONDS_AN_ITERATION, NOVELTY_SECONDS, SOFT_SECONDS = 0.003, 0.006, 0.015
"""On one core, learning or not. Novelty has more runs that learn to the end; soft attention weighs all
cells at every tick, so it takes the longer the higher the level: 0.01 at low levels, this much for all."""
START_SECONDS = 8.0


def seconds(values: Values) -> float:
    """About how long a run takes."""
    budget = values["budget"]
    assert isinstance(budget, int)
    machine, novelty = (values.get(name) for name in ("machine", "novelty"))
    each = SECONDS_AN_ITERATION
    if isinstance(novelty, dict) and novelty.get("enabled"):
        each = NOVELTY_SECONDS
    if isinstance(machine, dict) and machine.get("attention") == "soft":
        each = SOFT_SECONDS
    return START_SECONDS + each * budget


def fraction(values: Values, folder: Path) -> float:
    """How much of its budget a run has used, by its last checkpoint."""
    budget = values["budget"]
    assert isinstance(budget, int)
    return max(checkpoint_files(RunDirectory(folder).checkpoints), default=0) / budget


def run(values: Values, folder: Path) -> Record:
    """Train, from the last checkpoint if there is one; `values` are those of a TrainConfig.

    Raises ConfigError (`config.key`, `config.value`) and what training raises.
    """
    from nhc.model import load_model
    from nhc.training.config import validated
    from nhc.training.jobs import Job, run_job
    from nhc.training.keeping import MODEL_FILE

    config = validated(values)
    begun(folder)
    summary = run_job(Job(config, folder, resume=True, overwrite=False))
    directory = RunDirectory.open(folder)
    column = history(directory.metrics.read())
    learned = np.bincount(column.level[column.learned], minlength=config.curriculum.levels + 2)[1:]
    return {
        "mastered": summary.mastered,
        "level": summary.level,
        "iterations": summary.iterations,
        "learning_iterations": summary.learning_iterations,
        "restarts": summary.restarts,
        "learned_per_level": learned.tolist(),
        "metrics": sha256_file(directory.metrics.path),
        "weights": load_model(str(folder / MODEL_FILE)).hash,
    }
