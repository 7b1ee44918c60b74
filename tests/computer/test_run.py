"""Long runs: the same as traces, whatever chunk, capacity and kind of lookup; and what a tick costs."""

from collections.abc import Iterator
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.algorithms.tree.environment import Status
from nhc.algorithms.tree.nodes import path
from nhc.computer import run as module
from nhc.computer.run import bytes_per_tick, run
from nhc.domains.protocol import NOP
from nhc.errors import ConfigError
from nhc.machine.memory.cells import Memory
from nhc.machine.state import indexed, initial_state, scanned
from nhc.model import Model
from nhc.planning.sample import far_task, task_of_level
from nhc.planning.states import decoded_states, problem_for
from nhc.tasks.planning import PlanningTask
from tests.computer.machines import (
    RUN_TICKS,
    TRACE_TICKS,
    computer,
    free_task,
    hand_made,
    model_of,
    ran,
    traced,
    world,
    zoo,
)
from tests.oracles.machine import random_weights

SIX = "sokoban-6x6"


@cache
def level_task(level: int) -> PlanningTask:
    return task_of_level(world(SIX), level, seed=level)


def assert_same(model: Model, task: PlanningTask) -> None:
    trace = traced(model, task)
    outcome = ran(model, task, TRACE_TICKS if trace.status == Status.RUNNING else RUN_TICKS)
    assert (outcome.status, outcome.ticks) == (trace.status, trace.ticks)
    met = np.flatnonzero(trace.met)
    assert outcome.met_at == (int(met[0]) + 1 if len(met) else None)
    assert outcome.emitted.tolist() == trace.data[trace.met].tolist()


@pytest.mark.parametrize("name", ["plan", "search"])
@pytest.mark.parametrize("level", [1, 3, 14, 21])
def test_a_run_is_its_trace(name: str, level: int) -> None:
    assert_same(zoo(name), level_task(level))


@pytest.mark.parametrize("fault", ["none", "stops at 2", "no way back"])
def test_runs_of_hand_made_machines_are_their_traces(fault: str) -> None:
    assert_same(hand_made("plan", fault), free_task(4))
    assert_same(hand_made("plan", fault), free_task(22))


def test_a_run_tells_when_the_goal_was_met_and_what_it_emitted() -> None:
    outcome = ran(zoo("plan"), free_task(12))
    assert (outcome.status, outcome.ticks, outcome.met_at) == (Status.FINISHED, 15, 13)
    nodes = [int(state[0]) for state in decoded_states(world("free-tree"), outcome.emitted)]
    assert nodes == [12, 2, 0] == path(12)


def test_a_budget_ends_a_run_on_its_tick() -> None:
    task = free_task(2000)
    for budget in (1, 2, 13):
        outcome = run(computer(zoo("plan"), world("free-tree")), problem_for(task), max_ticks=budget)
        assert (outcome.status, outcome.ticks, outcome.met_at) == (Status.RUNNING, budget, None)
        assert outcome.emitted.shape == (0, 32)


def test_a_budget_that_ends_on_the_way_back() -> None:
    """15 ticks are needed: with 14 the run is cut off, having emitted two of three words."""
    made = computer(zoo("plan"), world("free-tree"))
    cut = run(made, problem_for(free_task(12)), max_ticks=14)
    assert (cut.status, cut.ticks, cut.met_at, len(cut.emitted)) == (Status.RUNNING, 14, 13, 2)
    whole = run(made, problem_for(free_task(12)), max_ticks=15)
    assert (whole.status, whole.ticks, len(whole.emitted)) == (Status.FINISHED, 15, 3)


@pytest.fixture
def small_memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Chunks and capacities that no other run has, so that they are compiled with these."""
    monkeypatch.setattr(module, "CHUNK", 11)
    monkeypatch.setattr(module, "FIRST_CAPACITY", 6)
    monkeypatch.setattr(module, "GROWTH", 10)
    yield


def test_no_result_depends_on_chunk_or_capacity(small_memory: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory grows from 6 over 60 to 600 cells, in chunks of at most 11 ticks."""
    model, task = zoo("plan"), free_task(203)
    sizes: list[int] = []
    grown = Memory.grown

    def note_grown(memory: Memory, capacity: int) -> Memory:
        assert int(memory.count) == memory.capacity, "memory grows when it is full, not before"
        sizes.append(capacity)
        return grown(memory, capacity)

    monkeypatch.setattr(Memory, "grown", note_grown)
    told: list[int] = []
    made = computer(model, world("free-tree"))
    small = run(made, problem_for(task), max_ticks=RUN_TICKS, on_progress=told.append)
    assert sizes == [60, 600]
    assert told[-1] == small.ticks == 203 + 1 + 4
    assert (np.diff([0, *told]) <= 11).all() and (np.diff([0, *told]) > 0).all()
    monkeypatch.undo()
    usual = ran(model, task)
    assert (small.status, small.ticks, small.met_at) == (usual.status, usual.ticks, usual.met_at)
    assert small.emitted.tolist() == usual.emitted.tolist()


