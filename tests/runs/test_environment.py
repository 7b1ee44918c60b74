"""What is recorded about the place where a run was made."""

import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

import nhc
from nhc.runs.environment import environment, git_version, host_threads, processor


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=Nobody", "-c", "user.email=nobody@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


def checkout(folder: Path) -> Path:
    """A repository that tracks one package."""
    package = folder / "src" / "package"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=first")
    return package


def test_fields() -> None:
    found = environment()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["nhc"] == nhc.__version__
    assert found["python"] == ".".join(map(str, sys.version_info[:3]))
    assert found["argv"] == sys.argv
    assert found["prng"] == "threefry2x32"
    assert found["host_threads"] == host_threads() >= 1
    for name in ("jax", "jaxlib", "numpy"):
        assert re.fullmatch(r"\d+\.\d+\.\d+.*", str(found[name]))
    for name in ("backend", "device", "platform", "processor"):
        assert isinstance(found[name], str) and found[name]
    assert found["jax_enable_x64"] is False


def test_no_machine_paths() -> None:
    found = {name: value for name, value in environment().items() if name != "argv"}
    assert str(Path.home()) not in str(found)
    assert os.sep + "src" not in str(found) and os.sep + "site-packages" not in str(found)


def test_the_kernel_release_is_not_told() -> None:
    assert platform.release() not in str(environment())


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("processor\t: 0\nmodel name\t: A: fast one\nmodel name\t: B\n", "A: fast one"),
        ("Processor: x\n", ""),
        (None, ""),
    ],
)
def test_the_processor_is_named_where_the_system_tells_it(
    text: str | None, wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if text is not None:
        (tmp_path / "cpuinfo").write_text(text)
    monkeypatch.setattr("nhc.runs.environment.CPU_INFO", tmp_path / "cpuinfo")
    assert processor() == (wanted or platform.processor() or platform.machine())


def test_git_version_of_a_checkout(tmp_path: Path) -> None:
    package = checkout(tmp_path)
    clean = git_version(package)
    assert clean is not None and re.fullmatch(r"[0-9a-f]{40}", clean)
    git(tmp_path, "tag", "v1")
    assert git_version(package) == clean
    (package / "__init__.py").write_text("changed = True\n")
    assert git_version(package) == f"{clean}-dirty"


def test_a_surrounding_project_is_not_ours(tmp_path: Path) -> None:
    checkout(tmp_path)
    inside = tmp_path / "venv" / "package"
    inside.mkdir(parents=True)
    (inside / "__init__.py").write_text("")
    assert git_version(inside) is None


def test_without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert git_version(tmp_path) is None
    package = checkout(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert git_version(package) is None
