"""The networks as plain NumPy arrays: what workers without JAX compute with."""

from collections.abc import Mapping

import numpy as np

from nhc.data.dense import SLOPE, Dense
from nhc.data.learned import LearnedModules
from nhc.supervised.check.plain import Layer, Network, Networks


def plain_networks(networks: Mapping[str, Dense]) -> Networks:
    """Copies of all weights, float32."""
    plain = {name: plain_network(network) for name, network in networks.items()}
    return Networks(plain, float(np.float32(SLOPE)))


def plain_network(network: Dense) -> Network:
    """Weights as (from, to), so that rows of inputs multiply them from the left."""
    return tuple(
        Layer(np.ascontiguousarray(np.asarray(weight, np.float32).T), np.asarray(bias, np.float32))
        for weight, bias in zip(network.weights, network.biases, strict=True)
    )


def named_networks(modules: LearnedModules) -> dict[str, Dense]:
    """The networks by their names in files."""
    return dict(vars(modules.networks))
