"""What is trained: weights, and for Input numbers from which weights of a fixed sign follow.

With hidden weights >= 0 and output weights <= 0 the logit of Input falls with every difference between two
words. Then "equal" for no difference and "different" for each single-cell difference prove all the rest.
"""

from collections.abc import Mapping

import jax

from nhc.data.dense import Dense, initial_dense
from nhc.domains.local import WordForm
from nhc.streams import random_stream
from nhc.supervised.config import ModulesConfig
from nhc.supervised.sizes import MODULES, NETWORKS, layers

Raw = dict[str, Dense]
"""Network -> the numbers that are trained; see `effective`."""

SPREAD, MIDDLE = 0.1, -1.0
"""How a monotone network begins: weights of about softplus(-1) = 0.3 that differ a little."""


def initial_raw(form: WordForm, config: ModulesConfig, module: str) -> Raw:
    """Random numbers from the seed, for all networks of a module."""
    stream = random_stream(config.seed, "modules weights", MODULES.index(module))
    raw = {}
    for network in NETWORKS[module]:
        key = jax.random.key(int(stream.integers(2**32)))
        raw[network] = initial_dense(layers(form, config.sizes, network), key=key)
    if is_monotone(config, module):
        raw["equality"] = _monotone_start(raw["equality"])
    return raw


def effective(monotone: bool, raw: Mapping[str, Dense]) -> dict[str, Dense]:
    """The networks that the trained numbers stand for; `monotone` is that of `is_monotone`."""
    if not monotone:
        return dict(raw)
    trained = raw["equality"]
    *hidden, last = (jax.nn.softplus(weight) for weight in trained.weights)
    return {"equality": Dense((*hidden, -last), trained.biases)}


def is_monotone(config: ModulesConfig, module: str) -> bool:
    """Has this module weights of fixed sign?"""
    return module == "input" and config.equality == "monotone"


def _monotone_start(network: Dense) -> Dense:
    *hidden, last = network.weights
    weights = (*(SPREAD * weight + MIDDLE for weight in hidden), SPREAD * last)
    return Dense(weights, network.biases)
