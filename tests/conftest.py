"""Settings of the whole test run: silent rank promotion is an error, as warnings are.

Workers share what they compile, through a folder of the test run.
"""

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

LONG = ("tests", "viewer", "supervised", "evolve", "training", "planning", "baselines")
"""Folders with files that take long: begun first, so that all workers end at about the same time."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keeps the order within folders."""
    items.sort(key=lambda item: item.path.parent.name not in LONG)
