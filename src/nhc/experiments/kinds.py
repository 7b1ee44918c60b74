"""The kinds of runs: how each is configured and done, how long it takes, and the version of its results."""

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from nhc.errors import ConfigError
from nhc.evolve.config import TrainConfig
from nhc.evolve.course import Course
from nhc.experiments.job import Job, Record, Values, field, table, whole
from nhc.machine.layout import weight_count
from nhc.runs.checkpoints import checkpoint_files
from nhc.runs.directory import RunDirectory
from nhc.training.config import run_config
from nhc.training.presets import merged

Changes = Mapping[str, object]

LEVELS = TrainConfig().curriculum.levels
"""Of training, and of a transfer."""
SAMPLES_OF_A_BATCH = TrainConfig().batch
LEVEL_FILE = "level-{}.safetensors"
"""What a transfer keeps of a finished level."""


class Kind(NamedTuple):
    """What is known of a kind of run without doing one."""

    name: str
    module: str
    """Of `nhc.experiments`; its function `<name>_run` does a run. It is imported when one begins."""
    schema: int
    """To be raised by whoever changes what the results are: then no kept record of the kind counts."""
    seconds: Callable[[Values], float]
    """About how long a run takes on one core."""
    budget: str = ""
    """The setting that bounds a run, empty where there is none."""
    unit: str = ""
    """What the budget counts."""
    fraction: Callable[[Values, Path], float] = lambda values, folder: 0.0
    """How much of a run is done, from 0 to 1; 0 where nobody can tell."""

    @property
    def version(self) -> str:
        """`train-1`: part of a run's key."""
        return f"{self.name}-{self.schema}"

    def run(self, values: Values, folder: Path) -> Record:
        """The result, a function of the settings alone. What was begun in the folder is gone on with."""
        work: Callable[[Values, Path], Record]
        work = getattr(import_module(f"nhc.experiments.{self.module}"), f"{self.name}_run")
        return work(values, folder)


def kind_of(name: str) -> Kind:
    """The kind of that name. Raises ConfigError (`reproduce.kind`)."""
    if name not in KINDS:
        raise ConfigError("reproduce.kind", f"expected one of {', '.join(KINDS)}, found {name!r}")
    return KINDS[name]


def budget_of(one: Job) -> tuple[int, str]:
    """The budget of a run and what it counts; 0 for a kind without one.

    Raises ConfigError (`run.damaged`) for settings without it.
    """
    kind = kind_of(one.kind)
    return (whole(one.values, kind.budget), kind.unit) if kind.budget else (0, "")


def training_values(task: str, *changes: Changes) -> Values:
    """Every setting of a training run: the defaults with all changes, of which later ones count.

    Raises ConfigError (`config.key`, `config.value`).
    """
    overrides: dict[str, object] = {"sampling": "sampled"}
    for one in changes:
        overrides = merged(overrides, one)
    return run_config(task, overrides=overrides).model_dump(mode="json")


def weights_of(values: Values) -> int:
    """Weights of the machine that a training run learns."""
    return weight_count(TrainConfig.model_validate(dict(values)).machine)


def ticks_of(values: Values, level: int) -> int:
    """Ticks of the longest task of a level of a training run."""
    config = TrainConfig.model_validate(dict(values))
    return Course(config, config.algorithm).ticks_at(level)


def network_values(**settings: object) -> Values:
    """Every setting of a run of comparison networks."""
    from nhc.baselines.config import BaselineConfig

    return BaselineConfig.model_validate(settings).model_dump(mode="json")


def modules_values(world: str, **settings: object) -> Values:
    """Every setting of learning the data modules of a world."""
    from nhc.supervised.config import ModulesConfig

    return ModulesConfig.of_world(world, **settings).model_dump(mode="json")


def training_seconds(values: Values) -> float:
    """3 ms an iteration, learning or not.

    With novelty more runs learn to the end. Soft attention weighs all cells at every tick, so it takes the
    longer the higher the level: 10 ms at low levels, 15 ms over all.
    """
    each = 0.003
    if table(values, "novelty")["enabled"]:
        each = 0.006
    if table(values, "machine")["attention"] == "soft":
        each = 0.015
    return 8.0 + each * whole(values, "budget")


def modules_seconds(values: Values) -> float:
    """With complete checks; a small budget of updates bounds it."""
    usual = {"stacking": 90.0, "sliding-3x3": 130.0, "sokoban-6x6": 450.0}
    return min(usual.get(str(values["domain"]), 500.0), 20.0 + 0.008 * whole(values, "budget"))


def baseline_seconds(values: Values) -> float:
    """On one core, network after network; a GPU trains all at once."""
    each = {"dnc": 0.15, "stack-rnn": 0.1}[field(values, "model", str)]
    return 60.0 + each * whole(values, "iterations") * whole(values, "runs")


def transfer_seconds(values: Values) -> float:
    """300 samples a second with learned data modules."""
    return 15.0 + whole(values, "iterations") * SAMPLES_OF_A_BATCH / 300


def long_seconds(values: Values) -> float:
    """By the network 20 µs a tick, by its program 0.1 µs, after a start that depends on the world."""
    start = {"free-tree": 8.0, "sokoban-6x6": 20.0}.get(str(values["world"]), 30.0)
    return start + whole(values, "goal") * {"network": 2e-5, "program": 1e-7}[str(values["engine"])]


def _by_checkpoint(budget: str) -> Callable[[Values, Path], float]:
    def fraction(values: Values, folder: Path) -> float:
        done = max(checkpoint_files(RunDirectory(folder).checkpoints), default=0)
        return done / whole(values, budget)

    return fraction


def _by_level(values: Values, folder: Path) -> float:
    del values
    return len(list(folder.glob(LEVEL_FILE.format("*")))) / LEVELS


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("train", "learning_runs", 1, training_seconds, "budget", "iterations", _by_checkpoint("budget")),
        Kind("modules", "learning_runs", 1, modules_seconds, "budget", "updates"),
        Kind(
            *("baseline", "learning_runs", 1, baseline_seconds, "iterations", "iterations"),
            _by_checkpoint("iterations"),
        ),
        Kind("transfer", "machine_runs", 1, transfer_seconds, "iterations", "batches", _by_level),
        Kind("long", "machine_runs", 1, long_seconds),
        Kind("behaviour", "machine_runs", 1, lambda values: 12.0),
        Kind("workflow", "machine_runs", 1, lambda values: 5.0),
    )
}
