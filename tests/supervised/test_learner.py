"""Adam, bad memories and the make-up of batches, against plain Python."""

from collections import deque

import jax.numpy as jnp
import numpy as np
import pytest

from nhc.data.networks import Dense
from nhc.supervised.learner import ADAM, Draws, Pool, Ring, mixed, pool_of, recipe_of, remember, updated
from tests.supervised.small import config


def test_adam_is_the_published_rule() -> None:
    rng = np.random.default_rng(0)
    start, gradients = rng.normal(size=(2, 3)), rng.normal(size=(5, 2, 3))
    weights = {"a": Dense((jnp.asarray(start, jnp.float32),), (jnp.zeros(2),))}
    moments = ADAM.init(weights)
    theta, m, v = start.copy(), np.zeros((2, 3)), np.zeros((2, 3))
    for t, g in enumerate(gradients, start=1):
        gradient = {"a": Dense((jnp.asarray(g, jnp.float32),), (jnp.zeros(2),))}
        weights, moments = updated(weights, moments, gradient, jnp.asarray(0.02))
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        theta -= 0.02 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    np.testing.assert_allclose(weights["a"].weights[0], theta, rtol=1e-5)
    assert int(moments.count) == 5 and (weights["a"].biases[0] == 0).all()


def empty_ring(size: int) -> Ring:
    zero = jnp.zeros((), jnp.int32)
    return Ring(jnp.zeros((size, 2), jnp.uint8), zero, zero)


def test_the_ring_keeps_the_newest_failures() -> None:
    rng = np.random.default_rng(1)
    ring, twin = empty_ring(7), deque[list[int]](maxlen=7)
    for _ in range(30):
        rows, failed = rng.integers(200, size=(5, 2)).astype(np.uint8), rng.random(5) < 0.4
        ring = remember(ring, jnp.asarray(rows), jnp.asarray(failed))
        twin.extend(rows[failed].tolist())
        held = int(ring.held)
        assert held == len(twin)
        order = [(int(ring.next) - held + place) % 7 for place in range(held)]
        assert np.asarray(ring.rows)[order].tolist() == list(twin)
    assert held == 7


@pytest.mark.parametrize("memories", [0, 3])
@pytest.mark.parametrize("counterexamples", [0, 2])
def test_a_batch_has_its_shares(memories: int, counterexamples: int) -> None:
    """Fresh rows are 1, memories 10 and more, counterexamples 20 and more; 0 was never there."""
    settings = config(batch=20, memories=5, pool=4)
    ring = empty_ring(5)
    for number in range(memories):
        row = jnp.full((1, 2), 10 + number, jnp.uint8)
        ring = remember(ring, row, jnp.array([True]))
    rows = np.repeat(20 + np.arange(counterexamples, dtype=np.uint8), 2).reshape(-1, 2)
    pool = pool_of(rows, settings)
    rng = np.random.default_rng(3)
    fresh = jnp.ones((20, 2), jnp.uint8)
    seen: set[int] = set()
    for _ in range(20):
        chance = (jnp.asarray(rng.random(20, np.float32)) for _ in range(2))
        batch, is_fresh = mixed(recipe_of(settings), ring, pool, Draws(fresh, *chance))
        kinds = np.asarray(batch)[:, 0]
        seen |= set(kinds.tolist())
        assert ((kinds == 1) == np.asarray(is_fresh)).all()
        assert ((kinds >= 10) & (kinds < 20)).sum() == (10 if memories else 0)
        assert (kinds >= 20).sum() == (2 if counterexamples else 0)
    expected = {1, *(10 + n for n in range(memories)), *(20 + n for n in range(counterexamples))}
    assert seen == expected


def test_the_pool_keeps_the_newest() -> None:
    settings = config(pool=4)
    rows = np.arange(14, dtype=np.uint8).reshape(7, 2)
    pool = pool_of(rows, settings)
    assert isinstance(pool, Pool) and int(pool.held) == 4
    assert np.asarray(pool.rows).tolist() == rows[3:].tolist()
    assert pool_of(rows[:1], settings).rows.shape == pool.rows.shape


def test_places_of_a_batch() -> None:
    assert recipe_of(config(batch=20)) == (20, 10, 2)
    assert recipe_of(config(batch=4)) == (4, 2, 1), "one counterexample at least"
    assert recipe_of(config(batch=5, pool_share=0)) == (5, 2, 0)
