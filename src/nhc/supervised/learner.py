"""What is trained, and the updates of a round in one compiled scan.

For Input numbers are trained from which weights of a fixed sign follow: with hidden weights >= 0 and output
weights <= 0 its logit falls with every difference between two words. Then "equal" for no difference and
"different" for each single-cell difference prove all the rest.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Bool, Float, Int, UInt8
from numpy.typing import NDArray

from nhc.data.networks import Dense, Experts, Network, Networks, dense, initial_dense, initial_experts
from nhc.domains.local import WordForm
from nhc.streams import random_stream
from nhc.supervised.config import MODULES, NETWORKS, ModulesConfig, layers
from nhc.supervised.losses import RowOutcome, outcome
from nhc.supervised.rows import width

Raw = dict[str, Network]
"""Network -> the numbers that are trained; see `effective`."""

SPREAD, MIDDLE = 0.1, -1.0
"""How a monotone network begins: weights of about softplus(-1) = 0.3 that differ a little."""

LEAST = 1e-30
"""Smaller weights of a monotone network are taken for this one."""

ADAM = optax.scale_by_adam()
"""Kingma and Ba 2015, with the usual 0.9, 0.999 and 1e-8; the learning rate is a factor outside."""


class Ring(NamedTuple):
    """Bad memories: the newest failure overwrites the oldest, and a row that is learned stays."""

    rows: UInt8[Array, "memories width"]
    next: Int[Array, ""]
    held: Int[Array, ""]


class Learner(NamedTuple):
    """All that an update changes."""

    raw: Raw
    moments: optax.ScaleByAdamState
    ring: Ring


class Recipe(NamedTuple):
    """The settings that an update is compiled for."""

    batch: int
    memories: int
    """Places of a batch for bad memories."""
    counterexamples: int
    """Places for counterexamples."""


class Draws(NamedTuple):
    """What chance gives to a round: fresh rows, and for each row which memory or counterexample stands in."""

    fresh: UInt8[Array, "updates batch width"]
    memory: Float[Array, "updates batch"]
    """In [0, 1): the place in the ring, as a share of what it holds."""
    counterexample: Float[Array, "updates batch"]


class Pool(NamedTuple):
    """Counterexamples; the first `held` rows count."""

    rows: UInt8[Array, "pool width"]
    held: Int[Array, ""]


class RoundCounts(NamedTuple):
    """What a round met."""

    loss: Float[Array, ""]
    """Mean over all rows of its batches."""
    fresh: Int[Array, ""]
    """Fresh rows."""
    failed: Int[Array, ""]
    """Of these, how many the networks got wrong before they were updated with them."""


def learner_of(form: WordForm, config: ModulesConfig, module: str, raw: Raw) -> Learner:
    """These weights before their first update, and an empty ring."""
    zero = jnp.zeros((), jnp.int32)
    rows = jnp.zeros((config.memories, width(form, module)), jnp.uint8)
    return Learner(raw, ADAM.init(raw), Ring(rows, zero, zero))


def keeping_experts(learner: Learner, numbers: tuple[int, ...]) -> Learner:
    """The same with these experts only; all of them if there are no numbers."""
    if not numbers:
        return learner

    def kept(node: Network) -> Network:
        return node.keeping(numbers) if isinstance(node, Experts) else node

    trees = (learner.raw, learner.moments)
    raw, moments = jax.tree.map(kept, trees, is_leaf=lambda node: isinstance(node, Experts))
    return learner._replace(raw=raw, moments=moments)


def updated(
    raw: Raw, moments: optax.ScaleByAdamState, gradient: Raw, rate: Float[Array, ""]
) -> tuple[Raw, optax.ScaleByAdamState]:
    """Weights and moments after one step of learning rate `rate`."""
    direction, after = ADAM.update(gradient, moments)
    return jax.tree.map(lambda weight, change: weight - rate * change, raw, direction), after


def recipe_of(config: ModulesConfig) -> Recipe:
    """Counterexamples have a place at least, unless their share is zero."""
    places = max(int(config.batch * config.pool_share), int(config.pool_share > 0))
    memories = int(config.batch * config.memory_share)
    return Recipe(config.batch, memories, places)


def pool_of(rows: NDArray[np.uint8], config: ModulesConfig) -> Pool:
    """The newest counterexamples, padded so that every pool has one shape."""
    newest = rows[-config.pool :]
    padded = np.zeros((config.pool, rows.shape[1]), np.uint8)
    padded[: len(newest)] = newest
    return Pool(jnp.asarray(padded), jnp.asarray(len(newest), jnp.int32))


@partial(jax.jit, static_argnames=("form", "module", "recipe"))
def round_of_updates(
    form: WordForm,
    module: str,
    recipe: Recipe,
    learner: Learner,
    draws: Draws,
    pool: Pool,
    rate: Float[Array, ""],
) -> tuple[Learner, RoundCounts]:
    """The learner after one update for each batch of `draws`."""

    def update(before: Learner, drawn: Draws) -> tuple[Learner, RoundCounts]:
        rows, fresh = mixed(recipe, before.ring, pool, drawn)

        def loss(raw: Raw) -> tuple[Float[Array, ""], RowOutcome]:
            found = outcome(form, module, effective(module, raw), rows)
            return found.loss.mean(), found

        (mean, found), gradient = jax.value_and_grad(loss, has_aux=True)(before.raw)
        raw, moments = updated(before.raw, before.moments, gradient, rate)
        failed = found.failed & fresh
        ring = remember(before.ring, rows, failed)
        return Learner(raw, moments, ring), RoundCounts(mean, fresh.sum(), failed.sum())

    learner, tallies = jax.lax.scan(update, learner, draws)
    return learner, RoundCounts(tallies.loss.mean(), tallies.fresh.sum(), tallies.failed.sum())


def mixed(
    recipe: Recipe, ring: Ring, pool: Pool, drawn: Draws
) -> tuple[UInt8[Array, "batch width"], Bool[Array, " batch"]]:
    """A batch, and which of its rows are fresh: counterexamples come first and bad memories last."""
    number = jnp.arange(recipe.batch)
    remembered = (number >= recipe.batch - recipe.memories) & (ring.held > 0)
    pooled = (number < recipe.counterexamples) & (pool.held > 0) & ~remembered
    old = ring.rows[_place(drawn.memory, ring.held)]
    found = pool.rows[_place(drawn.counterexample, pool.held)]
    rows = jnp.where(remembered[:, None], old, jnp.where(pooled[:, None], found, drawn.fresh))
    return rows, ~(remembered | pooled)


def remember(ring: Ring, rows: UInt8[Array, "batch width"], failed: Bool[Array, " batch"]) -> Ring:
    """Put the failed rows into the ring, in order."""
    size = len(ring.rows)
    places = (ring.next + jnp.cumsum(failed) - 1) % size
    # A place past the end is dropped.
    kept = ring.rows.at[jnp.where(failed, places, size)].set(rows, mode="drop")
    count = failed.sum()
    return Ring(kept, (ring.next + count) % size, jnp.minimum(ring.held + count, size))


def _place(share: Float[Array, " batch"], held: Int[Array, ""]) -> Int[Array, " batch"]:
    """A share of [0, 1) as a place in 0..held-1, and 0 if nothing is held."""
    return jnp.clip((share * held).astype(jnp.int32), 0, jnp.maximum(held - 1, 0))


def initial_raw(form: WordForm, config: ModulesConfig, module: str) -> Raw:
    """Random numbers from the seed, for all networks of a module."""
    stream = random_stream(config.seed, "modules weights", MODULES.index(module))
    raw = {}
    for network in NETWORKS[module]:
        key = jax.random.key(int(stream.integers(2**32)))
        sizes = layers(form, config.sizes, network)
        of_experts = network in config.sizes.experts
        raw[network] = initial_experts(sizes) if of_experts else initial_dense(sizes, key=key)
    if module == "input":
        raw["equality"] = _monotone_start(dense(raw, "equality"))
    return raw


def effective(module: str, raw: Networks) -> dict[str, Network]:
    """The networks that the trained numbers stand for, as they are used and stored."""
    if module != "input":
        return dict(raw)
    trained = dense(raw, "equality")
    *hidden, last = (jax.nn.softplus(weight) for weight in trained.weights)
    return {"equality": Dense((*hidden, -last), trained.biases)}


def raw_of(module: str, networks: Networks) -> Raw:
    """What has to be trained to go on from networks: the inverse of `effective`, up to rounding."""
    if module != "input":
        return dict(networks)
    network = dense(networks, "equality")
    weights = tuple(jnp.asarray(_unsoftened(np.abs(weight)), jnp.float32) for weight in network.weights)
    return {"equality": Dense(weights, network.biases)}


def _unsoftened(weight: NDArray[np.floating]) -> NDArray[np.float64]:
    """The inverse of softplus; softplus is never zero, but next to nothing."""
    wide = np.maximum(weight.astype(np.float64), LEAST)
    return wide + np.log(-np.expm1(-wide))


def _monotone_start(network: Dense) -> Dense:
    *hidden, last = network.weights
    weights = (*(SPREAD * weight + MIDDLE for weight in hidden), SPREAD * last)
    return Dense(weights, network.biases)
