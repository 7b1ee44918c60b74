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
from nhc.machine.parameters import Parameters, normal_parameters


def member_noise(key: Key[Array, ""], iteration: Array, member: Array, config: MachineConfig) -> Parameters:
    """ε_i of one member of one iteration, per named block: whoever knows `key` can redraw it."""
    return normal_parameters(jax.random.fold_in(jax.random.fold_in(key, iteration), member), config)


@partial(jax.jit, static_argnames=("config", "es"))
def offspring(
    theta: Parameters, key: Key[Array, ""], iteration: Array, *, config: MachineConfig, es: EvolutionConfig
) -> tuple[Parameters, Parameters]:
    """θ followed by its P offspring as one stack of members, and the noise behind the offspring."""
    members = jnp.arange(es.population)
    noise = jax.vmap(lambda member: member_noise(key, iteration, member, config))(members)
    stack = jax.tree.map(lambda t, e: jnp.concatenate([t[None], t[None] + es.sigma * e]), theta, noise)
    return stack, noise


@partial(jax.jit, static_argnames="es")
def update(
    theta: Parameters, noise: Parameters, utilities: Float[Array, " members"], *, es: EvolutionConfig
) -> Parameters:
    """θ after one learning iteration."""
    rate = es.learning_rate / (es.population * es.sigma)
    step = jax.tree.map(lambda e: jnp.tensordot(utilities, e, axes=1), noise)
    return jax.tree.map(lambda t, s: es.weight_decay * t + rate * s, theta, step)
