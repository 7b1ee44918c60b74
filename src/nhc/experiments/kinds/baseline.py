"""A comparison method: several networks of one kind, trained side by side on Search."""

from pathlib import Path

from nhc.experiments.fields import listed
from nhc.experiments.job import Record, Values
from nhc.experiments.kinds.folders import begun
from nhc.runs.checkpoints import checkpoint_files
from nhc.runs.directory import RunDirectory
from nhc.runs.storage import sha256_file

SECONDS_AN_ITERATION = {"dnc": 0.15, "stack-rnn": 0.1}
"""Of one network on one core."""
START_SECONDS = 60.0


def seconds(values: Values) -> float:
    """About how long a run takes on a core; a GPU trains all networks at once."""
    iterations, runs = values["iterations"], values["runs"]
    assert isinstance(iterations, int) and isinstance(runs, int)
    return START_SECONDS + SECONDS_AN_ITERATION[str(values["model"])] * iterations * runs


def fraction(values: Values, folder: Path) -> float:
    """How much of its iterations a run has done, by its last checkpoint."""
    iterations = values["iterations"]
    assert isinstance(iterations, int)
    return max(checkpoint_files(RunDirectory(folder).checkpoints), default=0) / iterations


def run(values: Values, folder: Path) -> Record:
    """Train, from the last checkpoint if there is one; `values` are those of a BaselineConfig."""
    from nhc.baselines.config import validated
    from nhc.baselines.run import run_in_directory

    config = validated(values)
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


def solved_first_level(lines: list[Record]) -> int:
    """How many networks solved Level 1."""
    found: set[int] = set()
    for line in lines:
        solved, level = listed(line, "solved"), listed(line, "level")
        found |= {run for run, done in enumerate(solved) if done and level[run] == 1}
    return len(found)
