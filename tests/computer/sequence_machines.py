"""Machines for sequence algorithms that nobody trained: random weights that rather go on than stop."""

from functools import cache

import equinox as eqx
import jax

from nhc.algorithms.registry import ALGORITHMS
from nhc.machine.config import MachineConfig
from nhc.machine.parameters import initial_parameters
from nhc.model import Model

LESS_OFTEN = 4.0
ENDING = {"accept", "reject", "too many", "too few", "stop"}


@cache
def random_machine(name: str, seed: int, **options: object) -> Model:
    """N(0, 1) weights; operations that end a run are chosen less often."""
    algorithm = ALGORITHMS[name]
    sizes = {"signals": len(algorithm.signals), "ops": len(algorithm.ops)}
    config = MachineConfig.model_validate({**sizes, **options})
    weights = initial_parameters(config, key=jax.random.key(seed), scale=1.0)
    less = jax.numpy.array([LESS_OFTEN * (op in ENDING) for op in algorithm.ops])
    weights = eqx.tree_at(lambda w: w.transform_c.b, weights, weights.transform_c.b - less)
    return Model(weights, config, algorithm, {})