def test_lookup_through_the_index_is_lookup_by_scanning() -> None:
    """Runs look words up through an index, traces scan.

    Where the goal is the start, every word read is emitted; and on the free tree that tells the cell.
    """
    rng = np.random.default_rng(4)
    lengths = []
    for number in range(24):
        model = model_of(random_weights(rng, 3, (0.1, 0.3, 1.0, 2.0)[number % 4]))
        found = traced(model, free_task(0))
        outcome = ran(model, free_task(0), TRACE_TICKS)
        assert (outcome.status, outcome.ticks) == (found.status, found.ticks)
        assert outcome.emitted.tolist() == found.data.tolist()
        lengths.append(found.ticks)
    assert sum(length == TRACE_TICKS for length in lengths) >= 5


def test_linear_words_cannot_be_indexed_and_are_scanned() -> None:
    model = model_of(random_weights(np.random.default_rng(2), 3, 1.0), words="real", mix="sum")
    with pytest.raises(ConfigError) as caught:
        initial_state(model.config, jnp.int32(0), 4, indexed)
    assert caught.value.code == "machine.index"
    found, outcome = traced(model, free_task(0)), ran(model, free_task(0), TRACE_TICKS)
    assert (outcome.status, outcome.ticks) == (found.status, found.ticks)
    assert outcome.emitted.tolist() == found.data.tolist()


@pytest.mark.parametrize("name", [SIX, "sokoban-8x8", "free-tree"])
@pytest.mark.parametrize("words", ["bits", "real"])
def test_a_tick_takes_the_memory_that_is_said(name: str, words: str) -> None:
    """Counted from the arrays themselves, at two capacities: what does not grow falls out."""
    made = computer(hand_made(words=words), world(name))
    start = jnp.zeros(made.modules.word_bits, jnp.uint8)
    sizes = []
    for capacity in (1000, 3000):
        store = indexed if words == "bits" else scanned
        state = initial_state(made.config, jnp.packbits(start), capacity, store)
        sizes.append(sum(leaf.nbytes for leaf in jax.tree.leaves(state)))
    assert bytes_per_tick(made) == (sizes[1] - sizes[0]) / 2000


def test_twenty_thousand_ticks_on_the_free_tree() -> None:
    outcome = ran(zoo("plan"), free_task(19_990))
    nodes = [int(state[0]) for state in decoded_states(world("free-tree"), outcome.emitted)]
    assert nodes == path(19_990)
    assert (outcome.status, outcome.ticks, outcome.met_at) == (Status.FINISHED, 19_990 + 1 + 7, 19_991)


def test_twenty_thousand_ticks_of_sokoban() -> None:
    task = far_task(world(SIX), 20_000, seed=2)
    node = int(task.title.split("node ")[1].split(",")[0])
    assert 10_000 < node <= 20_000
    outcome = ran(zoo("plan"), task)
    way = path(node)
    assert (outcome.status, outcome.ticks, outcome.met_at) == (Status.FINISHED, node + len(way), node + 1)
    state, states = task.start, [task.start]
    for op in [(below - 1) % 4 for below in reversed(way[:-1])]:
        state = world(SIX).step(state, op)
        states.append(state)
    assert decoded_states(world(SIX), outcome.emitted) == states[::-1]
    assert states[-1] == task.goal


def test_search_stops_on_the_tick_after_the_goal_also_far_away() -> None:
    outcome = ran(zoo("search"), level_task(21))
    trace_of = traced(zoo("search"), level_task(21))
    assert outcome.ticks == trace_of.ticks == outcome.met_at
    assert trace_of.op[-1] == NOP
