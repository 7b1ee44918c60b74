"""Trained models that ship with the package, by name: `zoo:plan` is a file of this folder. Needs no JAX."""

from importlib import resources
from pathlib import Path

from nhc.errors import ModelError

SUFFIX = ".safetensors"
MODEL_FILE = "model" + SUFFIX
"""Of a run's directory."""
ZOO_PREFIX = "zoo:"

LEARNED, EXACT = "learned", "exact"
"""Data modules by choice: those that ship for a world, else exact ones; or those of its rules."""
DEFAULT_CHOICE = LEARNED
"""Of every command and function that takes data modules."""


def zoo_names() -> list[str]:
    """Names of the models that ship with the package."""
    files = (entry.name for entry in resources.files("nhc.zoo").iterdir())
    return sorted(name.removesuffix(SUFFIX) for name in files if name.endswith(SUFFIX))


def zoo_path(name: str) -> Path:
    """The file of a zoo model. Raises ModelError (`model.zoo`) for a name that does not ship."""
    if name not in zoo_names():
        raise ModelError("model.zoo", f"expected one of {', '.join(zoo_names())}, found {name!r}")
    return Path(str(resources.files("nhc.zoo").joinpath(name + SUFFIX)))


def model_path(name: str | Path) -> Path:
    """The file of a model: a path, the directory of a run, or a zoo name such as `zoo:plan`.

    Raises what `zoo_path` raises.
    """
    if isinstance(name, str) and name.startswith(ZOO_PREFIX):
        return zoo_path(name.removeprefix(ZOO_PREFIX))
    path = Path(name)
    return path / MODEL_FILE if path.is_dir() else path
