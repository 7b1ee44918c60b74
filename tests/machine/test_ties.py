"""Every tie rule and the first tick, on machines of constant interface: all weights are 0 but some biases."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.machine.config import MachineConfig
from nhc.machine.layout import blocks
from nhc.machine.parameters import Parameters
from nhc.machine.state import initial_state
from nhc.machine.tick import jitted_tick

CONTENT, FORWARD, BACKWARD, USED_FORWARD, USED_BACKWARD = range(5)


def constant_machine(config: MachineConfig, **biases) -> Parameters:
    arrays = {}
    for block in blocks(config):
        arrays[f"{block.name}.w"] = np.zeros((block.rows, block.inputs), np.float32)
        arrays[f"{block.name}.b"] = np.zeros(block.rows, np.float32)
    for name, values in biases.items():
        arrays[f"{name.replace('__', '.')}.b"] = np.asarray(values, np.float32)
    return Parameters.from_blocks(arrays, config)


def run(config: MachineConfig, parameters: Parameters, ticks: int):
    state = initial_state(config, jnp.int32(0), 8)
    results = []
    for time in range(ticks):
        state, result = jitted_tick(
            parameters, config, state, jnp.int32(100 + time), jnp.zeros(config.signals)
        )
        results.append(jax.device_get(result))
    return state, results


def modes(**strength) -> list[float]:
    names = ("content", "forward", "backward", "used_forward", "used_backward")
    return [strength.get(name, -1.0) for name in names]


def test_zero_machine_takes_the_first_of_everything() -> None:
    config = MachineConfig()
    state, results = run(config, constant_machine(config), 4)
    assert [int(result.op) for result in results] == [0, 0, 0, 0]
    assert [int(result.reading.address) for result in results] == [0, 0, 0, 0]
    assert [int(result.written[0]) for result in results] == [0, 1, 2, 3]
    np.testing.assert_array_equal(state.memory.words.words[:, :4], -np.ones((8, 4)))


def test_first_tick_has_no_past() -> None:
    config = MachineConfig()
    state, (first,) = run(config, constant_machine(config, interface__constrained__word=np.ones(8)), 1)
    assert first.reading.addresses.tolist() == [0, -1, -1, -1, -1]
    assert state.memory.links.parent[0] == -1
    np.testing.assert_array_equal(state.memory.words.words[:, 0], -np.ones(8))


def test_constrained_head_rewrites_the_cell_read_last_before_the_lookup() -> None:
    config = MachineConfig()
    machine = constant_machine(
        config, interface__constrained__word=np.ones(8), interface__read__key=np.ones(8)
    )
    _, results = run(config, machine, 2)
    np.testing.assert_array_equal(results[0].reading.word, -np.ones(8))
    np.testing.assert_array_equal(results[1].reading.word, np.ones(8))


@pytest.mark.parametrize(
    ("strengths", "expected"),
    [
        (modes(content=0, forward=0, used_forward=0), [0, 0, 0]),
        (modes(forward=0, backward=0, used_forward=0), [0, 1, 2]),
        (modes(backward=0, used_forward=0, used_backward=0), [0, 1, 0]),
        (modes(used_forward=0, used_backward=0), [0, 1, 2]),
    ],
)
def test_winner_ties_go_to_the_earlier_mechanism(strengths, expected) -> None:
    config = MachineConfig()
    _, results = run(config, constant_machine(config, interface__read__modes=strengths), 3)
    assert [int(result.reading.address) for result in results] == expected


def test_sum_adds_votes_for_one_address_and_ties_go_to_the_lowest() -> None:
    two = MachineConfig(mix="sum")
    _, results = run(two, constant_machine(two), 2)
    assert results[1].reading.address == 1  # forward and usage forward name 1, content alone names 0
    one = MachineConfig(mix="sum", usage_link=False)
    _, results = run(one, constant_machine(one), 2)
    assert results[1].reading.addresses.tolist() == [0, 1, -1, -1, -1]
    assert results[1].reading.address == 0


def test_sum_is_not_winner() -> None:
    strengths = modes(content=0.3, forward=0.0, used_forward=0.0)
    for mix, expected in (("winner", 0), ("sum", 1)):
        config = MachineConfig(mix=mix)
        _, results = run(config, constant_machine(config, interface__read__modes=strengths), 2)
        assert results[1].reading.address == expected


def test_usage_forward_names_the_cell_written_in_this_tick() -> None:
    config = MachineConfig()
    _, results = run(config, constant_machine(config, interface__read__modes=modes(used_forward=1)), 3)
    assert [int(r.reading.addresses[USED_FORWARD]) for r in results] == [-1, 1, 2]


def test_gates_are_closed_at_zero() -> None:
    config = MachineConfig(write_gate="learned")
    _, (first,) = run(config, constant_machine(config), 1)
    assert (int(first.written[0]), first.reading.address) == (-1, -1)
    _, (opened,) = run(config, constant_machine(config, interface__write__gate=[1e-6]), 1)
    assert (int(opened.written[0]), opened.reading.address) == (0, 0)


def test_allocation_overwrites_the_cell_found_by_content() -> None:
    config = MachineConfig(allocation="learned")
    state, results = run(config, constant_machine(config), 3)
    assert [int(result.written[0]) for result in results] == [0, 0, 0]
    assert state.memory.count == 1
    assert state.memory.data[0] == 102
    assert state.memory.links.last == 0


def test_overwritten_cell_moves_to_the_end_without_joining_its_neighbours() -> None:
    from nhc.machine.memory.links import append_temporal, no_links, relink_temporal

    links = no_links(5)
    for cell in range(4):
        links = append_temporal(links, jnp.int32(cell), jnp.bool_(True))
    links = relink_temporal(links, jnp.int32(1), jnp.bool_(True))
    assert links.next.tolist()[:4] == [-1, -1, 3, 1]
    assert links.previous.tolist()[:4] == [-1, 3, -1, 2]
    assert links.last == 1
    same = relink_temporal(links, jnp.int32(1), jnp.bool_(True))
    assert same.next.tolist() == links.next.tolist()


def test_no_use_of_a_word_index_for_real_words() -> None:
    from nhc.errors import ConfigError
    from nhc.machine.state import indexed

    with pytest.raises(ConfigError, match=r"machine\.index"):
        initial_state(MachineConfig(words="real"), jnp.int32(0), 8, indexed)
