"""One step of gradient descent, for one run: what the search task and the sequence tasks share."""

from typing import Generic, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

from nhc.baselines.config import BaselineConfig
from nhc.baselines.network import Network, ParametersT, StateT
from nhc.shapes import Flag
from nhc.streams import random_stream


class Descent(NamedTuple):
    """The settings of an update."""

    optimiser: str
    rate: float
    clip: float


class Learner(eqx.Module, Generic[ParametersT]):
    """Weights and what the optimiser keeps of the gradients so far."""

    parameters: ParametersT
    moments: optax.OptState


def descent_of(config: BaselineConfig) -> Descent:
    """The settings of an update."""
    return Descent(config.optimiser, config.learning_rate, config.clip)


def optimiser_of(descent: Descent) -> optax.GradientTransformation:
    """Gradients of bounded norm, then Adam, or RMSprop with momentum 0.9 as in Graves et al. 2016."""
    if descent.optimiser == "adam":
        step = optax.adam(descent.rate)
    else:
        step = optax.rmsprop(descent.rate, momentum=0.9)
    return optax.chain(optax.clip_by_global_norm(descent.clip), step)


def new_learners(
    network: Network[ParametersT, StateT], descent: Descent, seeds: range
) -> Learner[ParametersT]:
    """One learner a seed before its first update; a first axis of runs on every leaf."""
    optimiser, found = optimiser_of(descent), []
    for seed in seeds:
        parameters = network.initial_parameters(random_stream(seed, "baseline weights"))
        found.append(Learner(parameters, optimiser.init(parameters)))
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *found)


def updated(
    descent: Descent, before: Learner[ParametersT], gradient: ParametersT, learn: Flag
) -> Learner[ParametersT]:
    """The learner after one update, or as it was unless `learn`."""
    changes, moments = optimiser_of(descent).update(gradient, before.moments, before.parameters)
    after = Learner(optax.apply_updates(before.parameters, changes), moments)
    return jax.tree.map(lambda new, old: jnp.where(learn, new, old), after, before)
