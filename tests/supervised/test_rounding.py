"""Bounds on float32 errors, and what rests on them."""

from dataclasses import replace
from itertools import pairwise

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.data.networks import Dense, Experts, Network, dense, initial_dense
from nhc.domains.sokoban.rules import Board
from nhc.domains.sokoban.world import Sokoban
from nhc.supervised.check.report import load_report, record_path
from nhc.supervised.files import load_modules
from nhc.supervised.rounding import layers_error, one_of_each
from nhc.supervised.words_proof import alu_error, proofs_of, prove_words, proved_margins
from nhc.zoo import modules_path
from tests.supervised.designed import designed, scaled

SMALL, LARGE = Sokoban(Board(4, 5)), Sokoban(Board(8, 8))


def test_the_error_bound_of_layers_holds_and_is_not_wild() -> None:
    """Against float64, over every input of two groups, and for numbers that underflow or overflow."""
    network = initial_dense((7, 40, 30, 3), key=jax.random.key(3))
    rows = np.array([np.eye(7)[a] + np.eye(7)[3 + b] for a in range(3) for b in range(4)])
    values = rows.copy()
    for number, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        values = values @ np.asarray(weight, np.float64).T + np.asarray(bias, np.float64)
        values = np.maximum(values, np.float64(np.float32(0.01)) * values) if number < 2 else values
    error = np.abs(np.asarray(network(jnp.asarray(rows, jnp.float32)), np.float64) - values).max()
    assert 0 < error <= layers_error(network, one_of_each(network, (3, 4))) < 1e-3
    assert layers_error(network, one_of_each(network, (3, 4))) < layers_error(
        network, one_of_each(network, (1,) * 7)
    )
    tiny = scaled(network, 1e-30)
    assert isinstance(tiny, Dense) and layers_error(tiny, one_of_each(tiny, (3, 4))) >= 4 * 31 * 2.0**-126
    large = scaled(network, 1e30)
    assert isinstance(large, Dense) and layers_error(large, one_of_each(large, (3, 4))) == np.inf


UNIT, TINY = 2.0**-24, 2.0**-126


def sum_bound(terms: int, size: float) -> float:
    """A float32 sum of so many numbers, their magnitudes being `size` together (Higham 2002, Lemma 3.1)."""
    return terms * UNIT / (1 - terms * UNIT) * size + 4 * terms * TINY


def layers_bound(network: Dense, groups: list[int]) -> float:
    """The largest error of a logit, unit by unit: that of a sum, and what its terms bring with them."""
    starts = [sum(groups[:place]) for place in range(len(groups) + 1)]
    sizes, errors = [], []
    for row, bias in zip(np.asarray(network.weights[0], float), np.asarray(network.biases[0]), strict=True):
        parts = [max(map(abs, row[a:b])) for a, b in pairwise(starts)]
        sizes.append(sum(parts) + abs(float(bias)))
        errors.append(sum_bound(len(row) + 1, sizes[-1]))
    for weight, biases in zip(network.weights[1:], network.biases[1:], strict=True):
        brought = [error * (1 + UNIT) + UNIT * size + TINY for error, size in zip(errors, sizes, strict=True)]
        before, sizes, errors = sizes, [], []
        for row, bias in zip(np.asarray(weight, float), np.asarray(biases), strict=True):
            own = [abs(w) * s for w, s in zip(row, before, strict=True)]
            passed_on = sum(abs(w) * e for w, e in zip(row, brought, strict=True))
            sizes.append(sum(own) + abs(float(bias)))
            errors.append(sum_bound(len(row) + 1, sizes[-1] + passed_on) + passed_on)
    return max(errors)


def test_the_alu_error_is_that_of_the_worse_network_written_out() -> None:
    model = load_modules(modules_path("zoo:sokoban-8x8"), LARGE)
    groups = [5, *[LARGE.form.view_symbols] * LARGE.form.slots]
    expected = max(layers_bound(dense(model.networks, name), groups) for name in ("acts", "change"))
    assert alu_error(LARGE.form, model.networks) == pytest.approx(expected, rel=1e-8)


def test_the_three_in_a_row_need_an_alu_that_float32_cannot_spoil() -> None:
    """A decision compares two logits, so it needs two bounds; between one and two is not enough."""
    model = load_modules(modules_path("zoo:sokoban-8x8"), LARGE)
    alu = load_report(record_path(modules_path("zoo:sokoban-8x8"))).tallies["alu"]
    proofs = proofs_of(LARGE, model.networks)
    margins = proved_margins(LARGE.form, model.networks, proofs, alu)
    assert {*margins} == {"transform_d", "output", "composed"}
    assert margins["composed"] == min(margins["transform_d"], margins["output"])
    error = alu_error(LARGE.form, model.networks)
    assert 0 < error < 0.1
    enough = proved_margins(LARGE.form, model.networks, proofs, replace(alu, margin=2.01 * error))
    assert enough["composed"] == pytest.approx(0.01 * error)
    spoilt = [replace(alu, errors=1), replace(alu, disagreements=1), None]
    for wrong in (*spoilt, *(replace(alu, margin=share * error) for share in (0.5, 1.01, 1.5, 1.99))):
        assert {*proved_margins(LARGE.form, model.networks, proofs, wrong)} == {"transform_d", "output"}


def test_a_hidden_layer_that_overflows_is_seen_behind_small_weights() -> None:
    wide = initial_dense((7, 40, 3), key=jax.random.key(3))
    network = Dense((wide.weights[0] * 2.0**127, wide.weights[1] * 2.0**-120), wide.biases)
    assert layers_error(network, one_of_each(network, (3, 4))) == np.inf


def lifted(name: str, group: int, bound: float) -> dict[str, Network]:
    """Right networks in which one group of logits, or the gate, may be wrong by about `bound` in float32.

    Large numbers cancel there, so no decision changes: what all biases of a group have in common and what the
    weights of all symbols of a cell have in common, counts in no word.
    """
    networks, form = designed(SMALL), SMALL.form
    network = networks[name]
    terms = {"view": form.cells + 1, "mask": form.change_bits + 2}.get(
        name, form.word_bits + form.change_bits + 2
    )
    size = bound / (2 * terms * 2.0**-24)
    if isinstance(network, Experts):
        width = form.view_symbols if name == "view" else form.cells + 1
        place = slice(group * width, (group + 1) * width)
        biases = network.biases.at[:, place].add(round(size))
        return {**networks, name: eqx.tree_at(lambda each: each.biases, network, biases)}
    half = round(size / 2)
    weight = network.weights[0].at[0, group * len(form.symbols) : (group + 1) * len(form.symbols)].add(half)
    return {**networks, name: Dense((weight,), (network.biases[0] - half,))}


@pytest.mark.parametrize(
    ("name", "group"), [*(("view", n) for n in range(9)), *(("mask", n) for n in range(3)), ("inserts", 7)]
)
def test_a_margin_between_one_and_two_bounds_is_no_proof(name: str, group: int) -> None:
    """Two logits are compared, each of which may be wrong; the gate's one logit is compared with zero."""
    module, bounds = "transform_d" if name == "view" else "output", 1 if name == "inserts" else 2
    for total, proved in ((1.9, True), (2.2, False), (3.8, False)):
        proof = prove_words(SMALL, module, lifted(name, group, total / bounds))
        assert proof.proved == proved
        assert proof.margin == pytest.approx(2.0 - total, abs=2e-3), "designed for a margin of 2"
