"""What a command settles before its work: streams, precision, pictures, the cache of compiled functions."""

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from nhc.cli import start

COMPILES = (
    "import os, sys; from nhc.cli.start import prepare; prepare(os.environ); import jax;"
    "print(float(jax.jit(lambda x: x * 2)(21.0)), jax.config.jax_enable_x64, os.environ['MPLBACKEND'])"
)


def fresh(code: str, **env: str) -> subprocess.CompletedProcess[str]:
    """A process of its own, without what this one has set for JAX's cache."""
    inherited = {name: text for name, text in os.environ.items() if "CACHE" not in name}
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, env=inherited | env, capture_output=True, text=True, check=False, timeout=120
    )


def entries(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_compiled_functions_are_kept_and_damage_is_no_word_worth(tmp_path: Path) -> None:
    """In a notebook's environment, too: its backend and its precision are not the command's."""
    notebook = {"MPLBACKEND": "module://matplotlib_inline.backend_inline", "JAX_ENABLE_X64": "1"}
    first = fresh(COMPILES, NHC_CACHE_DIR=str(tmp_path / "new" / "cache"), **notebook)
    assert (first.stdout, first.stderr) == ("42.0 False agg\n", "")
    kept = entries(tmp_path)
    assert kept and all(version("jax") in str(path.relative_to(tmp_path)) for path in kept)
    for path in kept:
        path.write_bytes(b"x")
    again = fresh(COMPILES, NHC_CACHE_DIR=str(tmp_path / "new" / "cache"), **notebook)
    assert (again.stdout, again.stderr) == ("42.0 False agg\n", "")


@pytest.mark.parametrize("folder", ["", "a file", "a file/below"])
def test_a_folder_that_cannot_be_used_is_left_alone(tmp_path: Path, folder: str) -> None:
    (tmp_path / "a file").write_text("mine")
    environment = {"NHC_CACHE_DIR": str(tmp_path / folder) if folder else ""}
    before = dict(environment)
    start.keep_compiled(environment)
    assert environment == before
    assert entries(tmp_path) == {tmp_path / "a file": b"mine"}


def test_a_folder_without_permission_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    environment = {"NHC_CACHE_DIR": str(tmp_path)}
    start.keep_compiled(environment)
    assert environment == {"NHC_CACHE_DIR": str(tmp_path)}


def test_who_has_chosen_a_folder_for_jax_keeps_it(tmp_path: Path) -> None:
    environment = {"NHC_CACHE_DIR": str(tmp_path), "JAX_COMPILATION_CACHE_DIR": "mine"}
    start.keep_compiled(environment)
    assert environment["JAX_COMPILATION_CACHE_DIR"] == "mine" and not entries(tmp_path)


def test_the_folder_is_the_user_s_and_one_for_each_kind_of_processor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    assert start.user_cache({"XDG_CACHE_HOME": str(tmp_path)}) == tmp_path
    assert (
        start.user_cache({"XDG_CACHE_HOME": "relative"}) == start.user_cache({}) == tmp_path / "home/.cache"
    )
    folder = start.cache_folder({"XDG_CACHE_HOME": str(tmp_path)})
    assert folder is not None and folder.parent == tmp_path / "nhc"
    assert folder.name.startswith(f"jax-{version('jax')}-")
    monkeypatch.setattr(start, "processor", lambda: "another")
    assert start.cache_folder({"XDG_CACHE_HOME": str(tmp_path)}) != folder


def test_characters_that_stdout_lacks_are_escaped(tmp_path: Path) -> None:
    level = tmp_path / "ebene-äß宽.json"
    level.write_text('{"domain": "free-tree", "start": 0, "goal": 0}')
    code = f"import os; from nhc.cli.start import prepare; prepare(os.environ); print({str(level)!a})"
    done = fresh(code, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "ebene-\\xe4\\xdf\\u5bbd.json" in done.stdout


def test_a_device_that_is_not_there_is_an_error_and_no_traceback() -> None:
    """JAX has two ways to say so."""
    guards = (
        "import jax, sys; from nhc.cli.main import guarded; sys.exit(guarded(lambda _: jax.devices(), []))"
    )
    for platform in ("cuda", "nonexistent"):
        done = fresh(guards, JAX_PLATFORMS=platform)
        assert done.returncode == 2
        assert done.stderr == f"error: JAX has no device for JAX_PLATFORMS={platform} [cli.device]\n"


LIGHT = ("train", "solve", "eval", "transfer", "demo", "run", "doctor", "check")


def test_what_needs_no_jax_does_not_import_it() -> None:
    lines = [["--help"], ["--version"], ["zoo"], *([name, "--help"] for name in LIGHT)]
    code = f"""
import sys
from nhc.cli.main import run
for line in {lines}:
    try: run(line)
    except SystemExit: pass
    print(line, {{'jax', 'matplotlib', 'numba', 'scipy'}} & sys.modules.keys(), file=sys.stderr)
"""
    assert fresh(code).stderr == "".join(f"{line} set()\n" for line in lines)
