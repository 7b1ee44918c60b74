"""What importing really does, and what reaches a checkout and a wheel: run in fresh interpreters."""

import ast
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted((ROOT / "src" / "nhc").rglob("*.py"))


def fresh_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in a new interpreter."""
    command = [sys.executable, "-c", code]
    env = os.environ | environment
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=60)


def test_the_command_line_starts_without_heavy_libraries() -> None:
    heavy = "{'jax', 'numpy', 'equinox', 'matplotlib', 'pydantic', 'tyro', 'rich'}"
    check = f"import sys, nhc, nhc.cli.main; print(sorted({heavy} & sys.modules.keys()))"
    assert fresh_python(check).stdout.strip() == "[]"
    assert fresh_python(f"import nhc.machine.tick; {check}").stdout.strip() != "[]"


def module_names() -> list[str]:
    """Dotted names of all modules."""
    parts = [path.relative_to(ROOT / "src").with_suffix("").parts for path in SOURCES]
    return [".".join(part).removesuffix(".__init__") for part in parts]


def test_importing_everything_starts_no_device() -> None:
    """With a platform that does not exist, whatever touches a device fails."""
    everything = "; ".join(f"import {name}" for name in module_names())
    done = fresh_python(everything, JAX_PLATFORMS="nonexistent")
    assert done.returncode == 0, done.stderr[-2000:]
    assert fresh_python("import jax; jax.devices()", JAX_PLATFORMS="nonexistent").returncode != 0


def test_make_clean_leaves_the_runs_of_a_user() -> None:
    """What is deleted can be made again by a command."""
    if shutil.which("make") is None:
        pytest.skip("needs make")
    shown = subprocess.run(
        ["make", "-n", "--no-print-directory", "clean"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    deleted = set(shown.split()) - {"rm", "-rf"}
    assert deleted == {".venv", "build", "dist", "site", ".pytest_cache", ".mypy_cache", ".ruff_cache"}


def test_git_ignores_no_source() -> None:
    """What git ignores is missing from every checkout, and from the wheel too."""
    if shutil.which("git") is None:
        pytest.skip("needs git")
    command = ["git", "ls-files", "--others", "--ignored", "--exclude-standard", "src", "tests"]
    ignored = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.splitlines()
    assert [name for name in ignored if name.endswith((".py", ".pyi", ".safetensors", ".json"))] == []


def test_every_library_that_is_imported_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"], *extras["sweep"], *extras["gym"], *extras["tensorboard"]]
    declared = {re.split(r"[<>=~!;\[ ]", line)[0].replace("-", "_") for line in lines}
    found = importlib.metadata.packages_distributions()
    provided = {module: {name.replace("-", "_") for name in names} for module, names in found.items()}
    imported: set[str] = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            imported |= {name.split(".")[0] for name in names}
    foreign = imported - sys.stdlib_module_names - {"nhc"}
    assert {"jax", "numpy"} <= foreign
    assert {name for name in foreign if not declared & {name, *provided.get(name, ())}} == set()
