"""The wheel by itself: built, installed alone into an empty folder, and used from somewhere else."""

import importlib.util
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from nhc.zoo import shipped_worlds, zoo_names
from tests.training.processes import environment
from tests.training.small import arguments

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "nhc"
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]


def done(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=200, **options)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built with the backend at hand or, without one, with the one that pip fetches."""
    folder = tmp_path_factory.mktemp("wheel")
    isolated = [] if importlib.util.find_spec("hatchling") is None else ["--no-build-isolation"]
    built = done([*PIP, "wheel", "--no-deps", *isolated, "--wheel-dir", str(folder), str(ROOT)])
    if built.returncode and not isolated and "hatchling" in built.stderr:
        pytest.skip("hatchling is neither installed nor within reach")
    assert built.returncode == 0, built.stderr
    (found,) = folder.iterdir()
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package and nothing else."""
    site = tmp_path_factory.mktemp("site")
    made = done([*PIP, "install", "--no-deps", "--no-index", "--target", str(site), str(wheel)])
    assert made.returncode == 0, made.stderr
    return site


@pytest.fixture
def nhc(installed: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator["Command"]:
    """The command of the wheel, in a folder far from the sources; other packages are the environment's."""
    env = environment(tmp_path_factory) | {"PYTHONPATH": str(installed)}
    yield Command(installed, tmp_path, env)


class Command:
    """Runs `nhc`."""

    def __init__(self, installed: Path, folder: Path, env: dict[str, str]) -> None:
        self.installed, self.folder, self.env = installed, folder, env

    def __call__(self, *options: str) -> subprocess.CompletedProcess[str]:
        script = self.installed / "bin" / "nhc"
        return done([sys.executable, str(script), *options], cwd=self.folder, env=self.env)


def test_the_wheel_has_every_file_of_the_package_and_nothing_else(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if not name.endswith("/")}
    inside = {name for name in names if ".dist-info/" not in name}
    sources = {
        f"nhc/{path.relative_to(SOURCE).as_posix()}"
        for path in SOURCE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert inside == sources
    assert {"nhc/zoo/plan.safetensors", "nhc/zoo/search.safetensors"} <= inside
    assert any(name.endswith("licenses/LICENSE") for name in names)
    (metadata,) = [name for name in names if name.endswith(".dist-info/METADATA")]
    assert "](docs/" not in zipfile.ZipFile(wheel).read(metadata).decode(), (
        "such links lead nowhere elsewhere"
    )
    modules = sum(path.stat().st_size for path in SOURCE.glob("zoo/modules/*"))
    assert wheel.stat().st_size < 1_000_000 + modules < 20_000_000


def test_the_wheel_lists_its_own_zoo(nhc: Command) -> None:
    """And the code that runs is the wheel's, as are the models."""
    code = (
        "import nhc, nhc.zoo; print(nhc.__file__); print(nhc.zoo.zoo_path('plan'));"
        "from nhc.cli.main import run; run(['zoo', '--json'])"
    )
    lines = done([sys.executable, "-c", code], cwd=nhc.folder, env=nhc.env).stdout.splitlines()
    assert [Path(place).is_relative_to(nhc.installed) for place in lines[:2]] == [True, True]
    entries = [json.loads(line) for line in lines[2:]]
    machines, modules = entries[: len(zoo_names())], entries[len(zoo_names()) :]
    assert [entry["model"] for entry in machines] == [f"zoo:{name}" for name in zoo_names()]
    assert [entry["data_modules"] for entry in modules] == [f"zoo:{name}" for name in shipped_worlds()]


def test_the_wheel_trains_and_solves(nhc: Command) -> None:
    trained = nhc("train", *arguments(budget=20), "--out", "run", "--json", "--quiet")
    assert trained.returncode == 1, trained.stderr
    summary = json.loads(trained.stdout)
    assert summary["iterations"] == 20
    meta = json.loads((nhc.folder / "run" / "meta.json").read_text())
    assert meta["git"] is None, "an installed package is no checkout"
    options = ("--sample", "level=3", "--engine", "network", "--max-ticks", "1000")
    solved = nhc("solve", "zoo:plan", *options, "--json", "--quiet")
    assert solved.returncode == 0, solved.stderr
    assert json.loads(solved.stdout)["ending"] == "solved"
    assert sorted(os.listdir(nhc.folder)) == ["run"]
