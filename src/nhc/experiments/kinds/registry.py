"""The kinds of runs by name, each with the modules that its results depend on."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from nhc.errors import ConfigError
from nhc.experiments.job import Record, Values

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
    """Modules of nhc; what they import counts too."""
    data: tuple[str, ...] = ()
    """Folders of the package with data that the results depend on."""


MODULES: dict[str, tuple[str, ...]] = {
    "train": ("nhc.training.keeping",),
    "transfer": ("nhc.planning.transfer", "nhc.planning.modules", "nhc.model"),
    "modules": ("nhc.supervised.keeping",),
    "long": ("nhc.planning.solve", "nhc.planning.engines", "nhc.planning.sample", "nhc.planning.modules"),
    "baseline": ("nhc.baselines.run",),
    "behaviour": ("nhc.computer.trace", "nhc.planning.sample", "nhc.planning.states", "nhc.model"),
}
DATA: dict[str, tuple[str, ...]] = {"transfer": ("zoo",), "long": ("zoo",), "behaviour": ("zoo",)}


def kind_of(name: str) -> Kind:
    """The kind; JAX is imported only when a run begins. Raises ConfigError (`reproduce.kind`)."""
    if name not in MODULES:
        raise ConfigError("reproduce.kind", f"expected one of {', '.join(MODULES)}, found {name!r}")
    module = import_module(f"{HERE}.{name}")
    return Kind(
        run=module.run,
        seconds=module.seconds,
        fraction=getattr(module, "fraction", _unknown),
        modules=MODULES[name],
        data=DATA.get(name, ()),
    )


def _unknown(values: Values, folder: Path) -> float:
    del values, folder
    return 0.0
