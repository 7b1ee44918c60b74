"""Losses and failures against slow twins, and what insertion means."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.typing import NDArray

from nhc.data.learned import LearnedModules
from nhc.supervised.config import MODULES, NETWORKS
from nhc.supervised.learner import effective, initial_raw
from nhc.supervised.losses import insertion_loss, outcome
from nhc.supervised.rows import columns, fresh_rows, packed, split, width
from tests.supervised.corridor import END, FORM, Corridor
from tests.supervised.small import config
from tests.supervised.twins import TWINS, forward, soft_insertion

OUTCOME = jax.jit(outcome, static_argnames=("form", "module"))
NEVER, ALWAYS = -30.0, 30.0
ROWS = 40


def random_rows(module: str, count: int) -> NDArray[np.uint8]:
    """Fresh rows of the corridor, then rows of random symbols, which need not make sense."""
    rng = np.random.default_rng(5)
    fresh = fresh_rows(Corridor(), module, rng, count)
    limits = {"left": 3, "right": 3, "contents": 3, "wanted": 3, "view": 4, "after": 4, "op": 4, "changed": 2}
    parts = {
        name: rng.integers(limits[name], size=(count, size)) for name, size in columns(FORM, module).items()
    }
    return np.concatenate([fresh, packed(FORM, module, parts)])


@pytest.mark.parametrize("module", MODULES)
def test_losses_and_failures_are_those_of_the_slow_twin(module: str) -> None:
    networks = effective(module, initial_raw(FORM, config(seed=3), module))
    rows = random_rows(module, ROWS)
    found = OUTCOME(FORM, module, networks, jnp.asarray(rows))
    expected = [TWINS[module](FORM, networks, row) for row in rows.tolist()]
    np.testing.assert_allclose(found.loss, [loss for loss, _ in expected], rtol=2e-5, atol=2e-5)
    assert found.failed.tolist() == [failed for _, failed in expected]
    assert len(set(found.failed.tolist())) == 2 or module in ("input", "transform_d")


def test_the_loss_of_a_change_does_not_count_where_nothing_changes() -> None:
    settings = config()
    for module, data in (("alu", "change"), ("output", "mask")):
        rows = jnp.asarray(random_rows(module, ROWS))
        unchanged = np.asarray(split(FORM, module, rows)["changed"][:, 0]) == 0
        networks = initial_raw(FORM, settings, module)
        other = {**networks, data: initial_raw(FORM, config(seed=1), module)[data]}
        before, after = (OUTCOME(FORM, module, each, rows) for each in (networks, other))
        same = np.asarray(before.loss == after.loss)
        assert same[unchanged].all() and not same[~unchanged].any()
        assert (np.asarray(before.failed == after.failed))[unchanged].all()


@pytest.mark.parametrize("module", MODULES)
def test_failures_are_those_of_the_hardened_modules(module: str) -> None:
    """The networks in the loop give the labels exactly where no failure is counted."""
    settings = config(seed=4)
    networks = {
        name: network
        for each in MODULES
        for name, network in effective(each, initial_raw(FORM, settings, each)).items()
    }
    learned = LearnedModules(networks, FORM, "corridor")
    rows = jnp.asarray(random_rows(module, ROWS)[:ROWS])
    part = {name: value.astype(jnp.int32) for name, value in split(FORM, module, rows).items()}

    def bits(name: str, symbols: int) -> jax.Array:
        return jax.nn.one_hot(part[name], symbols, dtype=jnp.uint8).reshape(ROWS, -1)

    if module == "input":
        right = eqx.filter_jit(learned.equal)(bits("left", 3), bits("right", 3)) == (
            part["left"] == part["right"]
        ).all(axis=1)
    elif module == "transform_d":
        right = (eqx.filter_jit(learned.view)(bits("contents", 3)) == bits("view", 4)).all(axis=1)
    else:
        op, changed = part["op"][:, 0], part["changed"][:, 0] == 1
        way = jax.nn.one_hot(jnp.where(op == 4, 0, op), 4, dtype=jnp.uint8)
        change = jnp.concatenate([way, bits("after", 4)], axis=1)
        if module == "alu":
            acts, acted = eqx.filter_jit(learned.alu)(op, bits("view", 4))
            right = (acts == changed) & (acted == change).all(axis=1)
        else:
            word = eqx.filter_jit(learned.insert)(changed, change, bits("contents", 3))
            right = (word == bits("wanted", 3)).all(axis=1)
            logits = [forward(networks["inserts"], row) for row in _output_inputs(bits, change, changed)]
            right &= (jnp.array(logits)[:, 0] > 0) == changed
    failed = OUTCOME(FORM, module, {name: networks[name] for name in NETWORKS[module]}, rows).failed
    assert (np.asarray(right) == ~np.asarray(failed)).all()


def _output_inputs(bits: object, change: jax.Array, changed: jax.Array) -> list[list[float]]:
    assert callable(bits)
    rows: list[list[float]] = jnp.concatenate(
        [bits("contents", 3), change, changed[:, None]], axis=1
    ).tolist()
    return rows


def loss_of(places: list[int], contents: list[int], after: list[int], wanted: list[int]) -> float:
    """The loss of a mask that is as good as hard; place 5 is nowhere."""
    logits = np.full((1, 3, 6), NEVER, np.float32)
    logits[0, np.arange(3), places] = ALWAYS
    arrays = (jnp.array([each], jnp.uint8) for each in (contents, after, wanted))
    loss = insertion_loss(FORM, jnp.asarray(logits), *arrays)
    twin = soft_insertion(FORM, logits[0].tolist(), contents, after, wanted)
    assert float(loss[0]) == pytest.approx(twin, abs=1e-4)
    return float(loss[0])


def test_what_insertion_means() -> None:
    before = [0, 2, 2, 1, 2]
    assert loss_of([0, 1, 2], before, [2, 0, 1], [2, 0, 1, 1, 2]) == pytest.approx(0, abs=1e-4)
    # Any cell that holds the content already is a right place, and so is none.
    assert loss_of([0, 1, 4], before, [2, 0, 2], [2, 0, 2, 1, 2]) == pytest.approx(0, abs=1e-4)
    assert loss_of([0, 1, 5], before, [2, 0, 2], [2, 0, 2, 1, 2]) == pytest.approx(0, abs=1e-4)
    # The later change wins a cell.
    assert loss_of([1, 1, 5], before, [1, 0, 2], [0, 0, 2, 1, 2]) == pytest.approx(0, abs=1e-4)
    assert loss_of([1, 1, 5], before, [1, 0, 2], [0, 1, 2, 1, 2]) > 10
    # What lies beyond the corridor is never inserted.
    assert loss_of([3, 5, 5], before, [END, 2, 2], before) == pytest.approx(0, abs=1e-4)
    assert loss_of([3, 5, 5], before, [2, 2, 2], before) > 10


def test_rows_come_apart_as_they_were_packed() -> None:
    rng = np.random.default_rng(0)
    for module in MODULES:
        parts = {name: rng.integers(3, size=(7, size)) for name, size in columns(FORM, module).items()}
        rows = packed(FORM, module, parts)
        assert rows.shape == (7, width(FORM, module)) and rows.dtype == np.uint8
        assert all((split(FORM, module, rows)[name] == part).all() for name, part in parts.items())
