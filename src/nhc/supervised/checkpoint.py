"""The state of a run as named arrays and plain values, and back: nothing of it is lost."""

from collections.abc import Mapping
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from nhc.data.experts import Experts
from nhc.domains.local import WordForm
from nhc.errors import ModelError
from nhc.runs.arrays import Arrays
from nhc.supervised.config import ModulesConfig
from nhc.supervised.files import blocks, from_blocks
from nhc.supervised.learner import Learner, Ring
from nhc.supervised.rows import width
from nhc.supervised.sizes import NETWORKS, layers
from nhc.supervised.train import TrainState

KIND = "modules-checkpoint"
TREES = ("raw", "mean", "square")
COUNTERS = ("rounds", "updates", "fresh", "stale", "clean", "checks", "refuted", "done")


class RunState(NamedTuple):
    """Where a run stands: the modules that were begun, and all rounds and checks so far."""

    iteration: int
    states: dict[str, TrainState]


def state_arrays(run: RunState) -> Arrays:
    """The arrays by name, `MODULE/...`."""
    arrays: Arrays = {}
    for module, state in run.states.items():
        learner = state.learner
        trees = (learner.raw, learner.moments.mu, learner.moments.nu)
        for tree, networks in zip(TREES, trees, strict=True):
            arrays |= {f"{module}/{tree}/{name}": block for name, block in blocks(networks).items()}
        arrays[f"{module}/ring"] = np.asarray(learner.ring.rows)
        arrays[f"{module}/pool"] = state.pool
    return arrays


def state_values(run: RunState) -> dict[str, object]:
    """The counters."""
    modules: dict[str, object] = {}
    for module, state in run.states.items():
        ring, moments = state.learner.ring, state.learner.moments
        modules[module] = {
            "rate": state.rate,
            "least": state.least,
            "next": int(ring.next),
            "held": int(ring.held),
            "steps": int(moments.count),
            **{name: int(getattr(state, name)) for name in COUNTERS},
        }
    return {"kind": KIND, "iteration": run.iteration, "modules": modules}


def restored_state(
    arrays: Mapping[str, NDArray[np.generic]],
    values: Mapping[str, object],
    form: WordForm,
    config: ModulesConfig,
) -> RunState:
    """The state that `state_arrays` and `state_values` describe.

    Raises ModelError: `model.checkpoint` if a part is missing, `model.shape` if weights do not fit.
    """
    iteration, modules = values.get("iteration"), values.get("modules")
    if values.get("kind") != KIND or not isinstance(iteration, int) or not isinstance(modules, dict):
        raise ModelError("model.checkpoint", "expected a checkpoint of data modules, found another file")
    states = {}
    for module, counters in modules.items():
        parts = {
            name.removeprefix(f"{module}/"): array
            for name, array in arrays.items()
            if name.startswith(f"{module}/")
        }
        try:
            states[module] = _restored(parts, counters, form, config, module)
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError("model.checkpoint", f"{module}: expected a whole state: {error}") from error
    return RunState(iteration, states)


def _restored(
    parts: Mapping[str, NDArray[np.generic]],
    counters: Mapping[str, int | float],
    form: WordForm,
    config: ModulesConfig,
    module: str,
) -> TrainState:
    trees = []
    for tree in TREES:
        prefix = f"{tree}/"
        named = {name.removeprefix(prefix): part for name, part in parts.items() if name.startswith(prefix)}
        networks = from_blocks(named)
        for network in NETWORKS[module]:
            found = networks[network].sizes
            expected = layers(form, config.sizes, network)
            # Of experts some may be left out: a repair begins with those of the file.
            few = isinstance(networks[network], Experts) and found[1] <= expected[1]
            if (found[0], found[-1]) != (expected[0], expected[-1]) or not (few or found == expected):
                raise ModelError("model.shape", f"{network}: expected the run's sizes, found {found}")
        trees.append(networks)
    raw, mean, square = trees
    ring, pool = (np.asarray(parts[name], np.uint8) for name in ("ring", "pool"))
    if ring.shape != (config.memories, width(form, module)) or pool.shape[1:] != ring.shape[1:]:
        raise ModelError("model.shape", f"{module}: expected bad memories of the run's size")
    numbers = {name: int(counters[name]) for name in (*COUNTERS, "next", "held", "steps")}
    following, held, steps = (jnp.asarray(numbers.pop(name), jnp.int32) for name in ("next", "held", "steps"))
    learner = Learner(
        raw, optax.ScaleByAdamState(steps, mean, square), Ring(jnp.asarray(ring), following, held)
    )
    done = bool(numbers.pop("done"))
    rate, least = float(counters["rate"]), float(counters["least"])
    return TrainState(learner, pool, rate, **numbers, least=least, done=done)
