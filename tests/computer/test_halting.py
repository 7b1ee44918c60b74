"""When runs end: the rule by itself, and hand-made machines with faults against the plain machine."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.algorithms.tree.environment import Status, TreeEnvironment, TreeSide
from nhc.domains.free_tree import LAST_NODE
from nhc.domains.protocol import NOP, OPS
from nhc.machine.state import initial_state
from nhc.machine.tick import Tick, jitted_tick
from nhc.shapes import Address, Count, Flag
from tests.computer.machines import ALGORITHMS, TREES, free_task, hand_made, model_of, oracle_run, traced
from tests.oracles.free_tree import breadth_first_weights
from tests.oracles.teacher import FAULTS, damaged, search_weights

GAP = 1e-5
LIMIT = 40
NAMES = {
    "running": Status.RUNNING,
    "finished": Status.FINISHED,
    "stopped without goal": Status.STOPPED_WITHOUT_GOAL,
    "nothing in memory": Status.NOTHING_IN_MEMORY,
}


@pytest.fixture(scope="module")
def some_tick() -> Tick:
    model = hand_made()
    state = initial_state(model.config, jnp.int32(0), 4)
    return jitted_tick(model.parameters, model.config, state, jnp.int32(0), jnp.zeros(3))[1]


class Scripted(eqx.Module):
    """Words of which all are the start, or none."""

    is_start: Flag

    def start(self) -> Count:
        return jnp.int32(0)

    def packed(self, word: Count) -> Count:
        return word

    def at_goal(self, word: Count) -> Flag:
        raise AssertionError("the goal is compared before the tick")

    def at_start(self, word: Count) -> Flag:
        assert word.shape == ()
        return self.is_start

    def applied(self, op: Address, stored: Count) -> Count:
        return 10 * stored + op


def number_of(word: np.ndarray) -> int:
    """The number that a free tree's word spells, lowest bit first."""
    return sum(int(bit) << place for place, bit in enumerate(word))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("met", [False, True])
@pytest.mark.parametrize("at_start", [False, True])
def test_the_rule(some_tick: Tick, algorithm: str, met: bool, at_start: bool) -> None:
    for op in range(len(OPS)):
        for address in (-1, 0, 3):
            tick = eqx.tree_at(
                lambda t: (t.op, t.reading.address, t.reading.data, t.signals),
                some_tick,
                (jnp.int32(op), jnp.int32(address), jnp.int32(7), jnp.array([1.0 - met, met, 0.0])),
            )
            if address < 0:
                expected = Status.NOTHING_IN_MEMORY
            elif met and (at_start if algorithm == "plan" else op == NOP):
                expected = Status.FINISHED
            elif op == NOP and not met:
                expected = Status.STOPPED_WITHOUT_GOAL
            else:
                expected = Status.RUNNING
            tree = TREES[algorithm]
            environment = TreeEnvironment(Scripted(jnp.bool_(at_start)), len(tree.signals), tree.backtracks)
            before = TreeSide(jnp.int32(3), jnp.float32(0), jnp.int32(Status.RUNNING))
            after = environment.act(before, tick)
            assert int(after.status) == expected, (op, address)
            assert (int(after.word), float(after.second), bool(after.met)) == (70 + op, met, met)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_runs_and_ends_like_the_plain_machine(fault: str, algorithm: str) -> None:
    """On the free tree, for goals at several depths: operations, addresses, nodes and the ending."""
    weights = damaged(fault)
    if algorithm == "search":
        weights = search_weights(weights)
    for goal in (1, 4, 6, 20, 22):
        ticks, fed, ending = oracle_run(weights, goal.__eq__, LIMIT, algorithm)
        small = [number for number, tick in enumerate(ticks) if tick.gap < GAP]
        trace = traced(hand_made(algorithm, fault), free_task(goal))
        upto = min(small[0] if small else len(ticks), LIMIT)
        assert trace.op[:upto].tolist() == [tick.op for tick in ticks[:upto]]
        assert trace.read[:upto].tolist() == [tick.read for tick in ticks[:upto]]
        # Numbers saturate on the free tree, but not in the plain machine's world.
        nodes = [min(tick.data_read, LAST_NODE) for tick in ticks[:upto]]
        assert [number_of(word) for word in trace.data[:upto]] == nodes
        if not small and ending != "running":
            assert (trace.ticks, trace.status) == (len(ticks), NAMES[ending])
            assert trace.met.tolist() == [goal in fed[: t + 1] for t in range(len(ticks))]


def test_the_faults_show_every_ending() -> None:
    """The comparison above is worth something: among its runs all endings of a machine that writes occur."""
    goals = (6, 22)
    found = {(f, oracle_run(damaged(f), goal.__eq__, LIMIT)[2]) for f in FAULTS for goal in goals}
    assert {ending for _, ending in found} == {"running", "finished", "stopped without goal"}
    assert ("none", "finished") in found


def test_search_ends_at_its_first_nop_and_plan_at_the_start() -> None:
    search, plan = (traced(hand_made(name), free_task(22)) for name in ("search", "plan"))
    assert search.ticks == 23
    assert search.op.tolist() == [t % 4 for t in range(22)] + [NOP]
    assert plan.ticks == 22 + 1 + 3
    assert plan.op.tolist() == [t % 4 for t in range(22)] + [NOP] * 4
    assert plan.read[22:].tolist() == [22, 5, 1, 0]
    assert (search.status, plan.status) == (Status.FINISHED, Status.FINISHED)


def test_plan_does_not_end_at_the_start_before_the_goal_was_met() -> None:
    """Every search begins at the start; and reading it again without the goal ends nothing."""
    trace = traced(hand_made("plan", "stays at start"), free_task(10))
    assert trace.status == Status.RUNNING
    assert not trace.met.any()
    assert set(trace.read.tolist()) == {0}


def test_a_nop_before_the_goal_stops_without_it() -> None:
    trace = traced(hand_made("plan", "stops at 2"), free_task(22))
    assert trace.status == Status.STOPPED_WITHOUT_GOAL
    assert (trace.op == NOP).tolist() == [False] * (trace.ticks - 1) + [True]
    assert trace.ticks < 22


def test_with_nothing_in_memory_a_run_ends_at_once() -> None:
    weights = breadth_first_weights()
    weights["interface.write.gate.b"][:] = -1
    model = model_of(weights, write_gate="learned")
    trace = traced(model, free_task(6))
    assert (trace.status, trace.ticks) == (Status.NOTHING_IN_MEMORY, 1)
    assert (trace.read.tolist(), trace.written.tolist()) == ([-1], [-1])
    assert trace.addresses.tolist() == [[-1] * 5]


def test_running_out_of_ticks_is_no_ending() -> None:
    trace = traced(hand_made("plan", "never nop"), free_task(6))
    assert (trace.status, trace.ticks) == (Status.RUNNING, 100)
