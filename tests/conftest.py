"""Settings of the whole test run: silent rank promotion is an error, as warnings are.

Workers share what they compile, through a folder of the test run.
"""

import gc
import os
from pathlib import Path

import jax
import pytest

COMPILED = Path(__file__).resolve().parents[1] / ".pytest_cache" / "compiled"

jax.config.update("jax_numpy_rank_promotion", "raise")
jax.config.update("jax_compilation_cache_dir", str(COMPILED))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.2)
# Tests compile much and run it for moments: optimized well, all that takes half as long again. Processes that
# tests start do as they do: their bits are compared.
jax.config.update("jax_disable_most_optimizations", True)
os.environ["JAX_DISABLE_MOST_OPTIMIZATIONS"] = "1"
# XLA's older emitters, in one piece, compile in a third of the time. XLA, which reads flags when it
# first compiles, ends a process with any that it does not know: they are for versions that know them.
if jax.__version_info__[:2] == (0, 10):
    quicker = "--xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1"
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {quicker}".strip()

LONG = ("tests", "viewer", "supervised", "evolve", "training", "planning", "baselines")
"""Folders with files that take long: begun first, so that all workers end at about the same time."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keeps the order within folders."""
    items.sort(key=lambda item: item.path.parent.name not in LONG)


def pytest_collection_finish() -> None:
    """Modules and tests stay, and compilation makes millions of objects: little of it is looked through."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
