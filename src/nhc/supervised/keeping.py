"""A training run of data modules in a run directory: logs, checkpoints, the model, resuming from any kill.

Logs are written just before each checkpoint, so a log never lacks a round that a checkpoint has; what it has
beyond the checkpoint is cut off at a resume and written again.
"""

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from nhc.domains.local import LocalWorld
from nhc.domains.registry import AnyState
from nhc.errors import ConfigError, Place
from nhc.runs.directory import RunDirectory
from nhc.runs.environment import environment
from nhc.runs.journal import Journal
from nhc.supervised.checkpoint import RunState, restored_state, state_arrays, state_values
from nhc.supervised.config import ModulesConfig
from nhc.supervised.files import save_modules
from nhc.supervised.progress import ModulesProgress
from nhc.supervised.run import (
    Verifiers,
    local_world,
    train_modules,
    trained_model,
    verifiers_of,
)
from nhc.supervised.standings import Standings
from nhc.supervised.train import Record

CHECKPOINT_SECONDS = 5.0
SUFFIX = ".safetensors"
MODULES_FILE = "modules" + SUFFIX
FINISHED = "finished"


class ModuleSummary(NamedTuple):
    """One module of a finished run, as `--json` prints it."""

    world: str
    seed: int
    module: str
    updates: int
    seconds: float
    """Training and checks, compilation included."""
    counterexample_rounds: int
    errors: int | None
    """Of the last check; None if the budget ended before one."""
    check: str
    """`exhaustive`, `proved` or `sampled`; empty without a check."""
    cases: int
    model: str


def train_in_directory(
    config: ModulesConfig,
    path: Path,
    progress: ModulesProgress,
    *,
    overwrite: bool = False,
    verifiers: Verifiers | None = None,
    first: RunState | None = None,
) -> list[ModuleSummary]:
    """Start a run in a new directory and train it to its end; with `first` from that state on.

    Raises ConfigError (`run.exists`, `domain.unknown`, `domain.cells`) and StorageError. On
    KeyboardInterrupt a checkpoint is written first.
    """
    world = local_world(config.domain)
    meta: dict[str, object] = {**environment(), "seed": config.seed, "status": "running", "start": _now()}
    directory = RunDirectory.create(path, config.model_dump(mode="json"), meta, overwrite)
    if first is not None:  # nothing else in the directory tells where the run began
        directory.save_checkpoint(first.iteration, state_arrays(first), state_values(first))
    return _train(world, config, directory, _Kept(first or RunState(0, {}), {}), progress, verifiers)


def resume_in_directory(
    path: Path, progress: ModulesProgress, *, verifiers: Verifiers | None = None
) -> list[ModuleSummary]:
    """Continue the run in a directory from its newest checkpoint; a finished one just ends again.

    Raises ConfigError (`run.missing`, `run.damaged`, `config.value`) and ModelError for a damaged checkpoint.
    """
    directory = RunDirectory.open(path)
    config = read_config(directory)
    world = local_world(config.domain)
    checkpoint = directory.latest_checkpoint()
    kept = _Kept(RunState(0, {}), {})
    if checkpoint is not None:
        run = restored_state(checkpoint.arrays, checkpoint.metadata, world.form, config)
        kept = _Kept(run, _seconds(checkpoint.metadata.get("seconds")))
    directory.truncate_after(kept.run.iteration)
    directory.update_meta({"status": "running", "resumed": _now()})
    return _train(world, config, directory, kept, progress, verifiers)


def read_config(directory: RunDirectory) -> ModulesConfig:
    """The configuration of a run of data modules. Raises ConfigError (`config.value`, `config.toml`)."""
    try:
        return ModulesConfig.model_validate(directory.read_config())
    except ValidationError as error:
        place = Place(file=str(directory.config_file))
        raise ConfigError("config.value", f"expected a run of data modules: {error}", place) from error


class _Kept(NamedTuple):
    """What a checkpoint holds: the state, and the seconds of each module so far."""

    run: RunState
    seconds: dict[str, float]


def _train(
    world: LocalWorld[AnyState],
    config: ModulesConfig,
    directory: RunDirectory,
    kept: _Kept,
    progress: ModulesProgress,
    verifiers: Verifiers | None,
) -> list[ModuleSummary]:
    keeper = _Keeper(world, config, directory, kept, progress)
    checks = verifiers or verifiers_of(world, config)
    try:
        for run, record in train_modules(world, config, kept.run, checks, keeper.checking):
            keeper.note(run, record)
    except KeyboardInterrupt:
        keeper.keep()
        directory.update_meta({"status": "interrupted", "end": _now()})
        raise
    finally:
        progress.close()
    keeper.keep()
    model = trained_model(world, config, keeper.run, keeper.seconds)
    save_modules(directory.path / MODULES_FILE, model)
    summaries = _summaries(config, directory, keeper)
    directory.update_meta({"status": FINISHED, "end": _now()})
    return summaries


class _Keeper:
    """Collects what a run reports, shows it, and writes it every few seconds."""

    def __init__(
        self,
        world: LocalWorld[AnyState],
        config: ModulesConfig,
        directory: RunDirectory,
        kept: _Kept,
        progress: ModulesProgress,
    ) -> None:
        self._directory = directory
        self._standings = Standings(world, config, progress)
        self.run, self.seconds = kept.run, dict(kept.seconds)
        self._journal = Journal(directory, kept.run.iteration)
        self._noted_at = self._kept_at = time.monotonic()

    def note(self, run: RunState, record: Record) -> None:
        """Take note of a round or check; write it out if the last time is long enough ago."""
        now = time.monotonic()
        self.seconds[record.module] = self.seconds.get(record.module, 0.0) + now - self._noted_at
        self._noted_at = now
        self._journal.add([{"iteration": run.iteration, **record._asdict()}])
        self.run = run
        self._standings.note(run, record)
        if record.event == "check" or now - self._kept_at >= CHECKPOINT_SECONDS:
            self.keep()

    def checking(self, module: str, done: int, cases: int) -> None:
        """Take note of a part of a check."""
        self._standings.checking(module, done, cases)

    def keep(self) -> None:
        """Write the logs and a checkpoint of everything noted so far."""
        run, times = self.run, {module: round(spent, 3) for module, spent in self.seconds.items()}
        values = {**state_values(run), "seconds": times}
        self._journal.write(
            run.iteration,
            {"seconds": times},
            lambda: self._directory.save_checkpoint(run.iteration, state_arrays(run), values),
        )
        self._kept_at = time.monotonic()


def _summaries(config: ModulesConfig, directory: RunDirectory, keeper: _Keeper) -> list[ModuleSummary]:
    checks = {str(line["module"]): line for line in directory.metrics.read() if line.get("event") == "check"}
    summaries = []
    for module in config.modules:
        state, check = keeper.run.states[module], checks.get(module, {})
        errors, cases = check.get("errors"), check.get("fresh")
        summaries.append(
            ModuleSummary(
                world=config.domain,
                seed=config.seed,
                module=module,
                updates=state.updates,
                seconds=round(keeper.seconds.get(module, 0.0), 2),
                counterexample_rounds=state.refuted,
                errors=errors if isinstance(errors, int) else None,
                check=str(check.get("label", "")),
                cases=cases if isinstance(cases, int) else 0,
                model=str(directory.path / MODULES_FILE),
            )
        )
    return summaries


def _seconds(value: object) -> dict[str, float]:
    return {str(name): float(spent) for name, spent in value.items()} if isinstance(value, dict) else {}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
