"""The networks as plain NumPy arrays: what workers without JAX compute with."""

import numpy as np

from nhc.data.dense import SLOPE, Dense
from nhc.data.learned import LearnedModules
from nhc.runs.arrays import weight_hash
from nhc.supervised.check.plain import Layer, Network, Networks
from nhc.supervised.files import blocks

NETWORKS = ("equality", "view", "acts", "change", "inserts", "mask")


def plain_networks(modules: LearnedModules) -> Networks:
    """Copies of all weights, float32."""
    parts: dict[str, Dense] = {name: getattr(modules.networks, name) for name in NETWORKS}
    return Networks(
        {name: plain_network(network) for name, network in parts.items()}, float(np.float32(SLOPE))
    )


def plain_network(network: Dense) -> Network:
    """Weights as (from, to), so that rows of inputs multiply them from the left."""
    return tuple(
        Layer(np.ascontiguousarray(np.asarray(weight, np.float32).T), np.asarray(bias, np.float32))
        for weight, bias in zip(network.weights, network.biases, strict=True)
    )


def modules_hash(modules: LearnedModules) -> str:
    """The weight hash of a file with these networks: metadata does not enter."""
    return weight_hash(blocks({name: getattr(modules.networks, name) for name in NETWORKS}))
