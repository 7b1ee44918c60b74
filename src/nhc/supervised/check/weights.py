"""The networks as plain NumPy arrays: what workers without JAX compute with."""

from collections.abc import Mapping

import numpy as np

from nhc.data.dense import SLOPE, Dense
from nhc.data.experts import Experts
from nhc.data.learned import LearnedModules, Network
from nhc.supervised.check import plain
from nhc.supervised.check.plain import READERS, Layer, Networks, PlainExperts


def plain_networks(networks: Mapping[str, Network]) -> Networks:
    """Copies of all weights, float32."""
    copies = {name: plain_network(network) for name, network in networks.items()}
    return Networks(copies, float(np.float32(SLOPE)))


def plain_network(network: Network) -> plain.Network:
    """Weights as (from, to), so that rows of inputs multiply them from the left."""
    if isinstance(network, Experts):
        strengths, weights, biases = (
            np.asarray(part, np.float32) for part in (network.strengths, network.weights, network.biases)
        )
        w = np.ascontiguousarray(weights.transpose(0, 2, 1))
        return PlainExperts(np.array(network.bits), strengths, w, biases)
    return tuple(
        Layer(np.ascontiguousarray(np.asarray(weight, np.float32).T), np.asarray(bias, np.float32))
        for weight, bias in zip(network.weights, network.biases, strict=True)
    )


def named_networks(modules: LearnedModules) -> dict[str, Network]:
    """The networks by their names in files."""
    return dict(vars(modules.networks))


def are_deep(networks: Mapping[str, Network]) -> bool:
    """Have all networks that read words a hidden layer?"""
    readers = [networks[name] for name in READERS if name in networks]
    return all(isinstance(network, Dense) and len(network.weights) > 1 for network in readers)
