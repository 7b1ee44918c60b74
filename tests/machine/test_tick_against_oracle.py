"""The machine against the plain interpreter, tick by tick, on random weights and all options."""

import itertools

import jax
import numpy as np
import pytest

from nhc.machine.config import MachineConfig
from nhc.machine.state import indexed
from tests.machine.runs import oracle_config, random_blocks, random_signals, run_streams, stacked
from tests.oracles.machine import Oracle

MACHINES, TICKS = 14, 47
ABLATED_MACHINES, ABLATED_TICKS = 9, 21  # the soft oracle takes the square of the cells at each tick
GAP = 1e-5
SCALE = {"bits": 1.0, "real": 0.2}
LEAST_SHARE = {"bits": 0.9, "real": 0.6}
SOFT_SHARE = 0.4  # weights that hardly count can be close, too


OPTIONS: dict[str, tuple[object, object]] = {
    "mix": ("winner", "sum"),
    "words": ("bits", "real"),
    "constrained_gate": ("always", "learned"),
    "write_gate": ("always", "learned"),
    "allocation": ("always", "learned"),
    "usage_link": (True, False),
    "constrained_head": (True, False),
    "attention": ("hard", "soft"),
    "free_heads": (1, 2),
}
"""By option: what ships and the other value."""


def some_of_all_options() -> list[MachineConfig]:
    """Every pair of values of two options, without ablations and then with them, in machines of many sizes.

    The first is the machine that ships. Signals, operations, mechanisms, word and controller units differ in
    number.
    """
    pool = [dict(zip(OPTIONS, values, strict=True)) for values in itertools.product(*OPTIONS.values())]
    pool = [one for one in pool if one["constrained_head"] or one["constrained_gate"] == "always"]
    plain = [one for one in pool if (one["attention"], one["free_heads"]) == ("hard", 1)]
    chosen, met = [pool[0]], pairs(pool[0])
    for candidates in (plain, pool):
        wanted = set().union(*map(pairs, candidates))
        while wanted - met:
            chosen.append(max(candidates, key=lambda one: len(pairs(one) - met)))
            met |= pairs(chosen[-1])
    return [
        MachineConfig.model_validate(
            one | {"signals": (3, 2, 1, 6)[number % 4], "ops": (5, 7, 4, 9, 2, 3)[number % 6]}
        )
        for number, one in enumerate(chosen)
    ]


def pairs(options: dict[str, object]) -> set[tuple[tuple[str, object], ...]]:
    return set(itertools.combinations(options.items(), 2))


def name_of(config: MachineConfig) -> str:
    return "-".join(str(value) for value in config.model_dump().values())


@pytest.mark.parametrize("config", some_of_all_options(), ids=name_of)
def test_machine_equals_oracle(config: MachineConfig) -> None:
    rng = np.random.default_rng(len(name_of(config)))
    count, length = (MACHINES, TICKS) if config.is_plain else (ABLATED_MACHINES, ABLATED_TICKS)
    machines = [random_blocks(rng, config, SCALE[config.words]) for _ in range(count)]
    data = rng.integers(0, 1000, size=(count, length)).astype(np.int32)
    signals = random_signals(rng, config, count, length)
    states, ticks = jax.device_get(run_streams(stacked(machines, config), config, data, signals))
    if config.words == "bits" and config.attention == "hard" and config.free_heads == 1:
        indexed_states, indexed_ticks = jax.device_get(
            run_streams(stacked(machines, config), config, data, signals, indexed)
        )
        assert_same_bits(ticks, indexed_ticks)
        assert_same_bits(states.memory.links, indexed_states.memory.links)

    compared = 0
    for number, weights in enumerate(machines):
        oracle = Oracle(weights, oracle_config(config))
        for time in range(length):
            expected = oracle.tick(int(data[number, time]), signals[number, time].tolist())
            if expected.gap < GAP:
                break
            found = jax.tree.map(lambda leaf, n=number, t=time: leaf[n, t], ticks)
            check_tick(found, expected, config)
            compared += 1
            if expected.read is None:
                break
        else:
            memory = jax.tree.map(lambda leaf, n=number: leaf[n], states.memory)
            check_memory(memory, oracle, config) if oracle.soft is None else check_soft(memory, oracle)
    # An episode is cut where a decision could go either way in float32; one that never writes ends at once.
    share = compared / (count * length)
    print(f"{name_of(config)}: {compared} ticks compared, {1 - share:.1%} cut")
    least = SOFT_SHARE if config.attention == "soft" else LEAST_SHARE[config.words]
    assert share > least or config.write_gate == "learned"
    assert compared >= count


def assert_same_bits(left, right) -> None:
    for one, other in zip(jax.tree.leaves(left), jax.tree.leaves(right), strict=True):
        np.testing.assert_array_equal(one, other)


def address(value: int | None) -> int:
    return -1 if value is None else value


def check_tick(found, expected, config: MachineConfig) -> None:
    assert found.signals.tolist() == list(expected.signals)
    written = [expected.written, *expected.others]
    assert [int(cell) for cell in found.written] == [address(cell) for cell in written]
    assert found.reading.address == address(expected.read)
    if expected.read is None:
        return
    assert found.reading.addresses.tolist() == [address(value) for value in expected.addresses]
    assert found.op == expected.op
    assert found.reading.data == expected.data_read
    exact = config.words == "bits" and config.attention == "hard"
    np.testing.assert_allclose(found.reading.word, expected.word_read, atol=0 if exact else 1e-4)
    np.testing.assert_allclose(found.interface.read.modes, expected.strengths, atol=1e-4)


def check_memory(memory, oracle: Oracle, config: MachineConfig) -> None:
    count = len(oracle.cells)
    assert memory.count == count
    assert memory.data[:count].tolist() == list(oracle.data)
    links = memory.links
    columns = (links.next, links.previous, links.parent, links.child)
    for cell, expected in enumerate(oracle.links):
        found = [int(column[cell]) for column in columns]
        assert found[:2] == [address(value) for value in expected[:2]]
        if config.usage_link:
            assert [found[3], found[2]] == [address(value) for value in expected[2:]]
    words = memory.words.words[:, :count].T
    np.testing.assert_allclose(words, oracle.words, atol=0 if config.words == "bits" else 1e-4)


def check_soft(memory, oracle: Oracle) -> None:
    soft = oracle.soft
    count = len(soft.words)
    assert memory.count == count
    assert memory.data[:count].tolist() == soft.data
    np.testing.assert_allclose(memory.words[:, :count].T, soft.words, atol=1e-4)
    np.testing.assert_allclose(memory.read[:count], soft.read, atol=1e-4)
    np.testing.assert_allclose(memory.precedence[:count], soft.last, atol=1e-4)
    degrees = [(memory.temporal, soft.after)]
    if oracle.config.usage_link:
        degrees += [(memory.parent, soft.parent), (memory.child, soft.child)]
    for matrix, expected in degrees:
        for (i, j), degree in expected.items():
            assert matrix[i, j] == pytest.approx(degree, abs=1e-4)
        assert np.abs(matrix).sum() == pytest.approx(sum(map(abs, expected.values())), abs=1e-3)
