"""Trained models and learned data modules that ship with the package, by name: `zoo:plan`, `zoo:sokoban-6x6`.

Data modules are in a folder of their own, one file a world with its check record beside it. Needs no JAX.
"""

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


def shipped_worlds() -> list[str]:
    """Names of the worlds whose learned data modules ship."""
    return sorted(path.name.removesuffix(SUFFIX) for path in _modules_folder().glob("*" + SUFFIX))


def shipped_path(world: str) -> Path | None:
    """The file of a world's data modules, None if none ships."""
    path = _modules_folder() / (world + SUFFIX)
    return path if path.is_file() else None


def modules_path(text: str) -> Path:
    """The file of data modules that `text` names: a path, or `zoo:WORLD`. Raises ModelError (`model.zoo`)."""
    if not text.startswith(ZOO_PREFIX):
        return Path(text)
    path = shipped_path(text.removeprefix(ZOO_PREFIX))
    if path is None:
        names = ", ".join(ZOO_PREFIX + world for world in shipped_worlds()) or "none, since none ship"
        raise ModelError("model.zoo", f"expected one of {names}; found {text!r}")
    return path


def ships(path: Path) -> bool:
    """Is it a file of data modules of the package, beside which nothing is written?"""
    return path.resolve().parent == _modules_folder().resolve()


def _modules_folder() -> Path:
    return Path(str(resources.files("nhc.zoo").joinpath("modules")))
