"""Enclosures against arithmetic with 60 digits, error bounds against float32 in many orders of summation."""

from collections.abc import Callable
from functools import cache

import equinox as eqx
import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest

from nhc.certify.enclosure import (
    TANH_ERROR,
    TANH_ULPS,
    TINY,
    UNIT,
    Enclosed,
    Network,
    _linear,
    linear_error,
    tanh,
)
from nhc.machine.interface import memory_interface
from nhc.machine.layout import interface_blocks
from nhc.machine.tick import controller
from nhc.model import Model
from nhc.program.table import ControlState, Phase
from tests.computer.machines import hand_made, model_of, zoo
from tests.oracles.machine import random_weights

DIGITS = 60
Float32 = np.float32


@cache
def machine(name: str) -> Model:
    """The shipped machines, one made by hand, and random ones with small, usual and large weights."""
    if name.startswith("random"):
        _, algorithm, scale = name.split()
        signals = 3 if algorithm == "plan" else 2
        rng = np.random.default_rng(int(float(scale) * 100))
        return model_of(random_weights(rng, signals, float(scale)), algorithm)
    return hand_made("plan") if name == "hand-made" else zoo(name)


MACHINES = ("plan", "search", "hand-made", "random plan 0.1", "random search 1", "random plan 6")


def states(seed: int, count: int) -> list[ControlState]:
    """The first state, and random ones."""
    rng = np.random.default_rng(seed)
    drawn = [
        ControlState(Phase(int(rng.integers(2))), int(rng.integers(256)), int(rng.integers(5)))
        for _ in range(count - 1)
    ]
    return [ControlState(Phase.SEARCH, -1, -1), *drawn]


def inputs(state: ControlState, signals: int) -> tuple[list[int], list[int], list[int]]:
    """Signals, word and last operation, written out independently."""
    told = ([1, 0, 0] if state.phase == Phase.SEARCH else [0, 1, 0])[:signals]
    word = [0] * 8 if state.word == -1 else [1 if state.word & 2**j else -1 for j in range(8)]
    return told, word, [int(k == state.op) for k in range(5)]


def true_linear(model: Model, layer: str, values: list[mpmath.mpf]) -> list[mpmath.mpf]:
    linear = getattr(model.parameters, layer)
    w, b = np.asarray(linear.w, np.float64), np.asarray(linear.b, np.float64)
    rows = (zip(row.tolist(), values, strict=True) for row in w)
    return [mpmath.fsum([float(b[i]), *(x * v for x, v in row)]) for i, row in enumerate(rows)]


def true_values(model: Model, state: ControlState, read: int) -> dict[str, list[mpmath.mpf]]:
    """Controller, interface vector and logits with 60 digits."""
    told, word, op = inputs(state, model.config.signals)
    with mpmath.workdps(DIGITS):
        hidden = [
            mpmath.tanh(v)
            for v in true_linear(model, "controller", [mpmath.mpf(v) for v in told + word + op])
        ]
        vector = true_linear(model, "interface", [*map(mpmath.mpf, told), *hidden])
        bits = [mpmath.mpf(1 if read & 2**j else -1) for j in range(8)]
        logits = true_linear(model, "transform_c", [*hidden, *bits, *map(mpmath.mpf, told)])
    return {"hidden": hidden, "interface": vector, "logits": logits}


def network_values(network: Network, model: Model, state: ControlState, read: int) -> dict[str, Enclosed]:
    """The same as enclosures."""
    values = network.at(state)
    blocks = [values.interface[b.name.removeprefix("interface.")] for b in interface_blocks(model.config)]
    vector = Enclosed(*(np.concatenate(column) for column in zip(*blocks, strict=True)))
    return {"hidden": values.hidden, "interface": vector, "logits": network.op_logits(state, read)}


@pytest.mark.parametrize("name", MACHINES)
def test_true_values_are_enclosed_tightly(name: str) -> None:
    model = machine(name)
    network = Network(model)
    for number, state in enumerate(states(1, 8)):
        read = (37 * number) % 256
        found = network_values(network, model, state, read)
        for part, truth in true_values(model, state, read).items():
            low, high, _ = found[part]
            assert len(low) == len(truth)
            for lo, hi, value in zip(low.tolist(), high.tolist(), truth, strict=True):
                assert mpmath.mpf(lo) <= value <= mpmath.mpf(hi), (part, state)
                assert hi - lo <= 1e-12 * max(1.0, abs(lo)) * (1 if part == "hidden" else 10)


