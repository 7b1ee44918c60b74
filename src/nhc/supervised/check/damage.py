"""A change of one bias so small that hardly any case goes wrong: where tests of checks and repairs begin."""

from collections.abc import Callable
from typing import NamedTuple

import equinox as eqx
import numpy as np

from nhc.data.dense import Dense
from nhc.data.learned import LearnedModules
from nhc.streams import random_stream

HALVINGS = 40
LARGEST = 2.0**10


class Damage(NamedTuple):
    """Modules with one bias of a last layer changed."""

    modules: LearnedModules
    unit: int
    change: float
    errors: int


def find_damage(
    modules: LearnedModules,
    network: str,
    errors_of: Callable[[LearnedModules], int],
    *,
    most: int = 5,
    seed: int = 0,
) -> Damage | None:
    """Between 1 and `most` errors by a change of one bias; None if no bias does it.

    `errors_of` counts wrong cases, for example by a complete check. Units are tried in random order, and the
    change is halved towards the largest one that does no harm.
    """
    rng = random_stream(seed, "damage")
    chosen: Dense = getattr(modules.networks, network)
    for unit in rng.permutation(chosen.sizes[-1]).tolist():
        for sign in (1.0, -1.0):
            found = _between(modules, network, unit, sign, errors_of, most)
            if found is not None:
                return found
    return None


def _between(
    modules: LearnedModules,
    network: str,
    unit: int,
    sign: float,
    errors_of: Callable[[LearnedModules], int],
    most: int,
) -> Damage | None:
    harmless, size = 0.0, 1.0
    while errors_of(shifted(modules, network, unit, sign * size)) == 0:
        harmless, size = size, 2 * size
        if size > LARGEST:
            return None
    for _ in range(HALVINGS):
        changed = shifted(modules, network, unit, sign * size)
        errors = errors_of(changed)
        if 1 <= errors <= most:
            return Damage(changed, unit, sign * size, errors)
        harmful = size
        size = (harmless + harmful) / 2
        while errors_of(shifted(modules, network, unit, sign * size)) == 0:
            harmless, size = size, (size + harmful) / 2
            if size in (harmless, harmful) or harmful - harmless < 1e-6 * harmful:
                return None
    return None


def shifted(modules: LearnedModules, network: str, unit: int, change: float) -> LearnedModules:
    """The modules with one bias of the network's last layer changed."""
    return eqx.tree_at(
        lambda parts: getattr(parts.networks, network).biases[-1],
        modules,
        replace_fn=lambda bias: bias.at[unit].add(np.float32(change)),
    )
