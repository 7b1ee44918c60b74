"""Runs the machine on given data words and signals, for comparison with the oracle."""

import jax
import jax.numpy as jnp
import numpy as np

from nhc.machine.config import MachineConfig
from nhc.machine.layout import blocks, interface_blocks
from nhc.machine.parameters import Parameters
from nhc.machine.state import StoreMaker, initial_state, scanned
from nhc.machine.tick import tick
from tests.oracles.machine import OracleConfig

OPTIONS = ("signals", "ops", "mix", "words", "constrained_gate", "write_gate", "allocation", "usage_link")
QUICK = {"xla_backend_optimization_level": 0}
MORE_OPTIONS = ("constrained_head", "attention", "free_heads")


def oracle_config(config: MachineConfig) -> OracleConfig:
    """The same options for the oracle."""
    options = {name: getattr(config, name) for name in OPTIONS + MORE_OPTIONS}
    return OracleConfig(**options)


def random_blocks(rng: np.random.Generator, config: MachineConfig, scale: float) -> dict[str, np.ndarray]:
    """Normal weights by block name."""
    arrays = {}
    for block in blocks(config):
        arrays[f"{block.name}.w"] = (scale * rng.standard_normal((block.rows, block.inputs))).astype(
            np.float32
        )
        arrays[f"{block.name}.b"] = (scale * rng.standard_normal(block.rows)).astype(np.float32)
    return arrays


def random_signals(rng: np.random.Generator, config: MachineConfig, *shape: int) -> np.ndarray:
    """Small whole numbers, as algorithms give."""
    return rng.integers(-1, 3, size=(*shape, config.signals)).astype(np.float32)


def stacked(machines: list[dict[str, np.ndarray]], config: MachineConfig) -> Parameters:
    """Several machines' parameters with a leading axis."""
    members = [Parameters.from_blocks(arrays, config) for arrays in machines]
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *members)


def run_streams(parameters, config, data, signals, store: StoreMaker = scanned):
    """Tick outputs (machines x ticks) and last states of machines that are fed row i of `data`, `signals`."""
    return (_streams if config.is_plain else _ablated_streams)(parameters, config, data, signals, store)


def _run_streams(parameters, config, data, signals, store):
    def one(parameters, data, signals):
        def advance(state, fed):
            return tick(parameters, config, state, *fed)

        first = initial_state(config, jnp.int32(0), data.shape[0] + 1, store)
        return jax.lax.scan(advance, first, (data, signals))

    return jax.vmap(one)(parameters, data, signals)


_streams = jax.jit(_run_streams, static_argnums=(1, 4))
# Larger graphs, run for few ticks: compiling them well would take longer than running them.
_ablated_streams = jax.jit(_run_streams, static_argnums=(1, 4), compiler_options=QUICK)


__all__ = ["QUICK", "interface_blocks", "oracle_config", "random_blocks", "run_streams", "stacked"]
