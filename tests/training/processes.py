"""`nhc` as a process of its own; what JAX compiles is kept for the next one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nhc.runs.pool import ONE_THREAD

ROOT = Path(__file__).parents[2]


def environment(factory: pytest.TempPathFactory) -> dict[str, str]:
    """This process's environment, with one folder of compiled code for the whole test run.

    One thread, as the workers of `nhc train --seeds` have it: other flags would be compiled for anew.
    """
    cache = factory.getbasetemp() / "compiled"
    return os.environ | {
        "XLA_FLAGS": f"{os.environ.get('XLA_FLAGS', '')} {ONE_THREAD}".strip(),
        "JAX_COMPILATION_CACHE_DIR": str(cache),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "COLUMNS": "100",
    }


def python(
    *arguments: str, env: dict[str, str], cwd: Path = ROOT, timeout: float = 120
) -> subprocess.CompletedProcess[str]:
    """Run Python with these arguments to its end."""
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, env=env, cwd=cwd, timeout=timeout, capture_output=True, text=True, check=False
    )