def test_tanh_is_as_near_as_it_says() -> None:
    rng = np.random.default_rng(9)
    special = [0.0, 5e-324, -1e-200, 1e-30, 32.0, np.nextafter(32.0, 0), -19.5, 710.0, -1e308]
    scales = 10.0 ** rng.uniform(-20, 1.5, 400)
    values = np.array([*special, *rng.normal(scale=3, size=400), *(scales * rng.choice([-1, 1], 400))])
    with mpmath.workdps(DIGITS):
        for x, found in zip(values.tolist(), tanh(values).tolist(), strict=True):
            true = mpmath.tanh(mpmath.mpf(x))
            assert abs(mpmath.mpf(found) - true) <= TANH_ERROR * abs(true) + TINY


def test_tanh_is_enclosed_where_it_is_steep_tiny_and_flat() -> None:
    model = hand_made()
    points = np.array(
        [0.0, 1e-30, -1e-8, 0.3, -0.549, 1.0, -5.0, 9.02, 19.5, -40.0, 700.0, -88.8, 1e30, 2.0, -2.0, 0.1]
    )
    weights = model.parameters.named_blocks(model.config)
    weights["controller.w"] = np.zeros_like(weights["controller.w"])
    weights["controller.b"] = points.astype(np.float32)
    hidden = Network(model_of(weights)).at(ControlState(Phase.SEARCH, 3, 2)).hidden
    with mpmath.workdps(400):
        for point, low, high in zip(weights["controller.b"].tolist(), hidden.low, hidden.high, strict=True):
            assert mpmath.mpf(low) <= mpmath.tanh(mpmath.mpf(point)) <= mpmath.mpf(high)
            assert high - low < 1e-14


def summed(terms: np.ndarray, rng: np.random.Generator, way: str) -> np.float32:
    """A float32 sum in some order: as it comes, shuffled, in a random tree, or through few accumulators."""
    numbers = [Float32(t) for t in terms]
    if way != "as it comes":
        numbers = [numbers[i] for i in rng.permutation(len(numbers))]
    if way == "tree":
        while len(numbers) > 1:
            i, j = sorted(rng.choice(len(numbers), 2, replace=False))
            numbers[i] = Float32(numbers[i] + numbers[j])
            del numbers[j]
        return numbers[0]
    if way == "lanes":
        lanes = [summed(np.array(numbers[k::4]), rng, "as it comes") for k in range(4)]
        numbers = [lane for lane in lanes]
    total = numbers[0]
    for number in numbers[1:]:
        total = Float32(total + number)
    return total


def float32_linear(
    model: Model, layer: str, values: np.ndarray, add: Callable[[np.ndarray], np.float32]
) -> np.ndarray:
    linear = getattr(model.parameters, layer)
    w, b = np.asarray(linear.w), np.asarray(linear.b)
    return np.array(
        [add(np.append(w[i] * values.astype(np.float32), b[i])) for i in range(len(b))], np.float32
    )


def float32_values(model: Model, state: ControlState, read: int, add) -> dict[str, np.ndarray]:
    told, word, op = (np.array(part, np.float32) for part in inputs(state, model.config.signals))
    hidden = np.tanh(float32_linear(model, "controller", np.concatenate([told, word, op]), add))
    vector = float32_linear(model, "interface", np.concatenate([told, hidden]), add)
    bits = np.array([1 if read & 2**j else -1 for j in range(8)], np.float32)
    logits = float32_linear(model, "transform_c", np.concatenate([hidden, bits, told]), add)
    return {"hidden": hidden, "interface": vector, "logits": logits}


def assert_within(found: np.ndarray, enclosure: Enclosed, where: object) -> None:
    """The float32 value differs from every true value that may be by at most the bound."""
    value = np.asarray(found, np.float64)
    off = np.maximum(value - enclosure.low, enclosure.high - value)
    width = enclosure.high - enclosure.low
    assert (off <= enclosure.error + width).all(), (where, off / enclosure.error)


@pytest.mark.parametrize("way", ["as it comes", "shuffled", "tree", "lanes"])
@pytest.mark.parametrize("name", MACHINES)
def test_float32_in_any_order_stays_within_the_bound(name: str, way: str) -> None:
    model = machine(name)
    network, rng = Network(model), np.random.default_rng(5)
    for number, state in enumerate(states(2, 4)):
        read = (91 * number + 3) % 256
        found = float32_values(model, state, read, lambda terms: summed(terms, rng, way))
        for part, enclosure in network_values(network, model, state, read).items():
            assert_within(found[part], enclosure, (part, state))


