"""Training one module: rounds of updates until the stream is clean, then a check, until a check is clean.

Everything random follows from the seed, the module and the number of the round, so a state is all that is
needed to go on, bit for bit.
"""

from collections.abc import Iterator
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from nhc.data.networks import Network
from nhc.domains.local import FiniteWorld, WordForm
from nhc.domains.protocol import StateT
from nhc.streams import random_stream
from nhc.supervised.config import MODULES, ModulesConfig
from nhc.supervised.learner import (
    Draws,
    Learner,
    Raw,
    effective,
    initial_raw,
    keeping_experts,
    learner_of,
    pool_of,
    recipe_of,
    round_of_updates,
)
from nhc.supervised.rows import fresh_rows, width
from nhc.supervised.verify import CheckOutcome, Verify

HALVED_BELOW = {"input": 0.0, "transform_d": 1e-4, "alu": 1e-3, "output": 1e-3}
"""The learning rate is halved after a round whose share of errors on fresh rows is below this."""

PATIENCE = 3
"""It is also halved after so many rounds in a row without a new least share of errors: a larger world needs
it, whose errors at a large rate come and go and never get rare."""


class TrainState(NamedTuple):
    """Where the training of a module stands."""

    learner: Learner
    pool: NDArray[np.uint8]
    """Counterexamples of all checks, the newest last, (rows, width)."""
    rate: float
    rounds: int = 0
    updates: int = 0
    fresh: int = 0
    """Fresh rows that were drawn and used."""
    least: float = 1.0
    """The least share of errors on the fresh rows of a round."""
    stale: int = 0
    """Rounds since that share was met, or since the learning rate was halved."""
    clean: int = 0
    """Clean rounds in a row; begins anew with a check."""
    checks: int = 0
    refuted: int = 0
    """Checks that found counterexamples."""
    done: bool = False
    """Did the last check find none?"""


class Record(NamedTuple):
    """One round or one check, as a line of the log."""

    module: str
    event: str
    """`round` or `check`."""
    updates: int
    loss: float
    fresh: int
    """Rows that the errors are counted on: fresh rows of the round, or cases of the check."""
    errors: int
    rate: float
    label: str
    """What the check was; empty for a round."""


def initial_state(form: WordForm, config: ModulesConfig, module: str, raw: Raw | None = None) -> TrainState:
    """Nothing learned: random weights, or those that are given."""
    rate = config.equality_rate if module == "input" else config.learning_rate
    learner = learner_of(form, config, module, initial_raw(form, config, module) if raw is None else raw)
    return TrainState(learner, np.zeros((0, width(form, module)), np.uint8), rate)


def blank_state(form: WordForm, config: ModulesConfig, module: str) -> TrainState:
    """What a state looks like, with zeros for weights: no random numbers are compiled for it."""
    shapes = jax.eval_shape(lambda: initial_raw(form, config, module))
    return initial_state(form, config, module, jax.tree.map(lambda leaf: jnp.zeros(leaf.shape), shapes))


def networks_of(module: str, state: TrainState) -> dict[str, Network]:
    """The networks as they are used and stored."""
    return effective(module, state.learner.raw)


def ended(config: ModulesConfig, state: TrainState) -> bool:
    """Is there nothing more to do?"""
    return state.done or (state.updates >= config.budget and not is_due(config, state))


def is_due(config: ModulesConfig, state: TrainState) -> bool:
    """Is the stream clean for long enough that the family should be checked?"""
    return state.clean >= config.clean_rounds


def training(
    world: FiniteWorld[StateT], config: ModulesConfig, module: str, state: TrainState, verify: Verify
) -> Iterator[tuple[TrainState, Record]]:
    """Go on from `state`: each round and each check with the state after it, until `ended`."""
    while not ended(config, state):
        if is_due(config, state):
            outcome = verify(networks_of(module, state))
            state = after_check(config, state, outcome)
            cases, errors = outcome.cases, outcome.errors
            yield state, Record(module, "check", state.updates, 0.0, cases, errors, state.rate, outcome.label)
        else:
            state, record = after_round(world, config, module, state)
            yield state, record


def after_round(
    world: FiniteWorld[StateT], config: ModulesConfig, module: str, state: TrainState
) -> tuple[TrainState, Record]:
    """One round of updates."""
    draws = round_draws(world, config, module, state.rounds)
    pool, rate = pool_of(state.pool, config), jnp.asarray(state.rate, jnp.float32)
    recipe = recipe_of(config)
    learner, counts = round_of_updates(world.form, module, recipe, state.learner, draws, pool, rate)
    fresh, errors = int(counts.fresh), int(counts.failed)
    record = Record(
        module, "round", state.updates + config.round, float(counts.loss), fresh, errors, state.rate, ""
    )
    share = errors / fresh
    stale = 0 if share < state.least else state.stale + 1
    lower = next_rate(config, module, state.rate, share, stale)
    after = state._replace(
        learner=learner,
        rate=lower,
        least=min(share, state.least),
        stale=0 if lower < state.rate else stale,
        rounds=state.rounds + 1,
        updates=record.updates,
        fresh=state.fresh + fresh,
        clean=state.clean + 1 if share <= config.clean_share else 0,
    )
    return after, record


def round_draws(world: FiniteWorld[StateT], config: ModulesConfig, module: str, number: int) -> Draws:
    """The chances of round `number` of a module."""
    stream = random_stream(config.seed, "modules round", MODULES.index(module), number)
    shape = (config.round, config.batch)
    fresh = fresh_rows(world, module, stream, config.round * config.batch)
    memory, counterexample = stream.random((2, *shape), np.float32)
    return Draws(jnp.asarray(fresh.reshape(*shape, -1)), jnp.asarray(memory), jnp.asarray(counterexample))


def next_rate(config: ModulesConfig, module: str, rate: float, share: float, stale: int) -> float:
    """Half the learning rate after a good round, or many stale ones, down to the least.

    `share` is that of errors on fresh rows. Input keeps its rate.
    """
    if module == "input" or (share >= HALVED_BELOW[module] and stale < PATIENCE):
        return rate
    return min(rate, max(config.learning_rate * config.least_rate, rate / 2))


def after_check(config: ModulesConfig, state: TrainState, outcome: CheckOutcome) -> TrainState:
    """Done, or counterexamples to learn from."""
    pool = np.concatenate([state.pool, outcome.counterexamples])[-config.pool :]
    return state._replace(
        learner=keeping_experts(state.learner, outcome.deciding),
        pool=pool,
        clean=0,
        checks=state.checks + 1,
        refuted=state.refuted + (outcome.errors > 0),
        done=outcome.passed,
    )
