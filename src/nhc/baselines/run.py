"""An experiment in a run directory: logs, checkpoints, resuming from any kill.

Logs are written just before each checkpoint, so a log never lacks a round that a checkpoint has; what it has
beyond the checkpoint is cut off at a resume and written again, equal byte for byte.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Generic, NamedTuple

from nhc.baselines.checkpoint import restored_stage, stage_arrays, stage_values
from nhc.baselines.config import BaselineConfig, validated
from nhc.baselines.experiment import (
    CopyExperiment,
    Experiment,
    Record,
    SearchExperiment,
    Stage,
    TreeT,
    copy_form,
    dnc_of,
    first_levels,
    search_form,
    stack_rnn_of,
)
from nhc.errors import ConfigError, Place
from nhc.runs.directory import RunDirectory
from nhc.runs.environment import environment
from nhc.runs.journal import Journal

CHECKPOINT_SECONDS = 60.0
"""Ten networks and their moments are some hundred megabytes."""
FINISHED = "finished"


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


class Progress:
    """Is told of every round and may ask to stop; this one says nothing and never asks."""

    def update(self, record: Record) -> None:
        """Take note of the line of a round."""

    def stop(self) -> bool:
        """Is the experiment to stop before the next round? It can be resumed later."""
        return False


class LineProgress(Progress):
    """Writes a line now and then, and asks to stop when its time is up."""

    def __init__(
        self, write: Callable[[str], object], *, every: float = 5.0, minutes: float = float("inf")
    ) -> None:
        self._write, self._every = write, every
        self._ends = time.monotonic() + 60 * minutes
        self._next = time.monotonic()

    def update(self, record: Record) -> None:
        """Write it if the last line is old enough."""
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + self._every
            plain = {name: value for name, value in record.items() if not isinstance(value, list)}
            self._write("  ".join(f"{name} {value}" for name, value in plain.items()))

    def stop(self) -> bool:
        """Are the minutes over?"""
        return time.monotonic() >= self._ends


def run_in_directory(
    config: BaselineConfig,
    path: Path,
    progress: Progress | None = None,
    *,
    resume: bool = False,
    overwrite: bool = False,
) -> Summary:
    """Run the experiment of `config` in a new directory; with `resume` go on in the one that is there.

    Without a run at `path`, `resume` begins one. A finished run just ends again. On KeyboardInterrupt a
    checkpoint is written first. Raises ConfigError (`run.exists`, `run.damaged`, `domain.unknown`,
    `domain.cells`, and `run.config` if the directory holds a run of another configuration), ModelError for
    a damaged checkpoint, InputError (`task.level`) and StorageError.
    """
    if config.task == "search":  # a world that cannot be used is refused before anything is written
        search_form(config)
    directory = _opened(config, path) if resume and (path / "meta.json").exists() else None
    if directory is None:
        meta: dict[str, object] = {**environment(), "seed": config.seed, "status": "running", "start": _now()}
        directory = RunDirectory.create(path, config.model_dump(mode="json"), meta, overwrite)
    run = _run_copy if config.task == "copy" else _run_search
    return run(config, directory, Progress() if progress is None else progress)


def read_config(directory: RunDirectory) -> BaselineConfig:
    """The configuration of a run. Raises ConfigError (`config.value`, `config.missing`, `config.toml`)."""
    return validated(directory.read_config(), directory.config_file)


def _opened(config: BaselineConfig, path: Path) -> RunDirectory:
    directory = RunDirectory.open(path)
    if read_config(directory) != config:
        message = "expected a run of the given configuration, found another one"
        raise ConfigError("run.config", message, Place(str(directory.config_file)))
    directory.update_meta({"status": "running", "resumed": _now()})
    return directory


def _run_copy(config: BaselineConfig, directory: RunDirectory, progress: Progress) -> Summary:
    form, outputs = copy_form(config), config.copy_task.bits
    if config.model == "dnc":
        dnc = dnc_of(config, form.inputs, outputs)
        return _run(config, CopyExperiment(config, dnc, form), directory, progress)
    stack_rnn = stack_rnn_of(config, form.inputs, outputs)
    return _run(config, CopyExperiment(config, stack_rnn, form), directory, progress)


def _run_search(config: BaselineConfig, directory: RunDirectory, progress: Progress) -> Summary:
    form = search_form(config)
    if config.model == "dnc":
        dnc = dnc_of(config, form.inputs, form.outputs)
        return _run(config, SearchExperiment(config, dnc, form), directory, progress)
    stack_rnn = stack_rnn_of(config, form.inputs, form.outputs)
    return _run(config, SearchExperiment(config, stack_rnn, form), directory, progress)


def _run(
    config: BaselineConfig, experiment: Experiment[TreeT], directory: RunDirectory, progress: Progress
) -> Summary:
    began = time.monotonic()
    checkpoint = directory.latest_checkpoint()
    if checkpoint is None:
        stage = experiment.begin(first_levels(config))
    else:
        stage = restored_stage(experiment, config, checkpoint.arrays, checkpoint.metadata)
    directory.truncate_after(stage.iteration)
    keeper = _Keeper(directory, stage)
    try:
        while stage.iteration < config.iterations and not progress.stop():
            stage, record = experiment.advance(stage)
            keeper.note(stage, record)
            progress.update(record)
    except KeyboardInterrupt:
        keeper.keep()
        directory.update_meta({"status": "interrupted", "end": _now()})
        raise
    keeper.keep()
    finished = stage.iteration >= config.iterations
    lines = directory.metrics.read()
    summary = Summary(
        model=config.model,
        task=config.task,
        seed=config.seed,
        runs=config.runs,
        iterations=stage.iteration,
        last=lines[-1] if lines else {},
        wall_s=round(time.monotonic() - began, 2),
        finished=finished,
    )
    directory.update_meta({"status": FINISHED if finished else "stopped", "end": _now()})
    if (
        checkpoint is None or stage.iteration > checkpoint.iteration
    ):  # else its time is that of an earlier call
        directory.update_meta({"summary": summary._asdict()})
    return summary


class _Keeper(Generic[TreeT]):
    """Collects what an experiment reports and writes it now and then."""

    def __init__(self, directory: RunDirectory, stage: Stage[TreeT]) -> None:
        self._directory, self._stage = directory, stage
        self._journal = Journal(directory, stage.iteration)
        self._began = self._kept_at = time.monotonic()

    def note(self, stage: Stage[TreeT], record: Record) -> None:
        """Take note of a round; write it out if the last time is long enough ago."""
        self._journal.add([record])
        self._stage = stage
        if time.monotonic() - self._kept_at >= CHECKPOINT_SECONDS:
            self.keep()

    def keep(self) -> None:
        """Write the logs and a checkpoint of everything noted so far."""
        stage = self._stage
        timing = {"elapsed_s": round(time.monotonic() - self._began, 3)}
        self._journal.write(
            stage.iteration,
            timing,
            lambda: self._directory.save_checkpoint(
                stage.iteration, stage_arrays(stage), stage_values(stage)
            ),
        )
        self._kept_at = time.monotonic()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