@pytest.mark.parametrize("rows", [1, 3, 64])
@pytest.mark.parametrize("name", MACHINES)
def test_the_compiled_network_stays_within_the_bound(name: str, rows: int) -> None:
    """Alone and in batches of different size, which XLA computes in different ways."""
    model = machine(name)
    parameters, config = model.parameters, model.config
    chosen = states(3, rows)
    told, word, ops = (
        jnp.array([inputs(state, config.signals)[part] for state in chosen], jnp.float32) for part in range(3)
    )
    last = jnp.array([state.op for state in chosen])
    read = (53 * np.arange(rows) + 7) % 256
    bits = jnp.asarray(np.where((read[:, None] >> np.arange(8)) & 1, 1, -1), jnp.float32)

    @jax.jit
    def compute(told, word, last, bits):
        hidden = controller(parameters.controller, told, word, last, config)
        head = memory_interface(parameters.interface, told, hidden, config)
        vector = jnp.concatenate(
            [jnp.ravel(leaf) for leaf in jax.tree.leaves(eqx.filter(head, eqx.is_array))]
        )
        return hidden, vector, parameters.transform_c(jnp.concatenate([hidden, bits, told]))

    del ops
    hidden, vector, logits = jax.vmap(compute)(told, word, last, bits)
    network = Network(model)
    for row, state in enumerate(chosen[:12]):
        found = {"hidden": hidden[row], "interface": vector[row], "logits": logits[row]}
        for part, enclosure in network_values(network, model, state, int(read[row])).items():
            assert_within(np.asarray(found[part]), enclosure, (part, state))


def test_the_bound_of_a_sum_is_nearly_reached() -> None:
    """1 + 20 numbers of half a unit each, added one after the other: every one of them is lost."""
    w = np.full((1, 20), UNIT)
    exact = Enclosed(np.ones(20), np.ones(20), np.zeros(20))
    total = Float32(1)
    for _ in range(20):
        total = Float32(total + Float32(UNIT))
    lost = 20 * UNIT - (float(total) - 1)
    bound = float(linear_error(w, np.ones(1), exact)[0])
    assert lost == 20 * UNIT
    assert lost <= bound < 1.1 * lost


def test_errors_of_the_inputs_pass_through() -> None:
    w = np.array([[2.0, -3.0]])
    inputs_off = Enclosed(np.array([1.0, -4.0]), np.array([1.5, 0.5]), np.array([0.25, 0.125]))
    bound = float(linear_error(w, np.array([5.0]), inputs_off)[0])
    through = 2.0 * 0.25 + 3.0 * 0.125
    rounding = 3 * UNIT * (5.0 + 2.0 * 1.75 + 3.0 * 4.125)
    assert through + rounding <= bound <= through + 1.001 * rounding


def test_the_width_of_inputs_passes_through_linear_maps() -> None:
    w, b = np.array([[2.0, -3.0, 0.5]]), np.array([1.0])
    wide = Enclosed(np.array([0.0, -1.0, 4.0]), np.array([0.5, 1.0, 4.0]), np.zeros(3))
    low, high, _ = _linear(w, b, wide)
    assert low[0] <= 0.0 <= low[0] + 1e-11
    assert high[0] - 1e-11 <= 7.0 <= high[0]


def test_tanh_may_be_off_by_what_is_granted() -> None:
    """Compiled and by NumPy, on a dense grid: far less than the units granted."""
    x = np.concatenate([np.linspace(-12, 12, 400_001), np.geomspace(1e-8, 1, 20_001)]).astype(np.float32)
    truth = np.tanh(x.astype(np.float64))
    for found in (
        np.asarray(jax.jit(jnp.tanh)(x)),
        np.asarray(jax.jit(jax.vmap(jnp.tanh))(x[:777])),
        np.tanh(x),
    ):
        off = np.abs(found.astype(np.float64) - truth[: len(found)]).max()
        assert off < TANH_ULPS * UNIT / 2
    model = machine("plan")
    state = ControlState(Phase.BACK, 5, 1)
    w, b = (np.asarray(v, np.float64) for v in (model.parameters.controller.w, model.parameters.controller.b))
    exact = np.concatenate([np.array(part, np.float64) for part in inputs(state, 3)])
    before = linear_error(w, b, Enclosed(exact, exact, np.zeros(16)))
    added = Network(model).at(state).hidden.error - before
    assert (added >= TANH_ULPS * UNIT).all()
    assert (added <= 1.01 * TANH_ULPS * UNIT).all()
