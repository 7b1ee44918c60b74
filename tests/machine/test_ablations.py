"""Machines that are there for ablations: links of two free heads, weightings, layout, who refuses them."""

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.certify.enclosure import Network
from nhc.certify.prove import Undecided, prove
from nhc.computer.run import run
from nhc.errors import ConfigError
from nhc.machine.config import MachineConfig
from nhc.machine.layout import interface_blocks, unused_blocks, weight_count
from nhc.machine.memory.soft import mode_shares, soft_read
from nhc.machine.parameters import Parameters, initial_parameters
from nhc.machine.state import indexed, initial_state
from nhc.model import Model
from nhc.planning.states import computer_for, problem_for
from tests.computer.machines import PLAN, free_task, world
from tests.machine.runs import random_blocks, random_signals, run_streams, stacked

# Two machines with all gates learned, so that biases can open and close them.
LEARNED = {"constrained_gate": "learned", "write_gate": "learned", "allocation": "learned"}
TWO = MachineConfig.model_validate({"free_heads": 2, **LEARNED})
SOFT = MachineConfig.model_validate({"attention": "soft", **LEARNED})
MACHINES, TICKS = 5, 13
OPEN = {"write_gate": 1.0, "write_allocation": 1.0, "second_gate": 1.0, "second_allocation": 1.0}


def machines_of(config: MachineConfig, seed: int, scale: float = 1.0, **gates: float) -> list[dict]:
    """Random machines; gates named `write_gate=...` get this value whatever the machine sees."""
    rng = np.random.default_rng(seed)
    machines = [random_blocks(rng, config, scale) for _ in range(MACHINES)]
    for machine in machines:
        for name, value in gates.items():
            block = f"interface.{name.replace('_', '.')}"
            machine[f"{block}.w"][:], machine[f"{block}.b"][:] = 0, value
    return machines


def fed(config: MachineConfig, machines: list[dict]):
    """Data fed, last states and ticks."""
    rng = np.random.default_rng(0)
    data = rng.integers(0, 1000, size=(MACHINES, TICKS)).astype(np.int32)
    signals = random_signals(rng, config, MACHINES, TICKS)
    return data, *jax.device_get(run_streams(stacked(machines, config), config, data, signals))


