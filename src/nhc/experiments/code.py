"""The version of the code that a kind of run depends on: a hash of source files, found by their imports.

Two installations with equal sources have equal versions; a change of documentation, of a command or of a
picture changes none.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import nhc
from nhc.errors import ConfigError
from nhc.runs.canonical import canonical_json
from nhc.runs.storage import sha256, sha256_file

LEFT_OUT = ("nhc.runs", "nhc.cli", "nhc.experiments")
"""Packages that keep and show results and compute none; modules that are named explicitly count anyway."""


@cache
def code_version(modules: tuple[str, ...], folders: tuple[str, ...] = ()) -> str:
    """SHA-256 over the sources of `modules` and all that they import from nhc, and over data `folders`.

    Folders are relative to the package. Raises InputError (`storage.read`) if a file cannot be read.
    """
    files = sources(modules)
    root = package_root()
    for folder in folders:
        files |= {
            str(path.relative_to(root)): path for path in sorted((root / folder).rglob("*")) if _is_data(path)
        }
    hashes = {name: sha256_file(path) for name, path in files.items()}
    return sha256(canonical_json(hashes).encode())


def sources(modules: tuple[str, ...]) -> dict[str, Path]:
    """The source files of these modules and of all of nhc that they import, wherever in the file.

    Imports from `LEFT_OUT` are not followed, unless they are among `modules`. Raises ConfigError
    (`reproduce.kind`) if one of `modules` is no module of nhc: a kind must not depend on nothing by mistake.
    """
    lost = [name for name in modules if _file(name) is None]
    if lost:
        raise ConfigError("reproduce.kind", f"expected modules of nhc, found {', '.join(lost)}")
    found: dict[str, Path] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        path = _file(name)
        left_out = name not in modules and any(f"{name}.".startswith(f"{package}.") for package in LEFT_OUT)
        if path is None or name in found or left_out:
            continue
        found[name] = path
        waiting += _imports(ast.parse(path.read_bytes()))
    return found


def package_root() -> Path:
    """The folder of the package."""
    return Path(nhc.__file__).parent


def _imports(tree: ast.Module) -> Iterator[str]:
    """Names that may be modules of nhc; `from a import b` may mean the module a.b."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _file(name: str) -> Path | None:
    """The source of a module of nhc; None for anything else. The package's own file only lists names."""
    first, _, rest = name.partition(".")
    if first != "nhc" or not rest:
        return None
    path = package_root().joinpath(*rest.split("."))
    options = (path.with_suffix(".py"), path / "__init__.py")
    return next((option for option in options if option.is_file()), None)


def _is_data(path: Path) -> bool:
    return path.is_file() and path.suffix in (".safetensors", ".json")
