"""Natural evolution strategies with a fixed isotropic search distribution.

The paper, section "Learning of the Algorithmic Modules", after Wierstra et al. 2014: offspring θ + σ ε_i,
then θ <- decay · θ + α / (P σ) Σ_i u_i ε_i.
"""

from functools import partial

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, Key

from nhc.evolve.config import EvolutionConfig
from nhc.machine.config import MachineConfig
from nhc.machine.normal import fold_in, pair_of
from nhc.machine.parameters import Parameters, normal_weights, parted


@partial(jax.jit, static_argnames=("config", "population"))
def noise_of(
    key: Key[Array, ""], iteration: int | Array, *, config: MachineConfig, population: int
) -> Float[Array, "members weights"]:
    """ε_i of all offspring of one iteration, as `parted` takes it: whoever knows `key` can redraw it."""
    members = jnp.arange(population, dtype=jnp.uint32)
    keys = fold_in(fold_in(pair_of(key), jnp.asarray(iteration, jnp.uint32)), members)
    return jax.vmap(lambda key: normal_weights(key, config))(keys)


# Apart from `noise_of`: together, XLA draws anew for each map.
@partial(jax.jit, static_argnames=("config", "es"))
def offspring(
    theta: Parameters, noise: Float[Array, "members weights"], *, config: MachineConfig, es: EvolutionConfig
) -> tuple[Parameters, Parameters]:
    """θ followed by its P offspring as one stack of members, and the noise behind the offspring."""
    by_map = jax.vmap(lambda weights: parted(weights, config))(noise)
    stack = jax.tree.map(lambda t, e: jnp.concatenate([t[None], t[None] + es.sigma * e]), theta, by_map)
    return stack, by_map


@partial(jax.jit, static_argnames="es")
def update(
    theta: Parameters, noise: Parameters, utilities: Float[Array, " members"], *, es: EvolutionConfig
) -> Parameters:
    """θ after one learning iteration."""
    rate = es.learning_rate / (es.population * es.sigma)
    step = jax.tree.map(lambda e: jnp.tensordot(utilities, e, axes=1), noise)
    return jax.tree.map(lambda t, s: es.weight_decay * t + rate * s, theta, step)
