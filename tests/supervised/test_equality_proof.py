"""The prover of Input against brute force on all pairs of small words; a network that sampling trusts."""

from itertools import product

import jax.numpy as jnp
import numpy as np
import pytest

from nhc.data.networks import Dense
from nhc.domains.local import WordForm
from nhc.supervised.equality_proof import (
    EqualityVerdict,
    Proved,
    Refuted,
    Undecided,
    error_bound,
    exact_logits,
    has_signs,
    prove_equality,
)

SMALL = WordForm(("a", "b", "c"), 4, 1, 3, ((0,),) * 4)
"""Four cells of three symbols: 81 words."""


def dense(first: object, offsets: object, last: object, constant: float) -> Dense:
    weights = (jnp.asarray(first, jnp.float32), jnp.asarray(last, jnp.float32)[None])
    return Dense(weights, (jnp.asarray(offsets, jnp.float32), jnp.asarray([constant], jnp.float32)))


def logit(network: Dense, left: tuple[int, ...], right: tuple[int, ...], symbols: int) -> float:
    """Plain float64."""
    x, y = (np.eye(symbols)[list(word)].ravel() for word in (left, right))
    hidden = np.asarray(network.weights[0], float) @ abs(x - y) + np.asarray(network.biases[0], float)
    slope = float(np.float32(0.01))
    rectified = np.where(hidden > 0, hidden, slope * hidden)
    return float(
        np.asarray(network.weights[1], float)[0] @ rectified + np.asarray(network.biases[1], float)[0]
    )


def brute_force(network: Dense) -> tuple[float, float]:
    """The logit of equal words, and the largest of all pairs of different ones."""
    words = np.array(list(product(range(3), repeat=4)))
    left, right = (grid.ravel() for grid in np.meshgrid(np.arange(81), np.arange(81)))
    bits = np.eye(3)[words].reshape(81, 12)
    first, last = (np.asarray(weight, float) for weight in network.weights)
    offsets, constant = (np.asarray(bias, float) for bias in network.biases)
    hidden = abs(bits[left] - bits[right]) @ first.T + offsets
    logits = np.where(hidden > 0, hidden, float(np.float32(0.01)) * hidden) @ last[0] + constant[0]
    return float(logits[left == right].min()), float(logits[left != right].max())


def random_network(rng: np.random.Generator, monotone: bool) -> Dense:
    """Networks of three units, about half of which are right."""
    first = rng.normal(0.7, 0.7, (3, 12))
    last = -abs(rng.normal(1.0, 0.5, 3))
    if monotone:
        first = abs(first)
    elif rng.random() < 0.5:
        last[0] *= -0.5
    return dense(first, rng.normal(-0.3, 0.5, 3), last, rng.uniform(0.0, 3.0))


@pytest.mark.parametrize("monotone", [True, False])
def test_verdicts_agree_with_brute_force(monotone: bool) -> None:
    rng = np.random.default_rng(3)
    verdicts: list[EqualityVerdict] = []
    for _ in range(60):
        network = random_network(rng, monotone)
        verdict = prove_equality(network, SMALL)
        equal, worst = brute_force(network)
        if isinstance(verdict, Proved):
            assert monotone and has_signs(network) and verdict.margin == pytest.approx(min(equal, -worst))
        elif isinstance(verdict, Refuted):
            found = logit(network, verdict.left, verdict.right, 3)
            assert found == pytest.approx(verdict.logit, abs=1e-9)
            assert (found > 0) == (verdict.left != verdict.right)
        else:
            assert not monotone and not has_signs(network) and "monotone" in verdict.reason
        verdicts.append(verdict)
    kinds = [type(verdict) for verdict in verdicts]
    assert kinds.count(Proved if monotone else Undecided) > 12 and kinds.count(Refuted) > 12


def test_a_network_that_errs_on_single_cells_only_is_refuted() -> None:
    # It counts differing bits: right on every pair that differs in three cells or more, as random pairs do.
    form = WordForm(("agent", "box", "wall", "empty"), 25, 5, 2, ((0, 1),) * 4)
    ones = np.ones((2, 100))
    network = dense(ones, [0.0, -3.0], [0.5, -3.0], 1.0)
    rng = np.random.default_rng(0)
    for _ in range(50):
        left, right = (tuple(map(int, rng.integers(0, 4, 25))) for _ in range(2))
        assert logit(network, left, right, 4) < 0 < logit(network, left, left, 4)
    verdict = prove_equality(network, form)
    assert isinstance(verdict, Refuted)
    assert sum(a != b for a, b in zip(verdict.left, verdict.right, strict=True)) == 1
    assert logit(network, verdict.left, verdict.right, 4) > 0


def test_equal_words_that_are_told_apart_are_a_counterexample() -> None:
    verdict = prove_equality(dense(np.ones((1, 12)), [0.0], [-1.0], -1.0), SMALL)
    assert isinstance(verdict, Refuted) and verdict.left == verdict.right


def test_logits_within_rounding_stay_undecided() -> None:
    # A single cell gives exactly 0: the real number says different, rounding says nothing.
    network = dense(np.ones((1, 12)), [0.0], [-0.5], 1.0)
    verdict = prove_equality(network, SMALL)
    assert isinstance(verdict, Undecided) and "rounding" in verdict.reason
    unlike = dense(np.ones((2, 12)), [0.0, 0.0], [-1.0, 0.1], 1.0)
    verdict = prove_equality(unlike, SMALL)
    assert isinstance(verdict, Undecided) and "monotone" in verdict.reason
    assert isinstance(prove_equality(dense(np.ones((1, 9)), [0.0], [-1.0], 1.0), SMALL), Undecided)
    wild = dense(np.full((1, 12), np.inf), [0.0], [-1.0], 1.0)
    assert isinstance(prove_equality(wild, SMALL), Undecided)


@pytest.mark.parametrize(
    ("share", "kind"), [(-1.3, Proved), (-0.7, Undecided), (0.7, Undecided), (1.3, Refuted)]
)
def test_a_logit_decides_beyond_twice_its_error(share: float, kind: type[object]) -> None:
    """The logit of a single cell, in parts of what it has to pass."""

    def shifted(by: float) -> Dense:
        return dense(np.ones((1, 12)), [0.0], [-0.5], 1.0 + by)

    verdict = prove_equality(shifted(share * 2 * error_bound(shifted(0.0), SMALL)), SMALL)
    assert isinstance(verdict, kind)


def test_float32_stays_within_the_error_bound() -> None:
    rng = np.random.default_rng(6)
    network = random_network(rng, monotone=False)
    error = error_bound(network, SMALL)
    for choice in product([(), (0, 1), (0, 2), (1, 2)], repeat=4):
        bits = [3 * cell + symbol for cell, pair in enumerate(choice) for symbol in pair]
        found = float(network(jnp.zeros(12).at[jnp.array(bits, int)].set(1))[0])
        assert abs(found - exact_logits(network, [bits])[0]) <= error
    assert 1e-8 < error < 1e-3
