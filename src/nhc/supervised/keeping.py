"""A training run of data modules that keeps a run directory."""

import time
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from nhc.domains.local import FiniteWorld
from nhc.domains.registry import AnyState, finite_world
from nhc.errors import ConfigError, Place
from nhc.runs.directory import RunDirectory
from nhc.runs.keeper import Keeper, RunKind, new_run, resumed_run
from nhc.runs.progress import Progress
from nhc.supervised.config import MODULES, ModulesConfig
from nhc.supervised.files import save_modules
from nhc.supervised.run import RunState, Standings, train_modules, trained_model
from nhc.supervised.train import blank_state

CHECKPOINT_SECONDS = 5.0
SUFFIX = ".safetensors"
MODULES_FILE = "modules" + SUFFIX
FREE = dict.fromkeys(("*/pool", "*/bits", "*/strengths", "*/biases", "*/weights"), 0)
"""Parts of a checkpoint that may have another length than at the start."""


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


class Kept(NamedTuple):
    """What a checkpoint holds: the state, and the seconds of each module so far."""

    run: RunState
    seconds: dict[str, float]


def train_in_directory(
    config: ModulesConfig,
    path: Path,
    progress: Progress,
    *,
    overwrite: bool = False,
    first: RunState | None = None,
) -> list[ModuleSummary]:
    """Start a run in a new directory and train it to its end; with `first` from that state on.

    Raises ConfigError (`domain.unknown`, `domain.cells`) and what `nhc.runs.keeper.new_run` raises.
    """
    world = finite_world(config.domain)
    kind = _kind(world, config, first or RunState(0, {}))
    with new_run(kind, path, progress, overwrite=overwrite) as keeper:
        return _train(world, config, keeper, progress)


def resume_in_directory(path: Path, progress: Progress) -> list[ModuleSummary]:
    """Continue the run in a directory from its newest checkpoint; a finished one just ends again.

    Raises ConfigError (`config.value`) and what `nhc.runs.keeper.resumed_run` raises.
    """
    config = read_config(RunDirectory.open(path))
    world = finite_world(config.domain)
    with resumed_run(_kind(world, config, RunState(0, {})), path, progress) as keeper:
        return _train(world, config, keeper, progress)


def read_config(directory: RunDirectory) -> ModulesConfig:
    """The configuration of a run of data modules. Raises ConfigError (`config.value`, `config.toml`)."""
    try:
        return ModulesConfig.model_validate(directory.read_config())
    except ValidationError as error:
        place = Place(file=str(directory.config_file))
        raise ConfigError("config.value", f"expected a run of data modules: {error}", place) from error


def _kind(world: FiniteWorld[AnyState], config: ModulesConfig, first: RunState) -> RunKind[Kept]:
    """A checkpoint has the modules that were begun, so the example has all of them.

    Of the counterexamples there may be any number, and of experts some may be left out.
    """
    states = {module: blank_state(world.form, config, module) for module in MODULES}
    return RunKind(
        name="modules-checkpoint",
        config=config.model_dump(mode="json"),
        start=Kept(first, {}),
        example=Kept(RunState(0, states), dict.fromkeys(MODULES, 0.0)),
        iteration=lambda kept: kept.run.iteration,
        free=FREE,
        seconds=CHECKPOINT_SECONDS,
    )


def _train(
    world: FiniteWorld[AnyState],
    config: ModulesConfig,
    keeper: Keeper[Kept],
    progress: Progress,
) -> list[ModuleSummary]:
    standings = Standings(world, config, progress)
    seconds, noted_at = dict(keeper.state.seconds), time.monotonic()
    for run, record in train_modules(world, config, keeper.state.run, standings.checking):
        now = time.monotonic()
        seconds = {**seconds, record.module: seconds.get(record.module, 0.0) + now - noted_at}
        noted_at = now
        lines = [{"iteration": run.iteration, **record._asdict()}]
        timing = {"seconds": {module: round(spent, 3) for module, spent in seconds.items()}}
        standings.note(run, record)
        keeper.note(Kept(run, seconds), lines, timing, now=record.event == "check")
    keeper.keep()
    path = keeper.directory.path
    save_modules(path / MODULES_FILE, trained_model(world, config, *keeper.state))
    summaries = _summaries(config, keeper)
    keeper.finish()
    return summaries


def _summaries(config: ModulesConfig, keeper: Keeper[Kept]) -> list[ModuleSummary]:
    directory = keeper.directory
    checks = {str(line["module"]): line for line in directory.metrics.read() if line.get("event") == "check"}
    summaries = []
    for module in config.modules:
        state, check = keeper.state.run.states[module], checks.get(module, {})
        errors, cases = check.get("errors"), check.get("fresh")
        summaries.append(
            ModuleSummary(
                world=config.domain,
                seed=config.seed,
                module=module,
                updates=state.updates,
                seconds=round(keeper.state.seconds.get(module, 0.0), 2),
                counterexample_rounds=state.refuted,
                errors=errors if isinstance(errors, int) else None,
                check=str(check.get("label", "")),
                cases=cases if isinstance(cases, int) else 0,
                model=str(directory.path / MODULES_FILE),
            )
        )
    return summaries
