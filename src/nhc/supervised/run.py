"""All modules of a world, one after the other: what a run begins with, where it stands, and the model."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from pydantic import ValidationError

from nhc.data.networks import Dense, Experts, dense
from nhc.domains.local import FiniteWorld
from nhc.domains.protocol import OPS, StateT
from nhc.runs.progress import Progress, Standing
from nhc.supervised.config import NETWORKS, ModulesConfig, Sizes
from nhc.supervised.equality_proof import has_signs
from nhc.supervised.files import DataModel, encoding_hash
from nhc.supervised.learner import raw_of
from nhc.supervised.train import Record, TrainState, initial_state, networks_of, training
from nhc.supervised.verify import verify_module

ModuleNote = Callable[[str, int, int], None]
"""Told of the module, of the cases that its check has done, and of all of them."""


class RunState(NamedTuple):
    """Where a run stands: the modules that were begun, and all rounds and checks so far."""

    iteration: int
    states: dict[str, TrainState]


def config_of_model(
    model: DataModel, modules: Sequence[str], *, seed: int = 1, budget: int | None = None
) -> ModulesConfig:
    """The settings that the model was trained with, as far as its file tells, and the sizes that it has.

    `seed` should be another one than that of the training, which has seen the samples of its own.
    """
    try:
        base = ModulesConfig.model_validate(model.record.get("config"))
    except ValidationError:
        base = ModulesConfig(domain=model.world)
    layered = {name: network for name, network in model.networks.items() if isinstance(network, Dense)}
    experts = [name for name, network in model.networks.items() if isinstance(network, Experts)]
    hidden = {name: network.sizes[1:-1] for name, network in layered.items()}
    changes: dict[str, object] = {
        "domain": model.world,
        "modules": tuple(modules),
        "seed": seed,
        "budget": base.budget if budget is None else budget,
        "sizes": {**Sizes().model_dump(), **hidden, "experts": experts},
    }
    return ModulesConfig.model_validate({**base.model_dump(), **changes})


def state_of_model(model: DataModel, config: ModulesConfig) -> RunState:
    """All modules of the file as if their stream had run clean: what comes next is their check.

    If it finds nothing, a module stays as it is; else the counterexamples are learned beside fresh samples,
    at the least learning rate, so that what is right stays right. An Input without signs is left
    out: where it is wanted it is learned anew.
    """
    fine = [name for name in model.modules if name != "input" or has_signs(dense(model.networks, "equality"))]
    return RunState(0, {name: _begun(model, config, name) for name in fine})


def _begun(model: DataModel, config: ModulesConfig, module: str) -> TrainState:
    networks = {name: model.networks[name] for name in NETWORKS[module]}
    first = initial_state(model.form, config, module, raw_of(module, networks))
    return first._replace(rate=first.rate * config.least_rate, clean=config.clean_rounds)


def train_modules(
    world: FiniteWorld[StateT],
    config: ModulesConfig,
    run: RunState,
    note: ModuleNote,
) -> Iterator[tuple[RunState, Record]]:
    """Go on from `run`: each round and each check of each module, with the state after it."""
    for module in config.modules:
        first = run.states.get(module) or initial_state(world.form, config, module)
        verify = verify_module(world, module, config.seed, partial(note, module))
        for state, record in training(world, config, module, first, verify):
            run = RunState(run.iteration + 1, {**run.states, module: state})
            yield run, record


def trained_model(
    world: FiniteWorld[StateT], config: ModulesConfig, run: RunState, seconds: Mapping[str, float]
) -> DataModel:
    """The model of a run, with the record of how each module came to be."""
    networks = {
        name: network
        for module, state in run.states.items()
        for name, network in networks_of(module, state).items()
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


def family_rows_of(world: FiniteWorld[StateT], module: str) -> int | None:
    """Rows of the family of a module; None for pairs of words."""
    if module == "input":
        return None
    if module == "alu":
        return len(OPS) * len(world.views())
    return world.family_size * (len(OPS) if module == "output" else 1)


class Standings:
    """Tells a progress display where the training of each module stands."""

    def __init__(self, world: FiniteWorld[StateT], config: ModulesConfig, progress: Progress) -> None:
        self.progress = progress
        self._budget = config.budget
        self._families = {module: family_rows_of(world, module) for module in config.modules}
        self._module = ""
        self._updates = 0
        self._fields: dict[str, str] = {}
        """What is known of the module, in the order in which it became known."""

    def note(self, run: RunState, record: Record) -> None:
        """A round or a check, and the state after it."""
        self._begin(record.module)
        self._updates = record.updates
        if record.event == "check":
            self._fields["last check"] = f"{record.errors} errors"
        else:
            self._fields |= {"loss": f"{record.loss:.5f}", "errors": f"{record.errors}/{record.fresh}"}
            family = self._families[record.module]
            if family is not None:
                seen = min(1.0, run.states[record.module].fresh / family)
                self._fields["family seen"] = f"<= {100 * seen:.3g}%"
        self._show("", record.updates, self._budget - record.updates)

    def checking(self, module: str, done: int, cases: int) -> None:
        """A part of a check of a module."""
        self._begin(module)
        share = done / max(cases, 1)
        self._show("check", share, 1 - share, ("checking", f"{100 * share:.0f}%"))

    def _begin(self, module: str) -> None:
        if module != self._module:
            self._module, self._updates, self._fields = module, 0, {}

    def _show(self, phase: str, done: int | float, left: int | float, *more: tuple[str, str]) -> None:
        fields = (("module", self._module), ("updates", f"{self._updates}"), *self._fields.items(), *more)
        self.progress.update(Standing(fields, done, max(left, 0), phase=f"{self._module} {phase}"))
