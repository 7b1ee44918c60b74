"""The kinds of runs by name, each with the modules that its results depend on."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from nhc.errors import ConfigError
from nhc.experiments.fields import whole
from nhc.experiments.job import Job, Record, Values

HERE = "nhc.experiments.kinds"


class Kind(NamedTuple):
    """How a run of this kind is done, and what it depends on."""

    run: Callable[[Values, Path], Record]
    """Settings and a folder -> a result that is a function of the settings alone. A folder in which a run
    was begun is gone on with."""
    seconds: Callable[[Values], float]
    """About how long a run takes on one core."""
    fraction: Callable[[Values, Path], float]
    """How much of a run is done, from 0 to 1; 0 where nobody can tell."""
    modules: tuple[str, ...]
    """Modules of nhc that results depend on, the kind's own first; what they import counts too."""
    data: tuple[str, ...] = ()
    """Folders of the package with data that the results depend on."""


# What a kind imports by itself is found; what keeps runs (`nhc.runs`) counts only if it is named here.
MODULES: dict[str, tuple[str, ...]] = {
    "train": ("nhc.training.keeping", "nhc.training.jobs", "nhc.runs.history"),
    "transfer": ("nhc.planning.transfer", "nhc.planning.modules", "nhc.model"),
    "modules": ("nhc.supervised.keeping",),
    "long": ("nhc.planning.solve", "nhc.planning.engines", "nhc.planning.sample", "nhc.planning.modules"),
    "baseline": ("nhc.baselines.run",),
    "workflow": ("nhc.supervised.workflow", "nhc.supervised.shipped"),
    "behaviour": ("nhc.computer.trace", "nhc.planning.sample", "nhc.planning.states", "nhc.model"),
}
DATA: dict[str, tuple[str, ...]] = dict.fromkeys(("transfer", "long", "workflow", "behaviour"), ("zoo",))


def kind_of(name: str) -> Kind:
    """The kind; JAX is imported only when a run begins. Raises ConfigError (`reproduce.kind`)."""
    if name not in MODULES:
        raise ConfigError("reproduce.kind", f"expected one of {', '.join(MODULES)}, found {name!r}")
    module = import_module(f"{HERE}.{name}")
    return Kind(
        run=module.run,
        seconds=module.seconds,
        fraction=getattr(module, "fraction", _unknown),
        modules=(f"{HERE}.{name}", *MODULES[name]),
        data=DATA.get(name, ()),
    )


BUDGETS: dict[str, tuple[str, str]] = {
    "train": ("budget", "iterations"),
    "modules": ("budget", "updates"),
    "transfer": ("iterations", "batches"),
    "baseline": ("iterations", "iterations"),
}
"""Kind -> the setting that bounds a run, and what it counts."""


def budget_of(one: Job) -> tuple[int, str]:
    """The budget of a run and what it counts; 0 for a kind without one.

    Raises ConfigError (`run.damaged`) for settings without it.
    """
    if one.kind not in BUDGETS:
        return 0, ""
    name, unit = BUDGETS[one.kind]
    return whole(one.values, name), unit


def _unknown(values: Values, folder: Path) -> float:
    del values, folder
    return 0.0
