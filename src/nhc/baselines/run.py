"""An experiment that keeps a run directory."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from nhc.baselines.config import BaselineConfig
from nhc.baselines.experiment import Experiment, Record, Stage, experiment_of
from nhc.errors import ModelError, Place
from nhc.runs.checkpoints import intact_checkpoints
from nhc.runs.directory import RunDirectory
from nhc.runs.keeper import FINISHED, RunKind, new_run, restored, resumed_run
from nhc.runs.progress import Progress, SilentProgress, Standing

CHECKPOINT_SECONDS = 60.0
"""Ten networks and their moments are some hundred megabytes."""
NODES = 2
"""The axis of a ring's words that grows with the tasks: runs x memories x nodes x bytes."""


class Summary(NamedTuple):
    """Where an experiment ended."""

    model: str
    task: str
    seed: int
    runs: int
    iterations: int
    last: Record
    """The last line of the log: the means over the last round."""
    wall_s: float
    """Of the process that finished it, compilation included."""
    finished: bool
    """Were all iterations done, or was it asked to stop?"""


def run_in_directory(
    config: BaselineConfig,
    path: Path,
    progress: Progress | None = None,
    *,
    resume: bool = False,
    overwrite: bool = False,
    stop: Callable[[], bool] = lambda: False,
) -> Summary:
    """Run the experiment of `config` in a new directory; with `resume` go on in the one that is there.

    Without a run at `path`, `resume` begins one. A finished run just ends again. `stop` is asked before each
    round; a run that it stopped can be resumed. Raises ConfigError (`domain.unknown`, `domain.cells`, and
    what `nhc.runs.keeper.new_run` and `resumed_run` raise), ModelError for a damaged checkpoint, InputError
    (`task.level`) and StorageError.
    """
    experiment = experiment_of(config)
    kind, shown = kind_of(config, experiment), progress or SilentProgress()
    if resume and RunDirectory(path).is_begun:
        run = resumed_run(kind, path, shown)
    else:
        run = new_run(kind, path, shown, overwrite=overwrite)
    with run as keeper:
        first = keeper.state.iteration
        while keeper.state.iteration < config.iterations and not stop():
            stage, record = experiment.advance(keeper.state)
            keeper.note(stage, [record])
            shown.update(standing(config, record))
        keeper.keep()
        iteration, lines = keeper.state.iteration, keeper.directory.metrics.read()
        finished = iteration >= config.iterations
        summary = Summary(
            model=config.model,
            task=config.task,
            seed=config.seed,
            runs=config.runs,
            iterations=iteration,
            last=lines[-1] if lines else {},
            wall_s=round(keeper.seconds, 2),
            finished=finished,
        )
        # Without an iteration of this call the time is that of an earlier one.
        more = {"summary": summary._asdict()} if iteration > first or not lines else {}
        keeper.finish(FINISHED if finished else "stopped", **more)
    return summary


def last_stage(config: BaselineConfig, path: Path) -> Stage:
    """Where the run of `config` in a directory ended; nothing is written.

    Raises ConfigError (`run.missing`) and ModelError (`model.checkpoint`) for a run that has not ended, and
    what decoding raises.
    """
    kind, folder = kind_of(config, experiment_of(config)), RunDirectory.open(path).checkpoints
    for found in intact_checkpoints(folder):
        if found.iteration == config.iterations:
            return restored(found, kind)[0]
    message = f"expected a checkpoint of iteration {config.iterations}, found none"
    raise ModelError("model.checkpoint", message, Place(str(folder)))


def kind_of(config: BaselineConfig, experiment: Experiment) -> RunKind[Stage]:
    """What the keeper must know. Rings are as wide as the tasks of the last round were, of whatever level."""
    return RunKind(
        name="baseline-checkpoint",
        config=config.model_dump(mode="json"),
        start=experiment.begin(),
        iteration=lambda stage: stage.iteration,
        free={"tree/ring/words": NODES},
        seconds=CHECKPOINT_SECONDS,
    )


def standing(config: BaselineConfig, record: Record) -> Standing:
    """What progress shows of a round: the means over all runs."""
    done = int(str(record["iteration"]))
    shown = [(name, f"{value}") for name, value in record.items() if not isinstance(value, list)]
    return Standing(tuple(shown), done, config.iterations - done, totals=(("iterations", done),))
