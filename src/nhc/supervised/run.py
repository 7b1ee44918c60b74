"""All modules of a world, one after the other, and the model that comes out."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from nhc.domains.local import FiniteWorld, LocalStateT, LocalWorld
from nhc.domains.protocol import OPS
from nhc.domains.registry import AnyState, make_domain
from nhc.errors import ConfigError
from nhc.supervised.checks import verify_module
from nhc.supervised.config import ModulesConfig
from nhc.supervised.files import DataModel, encoding_hash
from nhc.supervised.train import Record, TrainState, initial_state, networks_of, training
from nhc.supervised.verdict import Note, Verify

Verifiers = Callable[[str, Note], Verify]
"""Module, and what is told of the cases done and of all -> its check."""

ModuleNote = Callable[[str, int, int], None]
"""Told of the module, of the cases that its check has done, and of all of them."""


class RunState(NamedTuple):
    """Where a run stands: the modules that were begun, and all rounds and checks so far."""

    iteration: int
    states: dict[str, TrainState]


def local_world(name: str) -> LocalWorld[AnyState]:
    """The world of that name. Raises ConfigError: `domain.unknown`, `domain.cells` if it has no cells."""
    domain = make_domain(name)
    if not isinstance(domain, LocalWorld):
        raise ConfigError("domain.cells", f"expected a world made of cells, found {name}")
    return domain


def verifiers_of(world: LocalWorld[LocalStateT], config: ModulesConfig) -> Verifiers:
    """The checks of `nhc.supervised.checks`."""
    return lambda module, note: verify_module(world, module, config.seed, note)


def train_modules(
    world: LocalWorld[LocalStateT],
    config: ModulesConfig,
    run: RunState,
    verifiers: Verifiers,
    note: ModuleNote,
) -> Iterator[tuple[RunState, Record]]:
    """Go on from `run`: each round and each check of each module, with the state after it."""
    for module in config.modules:
        first = run.states.get(module) or initial_state(world, config, module)
        for state, record in training(world, config, module, first, verifiers(module, partial(note, module))):
            run = RunState(run.iteration + 1, {**run.states, module: state})
            yield run, record


def trained_model(
    world: LocalWorld[LocalStateT], config: ModulesConfig, run: RunState, seconds: Mapping[str, float]
) -> DataModel:
    """The model of a run, with the record of how each module came to be."""
    networks = {
        name: network
        for module, state in run.states.items()
        for name, network in networks_of(config, module, state).items()
    }
    modules: dict[str, object] = {
        module: {
            "updates": state.updates,
            "seconds": round(seconds.get(module, 0.0), 2),
            "fresh_rows": state.fresh,
            "checks": state.checks,
            "counterexample_rounds": state.refuted,
            "clean": state.done,
        }
        for module, state in run.states.items()
    }
    record = {"seed": config.seed, "modules": modules, "config": config.model_dump(mode="json")}
    return DataModel(networks, world.form, world.name, encoding_hash(world), record)


def family_rows_of(world: LocalWorld[LocalStateT], module: str) -> int | None:
    """Rows of the family of a module; None where it has no size, as for pairs of words."""
    if module == "input" or not isinstance(world, FiniteWorld):
        return None
    if module == "alu":
        return len(OPS) * len(world.views())
    return world.family_size * (len(OPS) if module == "output" else 1)
