"""The learned data modules that ship with the package, one file a world with its check record beside it."""

from importlib import resources
from pathlib import Path

from nhc.errors import ModelError

PREFIX, SUFFIX = "zoo:", ".safetensors"


def shipped_worlds() -> list[str]:
    """Names of the worlds that have them."""
    return sorted(path.name.removesuffix(SUFFIX) for path in _folder().glob("*" + SUFFIX))


def shipped_path(world: str) -> Path | None:
    """The file of a world, None if none ships."""
    path = _folder() / (world + SUFFIX)
    return path if path.is_file() else None


def modules_path(text: str) -> Path:
    """The file that `text` names: a path, or `zoo:WORLD`. Raises ModelError (`model.zoo`)."""
    if not text.startswith(PREFIX):
        return Path(text)
    path = shipped_path(text.removeprefix(PREFIX))
    if path is None:
        names = ", ".join(PREFIX + world for world in shipped_worlds()) or "none, since none ship"
        raise ModelError("model.zoo", f"expected one of {names}; found {text!r}")
    return path


def ships(path: Path) -> bool:
    """Is it a file of the package, beside which nothing is written?"""
    return path.resolve().parent == _folder().resolve()


def _folder() -> Path:
    return Path(str(resources.files("nhc.zoo").joinpath("modules")))
