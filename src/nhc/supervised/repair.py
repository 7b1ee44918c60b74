"""Repair: go on training the networks of a file, from the counterexamples of a check, until a check is clean.

A module begins with its check. If that finds nothing, the module stays as it is; else its counterexamples
are learned beside fresh samples, at the least learning rate, so that what is right stays right.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from pydantic import ValidationError

from nhc.data.dense import Dense
from nhc.data.experts import Experts
from nhc.data.learned import dense
from nhc.domains.local import WordForm
from nhc.runs.directory import RunDirectory
from nhc.runs.progress import Progress
from nhc.supervised.config import ModulesConfig
from nhc.supervised.files import DataModel
from nhc.supervised.keeping import ModuleSummary, resume_in_directory, train_in_directory
from nhc.supervised.learner import learner_of
from nhc.supervised.rows import width
from nhc.supervised.run import RunState, Verifiers
from nhc.supervised.sizes import NETWORKS, Sizes
from nhc.supervised.train import TrainState
from nhc.supervised.weights import has_signs, is_monotone, raw_of


class ModuleRepair(NamedTuple):
    """One module of a repair, as `--json` prints it."""

    world: str
    module: str
    before: int | None
    """Errors of the first check, which ends early when there are many; None if there was none."""
    counterexample_rounds: int
    updates: int
    after: int | None
    """Errors of the last check."""
    check: str
    """What the last check was."""
    cases: int
    seconds: float
    model: str


def repair_in_directory(
    model: DataModel,
    config: ModulesConfig,
    path: Path,
    progress: Progress,
    *,
    overwrite: bool = False,
    verifiers: Verifiers | None = None,
) -> list[ModuleRepair]:
    """Repair the modules of `config`, which `repair_config` makes, in a new run directory.

    Networks of other modules go into the repaired file too. Raises what `train_in_directory` raises.
    """
    first = repair_start(model, config)
    summaries = train_in_directory(
        config, path, progress, overwrite=overwrite, verifiers=verifiers, first=first
    )
    return _repairs(path, summaries)


def resume_repair(
    path: Path, progress: Progress, *, verifiers: Verifiers | None = None
) -> list[ModuleRepair]:
    """The rest of a repair that was interrupted. Raises what `resume_in_directory` raises."""
    return _repairs(path, resume_in_directory(path, progress, verifiers=verifiers))


def repair_config(
    model: DataModel, modules: Sequence[str], *, seed: int = 1, budget: int | None = None
) -> ModulesConfig:
    """The settings that the model was trained with, as far as its file tells, and the sizes that it has.

    `seed` should be another one than that of the training, which has seen the samples of its own.
    """
    try:
        base = ModulesConfig.model_validate(model.record.get("config"))
    except ValidationError:
        base = ModulesConfig(domain=model.world)
    layered = {name: network for name, network in model.networks.items() if isinstance(network, Dense)}
    hidden = {name: network.sizes[1:-1] for name, network in layered.items()}
    monotone = "equality" not in model.networks or has_signs(dense(model.networks, "equality"))
    experts = [name for name, network in model.networks.items() if isinstance(network, Experts)]
    changes: dict[str, object] = {
        "domain": model.world,
        "modules": tuple(modules),
        "seed": seed,
        "budget": base.budget if budget is None else budget,
        "sizes": {**Sizes().model_dump(), **hidden, "experts": experts},
        "equality": "monotone" if monotone else "free",
    }
    return ModulesConfig.model_validate({**base.model_dump(), **changes})


def repair_start(model: DataModel, config: ModulesConfig) -> RunState:
    """All modules of the file as if their stream had run clean: what comes next is their check."""
    return RunState(0, {name: _begun(model, config, name) for name in model.modules})


def _begun(model: DataModel, config: ModulesConfig, module: str) -> TrainState:
    form: WordForm = model.form
    monotone = is_monotone(config, module)
    networks = {name: model.networks[name] for name in NETWORKS[module]}
    learner = learner_of(form, config, module, raw_of(monotone, networks))
    full = config.equality_rate if monotone else config.learning_rate
    pool = np.zeros((0, width(form, module)), np.uint8)
    return TrainState(learner, pool, full * config.least_rate, clean=config.clean_rounds)


def _repairs(path: Path, summaries: Sequence[ModuleSummary]) -> list[ModuleRepair]:
    before: dict[str, int] = {}
    for line in RunDirectory(path).metrics.read():
        errors = line.get("errors")
        if line.get("event") == "check" and isinstance(errors, int):
            before.setdefault(str(line["module"]), errors)
    return [
        ModuleRepair(
            world=each.world,
            module=each.module,
            before=before.get(each.module),
            counterexample_rounds=each.counterexample_rounds,
            updates=each.updates,
            after=each.errors,
            check=each.check,
            cases=each.cases,
            seconds=each.seconds,
            model=each.model,
        )
        for each in summaries
    ]
