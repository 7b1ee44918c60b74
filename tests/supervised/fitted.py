"""Quickly fitted networks for the passage: full batches of all cases, true masks given, Adam."""

from functools import cache
from itertools import pairwise

import equinox as eqx
import jax.numpy as jnp
import numpy as np

from nhc.data.learned import LearnedModules
from nhc.data.networks import Dense, Network, dense
from nhc.supervised.check.cases import Truth
from tests.supervised.passage import Passage, Walk

STEPS = 300
RATE = 1e-2


def fit(sizes: tuple[int, ...], inputs: np.ndarray, labels: np.ndarray, symbols: int, seed: int) -> Dense:
    """Cross-entropy of groups of `symbols` logits, or of single bits (symbols = 1); -1 is no label.

    Back-propagation by hand in NumPy: it needs no compilation.
    """
    rng = np.random.default_rng(seed)
    weights = [rng.normal(0, np.sqrt(2 / a), (a, b)) for a, b in pairwise(sizes)]
    parts = [np.asarray(part, np.float32) for w in weights for part in (w, np.zeros(w.shape[1]))]
    first, second = ([np.zeros_like(part) for part in parts] for _ in range(2))
    x = np.asarray(inputs, np.float32)
    for number in range(1, STEPS + 1):
        values = [x]
        for layer in range(0, len(parts), 2):
            z = values[-1] @ parts[layer] + parts[layer + 1]
            values.append(z if layer == len(parts) - 2 else np.maximum(z, 0.01 * z))
        slope = logit_slopes(values[-1], labels, symbols) / len(x)
        slopes: list[np.ndarray] = []
        for layer in range(len(parts) - 2, -1, -2):
            slopes = [values[layer // 2].T @ slope, slope.sum(axis=0), *slopes]
            slope = (slope @ parts[layer].T) * np.where(values[layer // 2] > 0, 1, np.float32(0.01))
        for place, g in enumerate(slopes):
            first[place] = 0.9 * first[place] + 0.1 * g
            second[place] = 0.99 * second[place] + 0.01 * g * g
            mean, square = first[place] / (1 - 0.9**number), second[place] / (1 - 0.99**number)
            parts[place] = parts[place] - RATE / (1 + number / STEPS) * mean / (np.sqrt(square) + 1e-8)
    arrays = [jnp.asarray(part, jnp.float32) for part in parts]
    return Dense(tuple(w.T for w in arrays[::2]), tuple(arrays[1::2]))


def logit_slopes(logits: np.ndarray, labels: np.ndarray, symbols: int) -> np.ndarray:
    """Of the cross-entropy, summed over rows."""
    if symbols == 1:
        return (1 / (1 + np.exp(-logits)) - labels).astype(np.float32)
    groups = logits.reshape(len(logits), -1, symbols)
    chances = np.exp(groups - groups.max(axis=2, keepdims=True))
    chances /= chances.sum(axis=2, keepdims=True)
    right = np.maximum(labels, 0)[..., None] == np.arange(symbols)
    return ((chances - right) * (labels >= 0)[..., None]).reshape(logits.shape).astype(np.float32)


@cache
def passage_modules(seed: int = 0) -> LearnedModules:
    """Modules without an error on the passage."""
    world = Passage()
    form, truth = world.form, Truth(world)
    states = Walk(*(np.concatenate(parts) for parts in zip(*world.family_states(), strict=True)))
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
    view = (form.word_bits, 40, form.view_bits)
    networks: dict[str, Network] = {
        "equality": fit((form.word_bits, 10, 1), differences, same, 1, seed),
        "view": fit(view, words, demands.view.astype(int), form.view_symbols, seed),
        "acts": fit((alu.shape[1], 16, 8, 1), alu, wanted.changed[:, None].astype(int), 1, seed),
        "change": fit((alu.shape[1], 24, 16, form.change_bits), alu, symbols, 4, seed),
        "inserts": fit((out, 20, 10, 1), output, changed[:, None].astype(int), 1, seed),
        "mask": fit((out, 48, 32, form.changes * (form.cells + 1)), output, places, form.cells + 1, seed),
    }
    return LearnedModules(networks, form, world.name)


def changed_weights(modules: LearnedModules, name: str, noise: float, seed: int) -> LearnedModules:
    """The modules with normal noise on one network's weights."""
    rng = np.random.default_rng(seed)
    network = dense(modules.networks, name)
    weights = tuple(w + jnp.asarray(rng.normal(0, noise, w.shape), jnp.float32) for w in network.weights)
    return eqx.tree_at(lambda m: m.networks[name].weights, modules, weights)
