"""A training run that keeps a run directory: logs, checkpoints, pictures, and resuming from any kill.

Logs are written just before each checkpoint, so a log never lacks an iteration that a checkpoint has; what
it has beyond the checkpoint is cut off at a resume and written again, equal byte for byte.
"""

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from nhc.evolve.checkpoint import restored_state, state_arrays, state_values
from nhc.evolve.config import TrainConfig
from nhc.evolve.curriculum import ticks_at
from nhc.evolve.state import Record, TrainState, initial_train_state
from nhc.model import save_model
from nhc.runs.curve import draw_curve
from nhc.runs.directory import RunDirectory
from nhc.runs.environment import environment
from nhc.runs.journal import Journal
from nhc.runs.meter import Snapshot
from nhc.runs.progress import Progress
from nhc.training.config import validated
from nhc.training.session import Result, train
from nhc.zoo import SUFFIX

CHECKPOINT_SECONDS = 2.0
MODEL_FILE = "model" + SUFFIX
FINISHED = "finished"


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
        level=min(state.level, config.curriculum.levels + 1),
        iterations=state.iteration,
        learning_iterations=state.learning_iterations,
        restarts=state.restarts,
        ticks_per_s=round(result.ticks / max(result.seconds, 1e-9)),
        wall_s=round(result.seconds, 2),
        model=str(path / MODEL_FILE),
        certified=state.certified,
    )


def finished_summary(path: Path) -> Summary | None:
    """The summary of a run that has ended, None of one that has not."""
    meta = RunDirectory.open(path).read_meta()
    summary = meta.get("summary")
    return Summary(**summary) if meta.get("status") == FINISHED and isinstance(summary, dict) else None


def train_in_directory(
    config: TrainConfig, path: Path, progress: Progress, *, overwrite: bool = False
) -> Result:
    """Start a run in a new directory and train it to its end.

    Raises ConfigError (`run.exists`) and StorageError. On KeyboardInterrupt a checkpoint is written first.
    """
    meta: dict[str, object] = {**environment(), "seed": config.seed, "status": "running", "start": _now()}
    directory = RunDirectory.create(path, config.model_dump(mode="json"), meta, overwrite)
    state = initial_train_state(config)
    _save_checkpoint(directory, config, state)
    return _train(config, directory, state, progress)


def resume_in_directory(path: Path, progress: Progress) -> Result:
    """Continue the run in a directory from its newest checkpoint; a finished run just ends again.

    Raises ConfigError (`run.missing`, `run.damaged`, `config.value`) and ModelError for a damaged checkpoint.
    """
    directory = RunDirectory.open(path)
    config = validated(directory.read_config(), directory.config_file)
    checkpoint = directory.latest_checkpoint()
    if checkpoint is None:
        state = initial_train_state(config)
    else:
        state = restored_state(checkpoint.arrays, checkpoint.metadata, config)
    directory.truncate_after(state.iteration)
    directory.update_meta({"status": "running", "resumed": _now()})
    return _train(config, directory, state, progress)


def _train(config: TrainConfig, directory: RunDirectory, state: TrainState, progress: Progress) -> Result:
    keeper = _Keeper(config, directory, state, progress)
    try:
        result = train(config, state=state, on_step=keeper.note)
    except KeyboardInterrupt:
        keeper.keep()
        directory.update_meta({"status": "interrupted", "end": _now()})
        raise
    finally:
        progress.close()
    keeper.keep()
    save_model(directory.path / MODEL_FILE, result.model)
    draw_run(config, directory)
    summary = summary_of(result, directory.path)
    directory.update_meta({"status": FINISHED, "end": _now(), "summary": summary._asdict()})
    return result


class _Keeper:
    """Collects what a run reports and writes it every few seconds."""

    def __init__(
        self, config: TrainConfig, directory: RunDirectory, state: TrainState, progress: Progress
    ) -> None:
        self._config, self._directory, self._progress = config, directory, progress
        self._state = self._first = state
        self._journal = Journal(directory, state.iteration)
        self._began = self._kept_at = time.monotonic()

    def note(self, state: TrainState, records: list[Record]) -> None:
        """Take note of a step; write it out if the last time is long enough ago."""
        self._journal.add([record._asdict() for record in records])
        self._state = state
        if records:
            self._progress.update(snapshot(self._config, state, records[-1], self._first.ticks))
        if time.monotonic() - self._kept_at >= CHECKPOINT_SECONDS:
            self.keep()

    def keep(self) -> None:
        """Write the logs and a checkpoint of everything noted so far."""
        seconds, state = time.monotonic() - self._began, self._state
        timing = {"elapsed_s": round(seconds, 3), "ticks": state.ticks - self._first.ticks}
        self._journal.write(
            state.iteration, timing, lambda: _save_checkpoint(self._directory, self._config, state)
        )
        self._kept_at = time.monotonic()


def snapshot(config: TrainConfig, state: TrainState, record: Record, first_ticks: int) -> Snapshot:
    """What progress shows of a step."""
    return Snapshot(
        iteration=record.iteration,
        budget=config.budget,
        level=record.level,
        levels=config.curriculum.levels + 1,
        fitness=record.fitness,
        maximum=config.algorithm.maximum,
        streak=record.streak,
        streak_to_solve=config.curriculum.solved_after,
        learning_iterations=record.learning_iterations,
        restarts=record.restarts,
        ticks=state.ticks - first_ticks,
    )


def draw_run(config: TrainConfig, directory: RunDirectory) -> None:
    """Draw the learning curve of a run into its figures."""
    levels = range(1, config.curriculum.levels + 2)
    draw_curve(
        directory.metrics.read(),
        maximum=config.algorithm.maximum,
        ticks_per_level={level: ticks_at(level, config) for level in levels},
        title=f"Learning to {config.task}, seed {config.seed}, fitness {config.fitness}",
        path_stem=directory.figures / "learning_curve",
    )


def _save_checkpoint(directory: RunDirectory, config: TrainConfig, state: TrainState) -> None:
    directory.save_checkpoint(state.iteration, state_arrays(state, config), state_values(state))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
