"""`nhc figure curve`: how a run learned, or several."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import tyro

from nhc.cli.figure_options import FileOptions
from nhc.cli.parse import parse
from nhc.errors import ConfigError

if TYPE_CHECKING:  # These need JAX, which --help does not.
    from nhc.evolve.config import TrainConfig
    from nhc.runs.history import Record

EXAMPLES = """
nhc figure curve runs/plan-seed0 --out curve.pdf
nhc figure curve runs/search-seed0 runs/search-seed1 runs/plan-seed0 --columns 1 --out seeds.svg
"""


@dataclass(kw_only=True)
class CurveOptions(FileOptions):
    """Draw the learning curve of a run: fitness over iterations, level by level.

    Of several runs: how much was learned on each level and how many runs solved it, one colour an algorithm.
    """

    runs: tyro.conf.Positional[tuple[Path, ...]]
    """Directories of runs of `nhc train`."""


def run(arguments: list[str]) -> int:
    """Draw; exit 0. Raises ConfigError (`run.missing`) for what is no directory of a run."""
    options = parse(CurveOptions, arguments, name="figure curve", examples=EXAMPLES)
    width = options.inches()
    if not options.runs:
        raise ConfigError("run.missing", "expected at least one directory of a run, found none")
    from nhc.runs.seeds_figure import outcome, seeds_figure
    from nhc.training.picture import learning_curve
    from nhc.training.session import course_of

    logs = list(map(logged, options.runs))
    if len(logs) == 1:
        ((config, records),) = logs
        return options.save(learning_curve(course_of(config), records, width=width, titled=False))
    levels = max(config.last_level for config, _ in logs)
    groups = {
        task: [outcome(records, levels) for config, records in logs if config.task == task]
        for task in dict.fromkeys(config.task for config, _ in logs)
    }
    return options.save(seeds_figure(groups, width=width))


def logged(path: Path) -> "tuple[TrainConfig, list[Record]]":
    """Configuration and log of a run."""
    from nhc.runs.directory import RunDirectory
    from nhc.training.config import validated

    directory = RunDirectory.open(path)
    return validated(directory.read_config(), directory.config_file), list(directory.metrics.read())
