"""What is trained: weights, and for Input numbers from which weights of a fixed sign follow.

With hidden weights >= 0 and output weights <= 0 the logit of Input falls with every difference between two
words. Then "equal" for no difference and "different" for each single-cell difference prove all the rest.
"""

from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from nhc.data.dense import Dense, initial_dense
from nhc.data.experts import initial_experts
from nhc.data.learned import Network, dense
from nhc.domains.local import WordForm
from nhc.streams import random_stream
from nhc.supervised.config import ModulesConfig
from nhc.supervised.sizes import MODULES, NETWORKS, layers

Raw = dict[str, Network]
"""Network -> the numbers that are trained; see `effective`."""

SPREAD, MIDDLE = 0.1, -1.0
"""How a monotone network begins: weights of about softplus(-1) = 0.3 that differ a little."""

LEAST = 1e-30
"""Smaller weights of a monotone network are taken for this one."""


def initial_raw(form: WordForm, config: ModulesConfig, module: str) -> Raw:
    """Random numbers from the seed, for all networks of a module."""
    stream = random_stream(config.seed, "modules weights", MODULES.index(module))
    raw = {}
    for network in NETWORKS[module]:
        key = jax.random.key(int(stream.integers(2**32)))
        sizes = layers(form, config.sizes, network)
        of_experts = network in config.sizes.experts
        raw[network] = initial_experts(sizes) if of_experts else initial_dense(sizes, key=key)
    if is_monotone(config, module):
        raw["equality"] = _monotone_start(dense(raw, "equality"))
    return raw


def effective(monotone: bool, raw: Mapping[str, Network]) -> dict[str, Network]:
    """The networks that the trained numbers stand for; `monotone` is that of `is_monotone`."""
    if not monotone:
        return dict(raw)
    trained = dense(raw, "equality")
    *hidden, last = (jax.nn.softplus(weight) for weight in trained.weights)
    return {"equality": Dense((*hidden, -last), trained.biases)}


def raw_of(monotone: bool, networks: Mapping[str, Network]) -> Raw:
    """What has to be trained to go on from networks: the inverse of `effective`, up to rounding."""
    if not monotone:
        return dict(networks)
    network = dense(networks, "equality")
    weights = tuple(jnp.asarray(_unsoftened(np.abs(weight)), jnp.float32) for weight in network.weights)
    return {"equality": Dense(weights, network.biases)}


def has_signs(network: Dense) -> bool:
    """Are hidden weights not negative and output weights not positive, as a monotone Input has them?"""
    *hidden, last = (np.asarray(weight) for weight in network.weights)
    return all((weight >= 0).all() for weight in hidden) and bool((last <= 0).all())


def is_monotone(config: ModulesConfig, module: str) -> bool:
    """Has this module weights of fixed sign?"""
    return module == "input" and config.equality == "monotone"


def _unsoftened(weight: NDArray[np.floating]) -> NDArray[np.float64]:
    """The inverse of softplus; softplus is never zero, but next to nothing."""
    wide = np.maximum(weight.astype(np.float64), LEAST)
    return wide + np.log(-np.expm1(-wide))


def _monotone_start(network: Dense) -> Dense:
    *hidden, last = network.weights
    weights = (*(SPREAD * weight + MIDDLE for weight in hidden), SPREAD * last)
    return Dense(weights, network.biases)
