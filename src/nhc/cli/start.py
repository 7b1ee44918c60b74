"""What a command settles before its work, and only a command: who imports nhc keeps an environment as it is.

JAX, Matplotlib and the workers of a command read all of it from the environment when they are first used.
"""

import contextlib
import hashlib
import os
import platform
import shutil
import sys
import warnings
from collections.abc import MutableMapping
from importlib.metadata import PackageNotFoundError, version
from io import TextIOWrapper
from pathlib import Path

CACHE = "NHC_CACHE_DIR"
"""Names the folder of compiled functions; the empty text turns it off."""
CPU_INFO = Path("/proc/cpuinfo")
UNREADABLE = ("Error reading persistent compilation cache", "Error writing persistent compilation cache")
"""Warnings of JAX."""


def prepare(environment: MutableMapping[str, str]) -> None:
    """Settle streams and environment.

    Characters that stdout cannot show are written as escapes. Machines compute in float32 whatever
    `JAX_ENABLE_X64` says, and pictures go to files whatever `MPLBACKEND` says: a notebook sets both for
    itself, and hands them on to the commands that it starts.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    environment["JAX_ENABLE_X64"] = "0"
    environment["MPLBACKEND"] = "agg"
    keep_compiled(environment)


def keep_compiled(environment: MutableMapping[str, str]) -> None:
    """Let JAX keep what it compiles for the next command, in a folder of the user's own.

    A folder that cannot be written is left alone. What is damaged in it is compiled again, without a word.
    Who has set JAX's own `JAX_COMPILATION_CACHE_DIR` keeps it.
    """
    folder = cache_folder(environment)
    if folder is None or "JAX_COMPILATION_CACHE_DIR" in environment:
        return
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK | os.X_OK) and shutil.disk_usage(folder).free > 2**28:
            environment["JAX_COMPILATION_CACHE_DIR"] = str(folder)
            environment.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
            environment.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")
            filters = [environment.get("PYTHONWARNINGS", ""), *(f"ignore:{text}" for text in UNREADABLE)]
            environment["PYTHONWARNINGS"] = ",".join(filter(None, filters))  # for workers
            for text in UNREADABLE:
                warnings.filterwarnings("ignore", message=text)


def cache_folder(environment: MutableMapping[str, str]) -> Path | None:
    """Where compiled functions are kept: one folder for each version of JAX and kind of processor, since
    what was compiled for one is of no use to another. None if they are not to be kept."""
    named = environment.get(CACHE)
    if named == "":
        return None
    try:
        jax = version("jax")
        base = Path(named).expanduser() if named else user_cache(environment) / "nhc"
    except (PackageNotFoundError, RuntimeError):  # no JAX, or no home
        return None
    return base / f"jax-{jax}-{hashlib.sha256(processor().encode()).hexdigest()[:8]}"


def user_cache(environment: MutableMapping[str, str]) -> Path:
    """The platform's folder for what can be made again. Raises RuntimeError for a user without a home."""
    chosen = environment.get("XDG_CACHE_HOME", "")
    if Path(chosen).is_absolute():
        return Path(chosen)
    if sys.platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    return Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")


def processor() -> str:
    """What tells apart processors that cannot run each other's code."""
    lines = [platform.machine()]
    with contextlib.suppress(OSError):
        text = CPU_INFO.read_text(encoding="utf-8", errors="replace")
        lines += [
            line for line in text.split("\n\n")[0].splitlines() if line.startswith(("flags", "Features"))
        ]
    return "\n".join(lines)


def has_device() -> bool:
    """Does JAX find a device? Without JAX nothing needs one."""
    if "jax" not in sys.modules:
        return True
    import jax

    try:
        return bool(jax.devices())
    except (RuntimeError, AssertionError):
        return False
