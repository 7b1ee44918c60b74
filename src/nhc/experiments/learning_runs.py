"""Runs in which something learns: the machine, its data modules, the comparison networks.

Each goes on from its last checkpoint if there is one.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from nhc.experiments.job import Record, Values, listed
from nhc.model import load_model
from nhc.runs.directory import RunDirectory
from nhc.runs.history import history
from nhc.runs.storage import sha256_file


def begun(folder: Path) -> bool:
    """Was a run begun here that can go on? What a kill left before that is taken away."""
    can_go_on = RunDirectory(folder).is_begun
    if not can_go_on and folder.exists():
        shutil.rmtree(folder)
    return can_go_on


def train_run(values: Values, folder: Path) -> Record:
    """As `nhc train` does; `values` are those of a TrainConfig.

    Raises ConfigError (`config.key`, `config.value`) and what training raises.
    """
    from nhc.training.config import validated
    from nhc.training.jobs import Job, run_job
    from nhc.zoo import MODEL_FILE

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


def modules_run(values: Values, folder: Path) -> Record:
    """As `nhc modules train` does; `values` are those of a ModulesConfig."""
    from nhc.runs.progress import SilentProgress
    from nhc.supervised.config import ModulesConfig
    from nhc.supervised.keeping import resume_in_directory, train_in_directory

    progress = SilentProgress()
    if begun(folder):
        summaries = resume_in_directory(folder, progress)
    else:
        summaries = train_in_directory(ModulesConfig.model_validate(dict(values)), folder, progress)
    directory = RunDirectory.open(folder)
    first = first_checks(directory.metrics.read())
    return {
        "world": summaries[0].world,
        "modules": {
            one.module: {
                "updates": one.updates,
                "rounds": one.counterexample_rounds,
                "errors": one.errors,
                "first_check_errors": first.get(one.module),
                "cases": one.cases,
                "check": one.check,
            }
            for one in summaries
        },
        "metrics": sha256_file(directory.metrics.path),
    }


def first_checks(records: Sequence[Values]) -> dict[str, object]:
    """The errors that the first check of each module found: what learning alone left behind."""
    found: dict[str, object] = {}
    for record in records:
        if record.get("event") == "check":
            found.setdefault(str(record["module"]), record.get("errors"))
    return found


def baseline_run(values: Values, folder: Path) -> Record:
    """Several networks of one kind side by side; `values` are those of a BaselineConfig."""
    from nhc.baselines.config import BaselineConfig
    from nhc.baselines.run import run_in_directory

    config = BaselineConfig.model_validate(values)
    begun(folder)
    summary = run_in_directory(config, folder, resume=True)
    metrics = RunDirectory.open(folder).metrics
    lines = metrics.read()
    last = lines[-1]
    return {
        "model": summary.model,
        "runs": summary.runs,
        "iterations": summary.iterations,
        "levels": last["level"],
        "solved": solved_first_level(lines),
        "last": {name: last[name] for name in ("fitness_mean", "fitness_std", "fitness", "best", "correct")},
        "metrics": sha256_file(metrics.path),
    }


def solved_first_level(lines: Sequence[Values]) -> int:
    """How many networks solved Level 1, by the lines of the log."""
    found: set[int] = set()
    for line in lines:
        solved, level = listed(line, "solved"), listed(line, "level")
        found |= {run for run, done in enumerate(solved) if done and level[run] == 1}
    return len(found)
