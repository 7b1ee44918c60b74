"""Settings of the whole test run: silent rank promotion is an error, as warnings are.

Workers share what they compile, through a folder of the test run.
"""

from collections.abc import Iterator
from pathlib import Path

import jax
import pytest

COMPILED = Path(__file__).resolve().parents[1] / ".pytest_cache" / "compiled"

jax.config.update("jax_numpy_rank_promotion", "raise")
jax.config.update("jax_compilation_cache_dir", str(COMPILED))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.2)

HARDLY_OPTIMIZED = (
    "algorithms/test_hosted.py",
    "baselines",
    "data/test_exact_local.py",
    "evolve/test_fitness.py",
    "evolve/test_novelty.py",
    "evolve/test_shared.py",
    "machine/test_tick_against_oracle.py",
    "planning/test_evaluate.py",
    "planning/test_modules.py",
    "planning/test_transfer.py",
    "planning/test_worlds.py",
    "supervised/test_check.py",
    "supervised/test_experts.py",
    "supervised/test_init.py",
    "supervised/test_losses.py",
    "supervised/test_own.py",
    "supervised/test_rounding.py",
    "supervised/test_train.py",
    "training/test_exact.py",
)
"""Tests that compile much and run it for moments: optimized well, all that takes twice the time."""


@pytest.fixture(scope="module", autouse=True)
def _optimized(request: pytest.FixtureRequest) -> Iterator[None]:
    place = request.path.relative_to(Path(__file__).parent).as_posix()
    jax.config.update("jax_disable_most_optimizations", place.startswith(HARDLY_OPTIMIZED))
    yield
    jax.config.update("jax_disable_most_optimizations", False)
