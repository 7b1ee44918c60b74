"""A training run that keeps a run directory: what it shows, its model and its learning curve."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Literal, NamedTuple

from nhc.errors import ConfigError
from nhc.evolve.config import TrainConfig
from nhc.evolve.state import Record, TrainState, initial_train_state
from nhc.model import save_model
from nhc.runs.directory import EVENTS, RunDirectory
from nhc.runs.figure import save_figure
from nhc.runs.keeper import FINISHED, Keeper, RunKind, new_run, require_config, resumed_run
from nhc.runs.progress import Progress, Standing
from nhc.training.config import validated
from nhc.training.learning import Learning
from nhc.training.picture import learning_curve
from nhc.training.session import Result, course_of, train
from nhc.zoo import MODEL_FILE

LogName = Literal["none", "tensorboard"]
CHECKPOINT_SECONDS = 2.0
GROWING = {f"bad/tasks/{name}": 1 for name in ("signals", "stored", "op", "word")}
"""Bad memories may have more ticks than the levels' tasks: a prover finds them beyond."""


class Summary(NamedTuple):
    """One finished run, as `--json` prints it."""

    task: str
    seed: int
    mastered: bool
    level: int
    """The level reached, one more than the curriculum has for its last."""
    iterations: int
    learning_iterations: int
    restarts: int
    ticks_per_s: int
    wall_s: float
    """Of the process that finished the run, compilation included."""
    model: str
    certified: bool = False
    """Did a proof end the run (only with --until certified)?"""

    def fields(self) -> dict[str, object]:
        """The fields to print; `certified` only where it was asked for and came true."""
        values: dict[str, object] = self._asdict()
        if not self.certified:
            del values["certified"]
        return values


def summary_of(result: Result, path: Path) -> Summary:
    """The summary of a run that was kept in `path`."""
    config, state = result.config, result.state
    return Summary(
        task=config.task,
        seed=config.seed,
        mastered=state.mastered,
        level=min(state.level, config.last_level),
        iterations=state.iteration,
        learning_iterations=state.learning_iterations,
        restarts=state.restarts,
        ticks_per_s=round(result.ticks / max(result.seconds, 1e-9)),
        wall_s=round(result.seconds, 2),
        model=str(path / MODEL_FILE),
        certified=state.certified,
    )


def finished_summary(path: Path, config: TrainConfig | None = None) -> Summary | None:
    """The summary of a run that has ended, None of one that has not.

    Raises ConfigError: `run.missing`, `run.damaged`, `run.config` if it is not a run of `config`.
    """
    directory = RunDirectory.open(path)
    if config is not None:
        require_config(directory, config.model_dump(mode="json"))
    meta = directory.read_meta()
    summary = meta.get("summary")
    return Summary(**summary) if meta.get("status") == FINISHED and isinstance(summary, dict) else None


def train_in_directory(
    config: TrainConfig, path: Path, progress: Progress, *, overwrite: bool = False, log: LogName = "none"
) -> Result:
    """Start a run in a new directory and train it to its end.

    Raises what `new_run` of the keeper raises, and ConfigError (`train.log`).
    """
    _require(log)
    with new_run(_kind(config), path, progress, overwrite=overwrite) as keeper:
        return _train(config, keeper, progress, log)


def resume_in_directory(
    path: Path, progress: Progress, config: TrainConfig | None = None, *, log: LogName = "none"
) -> Result:
    """Continue the run in a directory from its newest checkpoint; a finished run just ends again.

    Raises what `nhc.runs.keeper.resumed_run` raises, and ConfigError (`config.value`, `train.log`); with
    `config` also `run.config` if the run is not one of that configuration.
    """
    _require(log)
    directory = RunDirectory.open(path)
    found = config or validated(directory.read_config(), directory.config_file)
    with resumed_run(_kind(found), path, progress) as keeper:
        return _train(found, keeper, progress, log)


def _require(log: LogName) -> None:
    """Before anything is written: a log that cannot be made. Raises ConfigError (`train.log`)."""
    if log == "tensorboard":
        try:
            import tensorboardX  # noqa: F401
        except ImportError as error:
            message = f"expected tensorboardX, found: {error}; pip install 'nhc[tensorboard]'"
            raise ConfigError("train.log", message) from error


@contextmanager
def tensorboard_log(folder: Path, iteration: int) -> Iterator[Callable[[list[Record]], None]]:
    """Write event files for what comes after `iteration`; what an earlier process wrote of it goes.

    They have the numbers of metrics.jsonl. Gives what is told of iterations in their order.
    """
    from tensorboardX import SummaryWriter

    def log(records: list[Record]) -> None:
        for record in records:
            for name, value in record._asdict().items():
                if name != "iteration":
                    writer.add_scalar(name, float(value), record.iteration)

    suffix = f".{iteration}{EVENTS}"
    with SummaryWriter(str(folder), purge_step=iteration + 1, filename_suffix=suffix) as writer:
        yield log


def _kind(config: TrainConfig) -> RunKind[TrainState]:
    return RunKind(
        "checkpoint",
        config.model_dump(mode="json"),
        initial_train_state(course_of(config)),
        lambda each: each.iteration,
        free=GROWING,
        seconds=CHECKPOINT_SECONDS,
    )


def _train(config: TrainConfig, keeper: Keeper[TrainState], progress: Progress, log: LogName) -> Result:
    first = keeper.state
    folder = keeper.directory.tensorboard
    logging = tensorboard_log(folder, first.iteration) if log == "tensorboard" else nullcontext(None)
    learning = Learning(keeper.directory.learning_file, config.machine, first)

    def on_step(state: TrainState, records: list[Record]) -> None:
        ticks = state.ticks - first.ticks
        keeper.note(state, [record._asdict() for record in records], {"ticks": ticks})
        if tell is not None:
            tell(records)
        learning.note(state)
        if records:
            progress.update(standing(config, records[-1], ticks))

    with logging as tell:
        result = train(config, state=first, on_step=on_step)
    keeper.keep()
    path = keeper.directory.path
    save_model(path / MODEL_FILE, result.model)
    draw_run(config, keeper.directory)
    keeper.finish(summary=summary_of(result, path)._asdict())
    return result


def standing(config: TrainConfig, record: Record, ticks: int) -> Standing:
    """What progress shows of an iteration; `ticks` are those of this process.

    A run at its maximum is taken to stay there until all levels are solved; any other run to need its whole
    budget.
    """
    maximum, levels = config.algorithm.maximum, config.last_level
    left = max(config.budget - record.iteration, 0)
    # A streak begins anew after each solved level.
    perfect = record.streak > 0 or record.fitness >= maximum
    if perfect:
        open_levels = levels - record.level + 1
        needed = 1 if config.sampling == "exact" else config.curriculum.solved_after
        left = min(left, max(open_levels * needed - record.streak, 0))
    return Standing(
        fields=(
            ("iteration", f"{record.iteration}/{config.budget}"),
            ("level", f"{record.level}/{levels}"),
            ("fitness", f"{record.fitness:.2f}/{maximum:g}"),
            ("learning", f"{record.learning_iterations}"),
            ("restarts", f"{record.restarts}"),
        ),
        done=record.iteration,
        left=left,
        totals=(("ticks", ticks),),
        good=perfect,
    )


def draw_run(config: TrainConfig, directory: RunDirectory) -> None:
    """Draw the learning curve of a run into its figures."""
    figure = learning_curve(course_of(config), directory.metrics.read())
    save_figure(figure, directory.figures / "learning_curve")