def test_two_free_heads_write_neighbours_of_one_parent() -> None:
    data, states, ticks = fed(TWO, machines_of(TWO, 3, **OPEN))
    links, cells = states.memory.links, np.arange(2 * TICKS)
    assert states.memory.count.tolist() == [2 * TICKS] * MACHINES
    for number in range(MACHINES):
        assert ticks.written[0][number].tolist() == cells[::2].tolist()
        assert ticks.written[1][number].tolist() == cells[1::2].tolist()
        assert links.next[number, : 2 * TICKS].tolist() == [*cells[1:], -1]
        assert links.previous[number, : 2 * TICKS].tolist() == [-1, *cells[:-1]]
        read = ticks.reading.address[number]
        sources = [-1, *read[:-1].tolist()]
        assert links.parent[number, : 2 * TICKS].tolist() == np.repeat(sources, 2).tolist()
        later = {source: 2 * time + 1 for time, source in enumerate(sources)}
        for cell in cells.tolist():
            assert links.child[number, cell] == later.get(cell, -1)
        assert states.memory.data[number, : 2 * TICKS].tolist() == np.repeat(data[number], 2).tolist()
        assert (ticks.reading.data[number] == data[number][read // 2]).all()


def test_the_heads_write_words_of_their_own() -> None:
    _, states, ticks = fed(TWO, machines_of(TWO, 4, **OPEN))
    for number in range(MACHINES):
        new = states.memory.words.words[number][:, 2 * TICKS - 2 : 2 * TICKS].T
        last = jax.tree.map(lambda leaf, n=number: leaf[n, -1], ticks.interface)
        signs = [np.where(head.word > 0, 1.0, -1.0) for head in (last.write, last.second)]
        np.testing.assert_array_equal(new, signs)
    assert (signs[0] != signs[1]).any()


def test_a_closed_second_head_leaves_the_links_of_the_first() -> None:
    _, states, ticks = fed(TWO, machines_of(TWO, 5, **{**OPEN, "second_gate": -1.0}))
    assert ticks.written[0][0].tolist() == list(range(TICKS))
    assert set(ticks.written[1][0].tolist()) == {-1}
    assert states.memory.count[0] == TICKS
    assert states.memory.links.next[0, : TICKS - 1].tolist() == list(range(1, TICKS))


def test_weightings_stay_what_they_are() -> None:
    """As in the DNC: weights are shares, no cell follows itself, and sums of link degrees are at most 1."""
    _, states, ticks = fed(SOFT, machines_of(SOFT, 5, 0.7))
    memory, slack = states.memory, 1 + 1e-5
    for weights in (memory.read, memory.precedence):
        assert (weights >= 0).all() and (weights.sum(axis=1) <= slack).all()
    for matrix in (memory.temporal, memory.parent, memory.child):
        assert matrix.max() > 0.02
        assert (matrix >= -1e-6).all() and (matrix <= slack).all()
    assert (memory.temporal.sum(axis=1) <= slack).all() and (memory.temporal.sum(axis=2) <= slack).all()
    assert (memory.temporal[:, range(TICKS), range(TICKS)] == 0).all()
    assert (memory.parent.sum(axis=2) <= slack).all()  # one cell is written from at most one
    assert (memory.child.sum(axis=1) <= slack).all()  # and one is the last that was written from another
    assert (ticks.reading.address >= 0).all()
    assert (np.abs(ticks.reading.word) <= slack).all() and (np.abs(ticks.reading.word) < 0.99).any()


def test_soft_attention_reads_a_mixture_and_the_data_of_the_heaviest_cell() -> None:
    """By hand: cells 0 and 1 with words A = (1, ...) and -A, content only."""
    machines = machines_of(SOFT, 0, 0.0, write_gate=50, write_allocation=50, constrained_gate=-200)
    for blocks in machines:
        blocks["interface.write.word.w"][:, 0], blocks["interface.write.word.w"][:, 1] = 1, -1
        blocks["interface.read.key.b"][:], blocks["interface.read.modes.b"][0] = 1, 50
        blocks["interface.read.strength.b"][:] = np.log(np.e - 1)  # so that β = 2
    data = np.tile(np.arange(70, 70 + TICKS, dtype=np.int32), (MACHINES, 1))
    # The second signal is there from tick 2 on, and the word written then is -A.
    signals = np.zeros((MACHINES, TICKS, 3), np.float32)
    signals[:, 0, 0] = signals[:, 1:, 1] = 1
    states, ticks = jax.device_get(run_streams(stacked(machines, SOFT), SOFT, data, signals))
    share = np.exp(2) / (np.exp(2) + np.exp(-2))
    np.testing.assert_allclose(ticks.reading.word[0, :2], [[1.0] * 8, [2 * share - 1] * 8], rtol=1e-5)
    others = (TICKS - 1) * np.exp(-2)  # all that came after the first
    memory = states.memory
    np.testing.assert_allclose(memory.read[0, 0], np.exp(2) / (np.exp(2) + others), rtol=1e-5)
    assert (set(ticks.reading.address[0].tolist()), set(ticks.reading.data[0].tolist())) == ({0}, {70})
    # r' was 1 at cell 0 when cell 1 was written: it follows it and was written from it, and cell 2 less so.
    assert memory.temporal[0, 1, 0] == memory.parent[0, 1, 0] == 1 and memory.temporal[0, 2, 0] == 0
    np.testing.assert_allclose(memory.parent[0, 2, :2], [share, 1 - share], rtol=1e-5)


def test_mechanisms_without_a_cell_have_no_vote_in_a_soft_mixture() -> None:
    """At the first tick there is nothing but content, so the word that was written is read as it is."""
    _, _, ticks = fed(SOFT, machines_of(SOFT, 5, write_gate=50, write_allocation=50))
    assert ticks.reading.addresses[:, 0].tolist() == [[0, -1, -1, -1, -1]] * MACHINES
    word = ticks.interface.write.word[:, 0]
    np.testing.assert_array_equal(ticks.reading.word[:, 0], np.where(word > 0, 1.0, -1.0))
    # At the second, cell 1 follows cell 0 and was written from it; nothing leads back.
    assert (ticks.reading.addresses[:, 1, 1:] == [1, -1, 1, -1]).all()


def test_shares_of_modes_are_those_of_the_mechanisms_that_vote() -> None:
    modes = np.array([0.5, -1.0, 80.0, 2.0, 200.0], np.float32)
    for voting in itertools.product((False, True), repeat=5):
        powers = [math.exp(float(mode) - 200) * votes for mode, votes in zip(modes, voting, strict=True)]
        expected = [power / sum(powers) for power in powers] if any(voting) else powers
        found = mode_shares(jnp.asarray(modes), jnp.asarray(voting))
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-30)


def test_an_empty_soft_memory_reads_nothing_as_the_hard_one_does() -> None:
    interface = jax.tree.map(lambda leaf: leaf[0, -1], fed(SOFT, machines_of(SOFT, 5))[2].interface)
    memory = initial_state(SOFT, jnp.int32(0), 7).memory
    after, reading = jax.jit(soft_read, static_argnums=2)(memory, interface.read, SOFT)
    assert (int(reading.address), reading.addresses.tolist()) == (-1, [-1] * 5)
    assert not np.any(reading.word) and not np.any(after.read)


def test_a_second_head_adds_rows_and_changes_no_others() -> None:
    one, two = MachineConfig(), MachineConfig(free_heads=2)
    assert (weight_count(one), weight_count(two)) == (1592, 1592 + 27 * 20)
    assert sum(block.rows for block in interface_blocks(one)) == 59
    key = jax.random.key(7)
    small, large = (initial_parameters(c, key=key).named_blocks(c) for c in (one, two))
    assert {name.split(".")[1] for name in large.keys() - small.keys()} == {"second"}
    for name, block in small.items():
        np.testing.assert_array_equal(large[name], block)
    assert not np.isin(large["interface.second.word.w"], large["interface.write.word.w"]).any()


@pytest.mark.parametrize("config", [TWO, SOFT], ids=["two", "soft"])
def test_unused_blocks_change_nothing_and_used_ones_do(config: MachineConfig) -> None:
    # The free heads write at each tick, so that no block is without effect by chance.
    gates = {"write_gate": 1.0} | ({"second_gate": 1.0} if config.free_heads == 2 else {})
    machines = machines_of(config, 3, **gates)

    def outcome(changed: str | None, seed: int = 0) -> list[np.ndarray]:
        noise = np.random.default_rng(seed)
        blocks = [dict(machine) for machine in machines]
        for machine in blocks if changed else []:
            for role in ("w", "b"):
                old = machine[f"{changed}.{role}"]
                machine[f"{changed}.{role}"] = old + 3 * noise.standard_normal(old.shape).astype(np.float32)
        _, states, ticks = fed(config, blocks)
        return jax.tree.leaves(jax.device_get((states, ticks.op, ticks.written, ticks.reading)))

    first, unused = outcome(None), unused_blocks(config)
    for block in interface_blocks(config):
        found = (outcome(block.name, seed) for seed in range(3))
        same = all(np.array_equal(a, b) for again in found for a, b in zip(first, again, strict=True))
        assert same == (block.name in unused), block.name


@pytest.mark.parametrize(
    "config", [MachineConfig(free_heads=2), MachineConfig(attention="soft")], ids=["two", "soft"]
)
def test_what_needs_addresses_and_one_free_head_refuses_the_others(config: MachineConfig) -> None:
    blocks = random_blocks(np.random.default_rng(0), config, 1.0)
    model = Model(Parameters.from_blocks(blocks, config), config, PLAN, {})
    found = prove(model)
    option = "free_heads = 2" if config.free_heads == 2 else "attention = soft"
    assert found == Undecided(f"unsupported options: {option}")
    task = free_task(3)
    attempts = (
        lambda: initial_state(config, jnp.int32(0), 8, indexed),
        lambda: Network(model),
        lambda: run(computer_for(model, world("free-tree")), problem_for(task), max_ticks=8),
    )
    for attempt in attempts:
        with pytest.raises(ConfigError, match=option) as caught:
            attempt()
        assert caught.value.code == "machine.ablation"


def test_files_of_machines_without_ablations_do_not_mention_them() -> None:
    assert not {"attention", "free_heads"} & MachineConfig().recorded().keys()
    assert SOFT.recorded()["attention"] == "soft" and TWO.recorded()["free_heads"] == 2
    for config in (MachineConfig(), SOFT, TWO, MachineConfig(attention="soft", free_heads=2, mix="sum")):
        assert MachineConfig.model_validate(config.recorded()) == config
        arrays = random_blocks(np.random.default_rng(1), config, 1.0)
        again = Parameters.from_blocks(arrays, config).named_blocks(config)
        assert all(np.array_equal(arrays[name], again[name]) for name in arrays)
