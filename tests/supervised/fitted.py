"""Quickly fitted networks for the passage: full batches of all cases, true masks given, Adam."""

from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from nhc.data.dense import Dense, initial_dense
from nhc.data.learned import LearnedModules, Networks
from nhc.supervised.check.truth import Truth
from tests.supervised.passage import Passage

STEPS = 300
RATE = 1e-2


def fit(sizes: tuple[int, ...], inputs: np.ndarray, labels: np.ndarray, symbols: int, seed: int) -> Dense:
    """Cross-entropy of groups of `symbols` logits, or of single bits (symbols = 1); -1 is no label."""
    network = initial_dense(sizes, key=jax.random.key(seed))
    leaves, form = jax.tree.flatten(network)
    x, wanted = jnp.asarray(inputs, jnp.float32), jnp.asarray(labels)

    def loss(parts: list[jax.Array]) -> jax.Array:
        logits = jax.tree.unflatten(form, parts)(x)
        if symbols == 1:
            return jax.nn.softplus(jnp.where(wanted == 1, -logits, logits)).mean()
        groups = jax.nn.log_softmax(logits.reshape(len(x), -1, symbols))
        picked = jnp.take_along_axis(groups, jnp.maximum(wanted, 0)[..., None], axis=2)[..., 0]
        return -jnp.where(wanted >= 0, picked, 0.0).mean()

    def step(number: int, state: tuple) -> tuple:
        parts, first, second = state
        slopes = jax.grad(loss)(parts)
        first = [0.9 * m + 0.1 * g for m, g in zip(first, slopes, strict=True)]
        second = [0.99 * v + 0.01 * g * g for v, g in zip(second, slopes, strict=True)]
        scale = RATE / (1 + number / STEPS)
        parts = [p - scale * m / (jnp.sqrt(v) + 1e-8) for p, m, v in zip(parts, first, second, strict=True)]
        return parts, first, second

    zeros = [jnp.zeros_like(leaf) for leaf in leaves]
    parts, _, _ = jax.jit(lambda state: jax.lax.fori_loop(0, STEPS, step, state))((leaves, zeros, zeros))
    return jax.tree.unflatten(form, parts)


@cache
def passage_modules(seed: int = 0) -> LearnedModules:
    """Modules without an error on the passage."""
    world = Passage()
    form, truth = world.form, Truth(world)
    states = next(iter([world.sample(np.random.default_rng(0), 1)]))
    states = type(states)(*(np.concatenate(parts) for parts in zip(*world.family_states(), strict=True)))
    demands, words = truth.of(states), world.encode(states)
    ops = np.eye(5)[truth.case_ops]
    alu = np.concatenate([ops, np.eye(form.view_symbols)[truth.case_views].reshape(len(ops), -1)], axis=1)
    wanted = truth.case_changes
    # Directions as a group of four like the symbols: both have four members here.
    symbols = np.concatenate([wanted.direction[:, None], wanted.after], axis=1)
    symbols = np.where(wanted.changed[:, None], symbols, -1)
    numbers = demands.changes.ravel()
    output = np.concatenate([np.repeat(words, 5, axis=0), truth.change_words[numbers]], axis=1)
    changed = truth.changes.changed[numbers]
    cells = np.asarray(world.cells_in_view(demands.contents))
    reach = np.asarray((*form.reach, form.reach[0]))
    places = cells[:, reach].reshape(len(numbers), form.changes)
    places = np.where(changed[:, None], np.where(places < 0, form.cells, places), -1)
    pairs = np.random.default_rng(1).integers(0, len(words), (2, 2000))
    differences = np.concatenate([abs(words[pairs[0]] - words[pairs[1]].astype(int)), np.zeros((100, 21))])
    same = (differences.sum(axis=1) == 0).astype(int)[:, None]
    out = form.word_bits + form.change_bits + 1
    networks = Networks(
        fit((form.word_bits, 10, 1), differences, same, 1, seed),
        fit((form.word_bits, 40, form.view_bits), words, demands.view.astype(int), form.view_symbols, seed),
        fit((alu.shape[1], 16, 8, 1), alu, wanted.changed[:, None].astype(int), 1, seed),
        fit((alu.shape[1], 24, 16, form.change_bits), alu, symbols, 4, seed),
        fit((out, 20, 10, 1), output, changed[:, None].astype(int), 1, seed),
        fit((out, 48, 32, form.changes * (form.cells + 1)), output, places, form.cells + 1, seed),
    )
    return LearnedModules(networks, form, world.name)


def changed_weights(modules: LearnedModules, name: str, noise: float, seed: int) -> LearnedModules:
    """The modules with normal noise on one network's weights."""
    rng = np.random.default_rng(seed)
    network: Dense = getattr(modules.networks, name)
    weights = tuple(w + jnp.asarray(rng.normal(0, noise, w.shape), jnp.float32) for w in network.weights)
    return eqx.tree_at(lambda m: getattr(m.networks, name).weights, modules, weights)
