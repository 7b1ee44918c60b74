"""The machine against the plain interpreter, tick by tick, on random weights and all options."""

import itertools

import jax
import numpy as np
import pytest

from nhc.machine.config import MachineConfig
from nhc.machine.state import indexed
from tests.machine.runs import oracle_config, random_blocks, run_streams, stacked
from tests.oracles.machine import Oracle

MACHINES, TICKS = 14, 47
GAP = 1e-5
SCALE = {"bits": 1.0, "real": 0.2}
LEAST_SHARE = {"bits": 0.9, "real": 0.6}


def some_of_all_options() -> list[MachineConfig]:
    """Every value of every option, every pair of gates and head, in machines of both sizes."""
    gates = ("always", "learned")
    configs = []
    for number, (constrained, write, allocation, head) in enumerate(
        itertools.product(gates, gates, gates, (True, False))
    ):
        if constrained == "learned" and not head:
            continue
        configs.append(
            {
                "signals": 2 + number % 2,
                "mix": ("winner", "sum")[number // 2 % 2],
                "words": ("bits", "real")[(number // 3) % 2],
                "constrained_gate": constrained,
                "write_gate": write,
                "allocation": allocation,
                "usage_link": number % 5 != 3,
                "constrained_head": head,
            }
        )
    configs += [{"signals": 3}, {"signals": 2}, {"words": "real", "mix": "sum"}, {"mix": "sum"}]
    return [MachineConfig.model_validate(config) for config in configs]


def name_of(config: MachineConfig) -> str:
    return "-".join(str(value) for value in config.model_dump().values())


@pytest.mark.parametrize("config", some_of_all_options(), ids=name_of)
def test_machine_equals_oracle(config: MachineConfig) -> None:
    rng = np.random.default_rng(len(name_of(config)))
    machines = [random_blocks(rng, config, SCALE[config.words]) for _ in range(MACHINES)]
    data = rng.integers(0, 1000, size=(MACHINES, TICKS)).astype(np.int32)
    equal = rng.random((MACHINES, TICKS)) < 0.05
    states, ticks = jax.device_get(run_streams(stacked(machines, config), config, data, equal))
    if config.words == "bits":
        indexed_states, indexed_ticks = jax.device_get(
            run_streams(stacked(machines, config), config, data, equal, indexed)
        )
        assert_same_bits(ticks, indexed_ticks)
        assert_same_bits(states.memory.links, indexed_states.memory.links)

    compared = 0
    for number, weights in enumerate(machines):
        oracle = Oracle(weights, oracle_config(config))
        for time in range(TICKS):
            expected = oracle.tick(int(data[number, time]), bool(equal[number, time]))
            if expected.gap < GAP:
                break
            found = jax.tree.map(lambda leaf, n=number, t=time: leaf[n, t], ticks)
            check_tick(found, expected, config)
            compared += 1
            if expected.read is None:
                break
        else:
            check_memory(jax.tree.map(lambda leaf, n=number: leaf[n], states.memory), oracle, config)
    # An episode is cut where a decision could go either way in float32; one that never writes ends at once.
    share = compared / (MACHINES * TICKS)
    print(f"{name_of(config)}: {compared} ticks compared, {1 - share:.1%} cut")
    assert share > LEAST_SHARE[config.words] or config.write_gate == "learned"
    assert compared >= MACHINES


def assert_same_bits(left, right) -> None:
    for one, other in zip(jax.tree.leaves(left), jax.tree.leaves(right), strict=True):
        np.testing.assert_array_equal(one, other)


def address(value: int | None) -> int:
    return -1 if value is None else value


def check_tick(found, expected, config: MachineConfig) -> None:
    assert found.signals.tolist() == list(expected.signals[: config.signals])
    assert found.written == address(expected.written)
    assert found.reading.address == address(expected.read)
    if expected.read is None:
        return
    assert found.reading.addresses.tolist() == [address(value) for value in expected.addresses]
    assert found.op == expected.op
    assert found.reading.data == expected.data_read
    np.testing.assert_allclose(
        found.reading.word, expected.word_read, atol=0 if config.words == "bits" else 1e-4
    )
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
