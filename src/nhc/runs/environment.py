"""On what a run was made: versions, device, random generator, threads; the fixed part of meta.json.

Names and numbers only. Apart from the command line as typed, nothing tells where files lie or whose the
machine is; so the kernel is left out, for its release often names a provider.
"""

import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import nhc

RANDOM_NUMBERS = ("prng", "jax_threefry_partitionable", "jax_enable_x64")
"""Fields that decide which random numbers a seed gives."""
VERSIONS = ("nhc", "jax", "jaxlib", "numpy", "backend", "device")
"""Fields that may change the last bits of results."""
CPU_INFO = Path("/proc/cpuinfo")
"""Where Linux describes its processors."""


def environment() -> dict[str, object]:
    """Plain JSON values; starts JAX's default backend, and asks git if the package lies in a checkout."""
    import jax

    device = jax.devices()[0]
    return {
        "nhc": nhc.__version__,
        "git": git_version(Path(nhc.__file__).parent),
        "python": platform.python_version(),
        "jax": version("jax"),
        "jaxlib": version("jaxlib"),
        "numpy": version("numpy"),
        "platform": f"{platform.system()} {platform.machine()}",
        "processor": processor(),
        "backend": device.platform,
        "device": device.device_kind,
        "devices": jax.device_count(),
        "prng": str(jax.random.key_impl(jax.random.key(0))),
        # Both change the numbers that one seed gives.
        **{
            name: bool(getattr(jax.config, name)) for name in ("jax_threefry_partitionable", "jax_enable_x64")
        },
        "host_threads": host_threads(),
        "argv": list(sys.argv),
    }


def changes(before: Mapping[str, object], now: Mapping[str, object], names: Sequence[str]) -> str:
    """`jax 0.10.0 -> 0.12.1` for each field that differs; what was not noted then is not compared."""
    pairs = ((name, before.get(name, now[name])) for name in names)
    return ", ".join(f"{name} {old} -> {now[name]}" for name, old in pairs if old != now[name])


def host_threads() -> int:
    """How many threads this process may run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def processor() -> str:
    """The model as the system names it; the architecture where it tells none."""
    with suppress(OSError):
        for line in CPU_INFO.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


def git_version(package: Path) -> str | None:
    """The commit that `package` is checked out from, with `-dirty` if tracked files differ.

    None without git, outside a checkout, and where the surrounding checkout does not track the package: an
    environment inside another project must not report that project's commit.
    """
    if _git(package, "ls-files", "--error-unmatch", "__init__.py") is None:
        return None
    return _git(package, "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")


def _git(folder: Path, *arguments: str) -> str | None:
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
