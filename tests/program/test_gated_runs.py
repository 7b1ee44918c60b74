"""Runs of machines that may store nothing: compiled loop, network and plain memory do the same."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from nhc.algorithms.tree.graph_plan import GRAPH_PLAN, Graph
from nhc.computer.hosted import execute
from nhc.computer.sequences import tape_algorithm
from nhc.machine.parameters import Parameters
from nhc.model import Model
from nhc.program.compiled import USAGE_FORWARD
from nhc.program.control import Control, Shown
from nhc.program.data_engine import run_data
from nhc.program.memory import Pace, memory_bytes
from nhc.program.rules import PlainTick, plain_run
from nhc.shapes import NONE
from tests.computer.machines import zoo
from tests.computer.sequence_machines import random_machine
from tests.program.test_data_engine import PACES, TICKS, agree, checksum_of, ran

NAMES = ("copy", "brackets", "recall", "graph-plan")


@cache
def gated(name: str, seed: int, *, begins: bool = True, linked: bool = False) -> Model:
    """Random weights; those of the gate have no bias, and the sign with which the first tick stores."""
    model = random_machine(name, seed, write_gate="learned")
    blocks = {key: np.array(block) for key, block in model.parameters.named_blocks(model.config).items()}
    blocks["interface.write.gate.b"][:] = 0.0
    if linked:
        blocks["interface.read.modes.b"][USAGE_FORWARD] += 90.0
    first = int(tape_algorithm(model).begin(instance_for(model, 2, np.random.default_rng(0))).observe()[0][0])
    for _ in range(2):
        made = replace(model, parameters=Parameters.from_blocks(blocks, model.config))
        if (Control(made.parameters, made.config).decided(Shown(first, NONE, NONE)).fresh != NONE) == begins:
            return made
        blocks["interface.write.gate.w"] *= -1
    raise AssertionError


def instance_for(model: Model, size: int, rng: np.random.Generator) -> object:
    if model.algorithm.name == "graph-plan":
        return GRAPH_PLAN.sample(size, rng)
    return tape_algorithm(model).random(size, rng)


def alike(model: Model, instance: object, pace: Pace) -> list[PlainTick]:
    """The ticks, after loop, network and plain memory agreed on them."""
    made, control = agree(model, instance, pace), Control(model.parameters, model.config)
    ticks = plain_run(control, tape_algorithm(model), instance, TICKS)
    assert len(ticks) == made.ticks
    assert checksum_of((tick.address, tick.op) for tick in ticks) == made.checksum
    return ticks


def stores(model: Model, ticks: list[PlainTick]) -> list[bool]:
    control = Control(model.parameters, model.config)
    return [control.decided(tick.shown).fresh != NONE for tick in ticks]


@pytest.mark.parametrize("name", NAMES)
def test_random_machines_with_a_gate_run_alike(name: str) -> None:
    rng, shut, opened = np.random.default_rng(8), 0, 0
    for seed in range(2):
        model = gated(name, seed)
        for size, pace in zip((3, 9), PACES[1:], strict=True):
            ticks = alike(model, instance_for(model, size, rng), pace)
            kept = stores(model, ticks)
            shut, opened = shut + kept.count(False), opened + kept.count(True)
    assert shut > 2 and opened > 2


def test_usage_links_forward_are_followed_where_nothing_is_stored() -> None:
    """They lead to the cell that was written last while the cell was the one read last, or nowhere."""
    rng, jumps = np.random.default_rng(4), set[int]()
    for seed in range(6):
        model = gated("copy", seed, linked=True)
        ticks = alike(model, instance_for(model, 12, rng), PACES[1])
        kept = stores(model, ticks)
        for before, tick, stored in zip(ticks, ticks[1:], kept[1:], strict=False):
            if tick.mechanism == USAGE_FORWARD and not stored:
                jumps.add(tick.address - before.address)
    assert 1 in jumps and len(jumps) > 1


def test_a_machine_that_begins_by_storing_nothing_has_nothing_to_read() -> None:
    rng = np.random.default_rng(1)
    for name in NAMES:
        model = gated(name, 0, begins=False)
        instance, algorithm = instance_for(model, 3, rng), tape_algorithm(model)
        made, executed = ran(model, instance), execute(model, instance, max_ticks=TICKS, keep=True)
        assert (made.ended, made.ticks, len(made.output)) == (False, 0, 0)
        assert (executed.ended, executed.ticks, executed.trace) == (False, 1, None)
        assert plain_run(Control(model.parameters, model.config), algorithm, instance, TICKS) == []


def loops(size: int) -> Graph:
    """Operations lead back most of the time, so most ticks store nothing."""
    children = np.arange(size)[:, None] - np.array([[1, 0, 2, -1]])
    return Graph(np.clip(children, 0, size - 1), size - 1)


@pytest.mark.parametrize("pace", PACES)
def test_the_machine_that_ships_runs_alike(pace: Pace) -> None:
    rng, model = np.random.default_rng(2), zoo("graph-plan")
    graphs = [GRAPH_PLAN.sample(level, rng) for level in (1, 3, 6)]
    for graph in [*graphs, loops(9), loops(9)._replace(goal=None)]:
        ticks = alike(model, graph, pace)
        made = run_data(Control(model.parameters, model.config), GRAPH_PLAN.functions, GRAPH_PLAN.load(graph))
        assert GRAPH_PLAN.answer(tuple(made.output.tolist())) == GRAPH_PLAN.spec(graph)
        assert made.ticks == len(GRAPH_PLAN.teacher(graph)) and len(ticks) <= made.ticks
    assert False in stores(model, ticks)


def test_cells_are_stored_for_nodes_alone() -> None:
    """A long search of few nodes takes little memory: its ticks store nothing."""
    model, size = zoo("graph-plan"), 700
    graph = loops(size)
    control = Control(model.parameters, model.config)
    each = memory_bytes(control.tables, np.int64) + 8
    for cells, ended in ((3 * size, True), (size // 2, False)):
        made = run_data(control, GRAPH_PLAN.functions, GRAPH_PLAN.load(graph), max_memory=cells * each)
        assert made.ended == ended
    assert made.ticks > cells


def test_output_counts_as_memory_where_nothing_is_stored() -> None:
    """Copiers that write at every tick, but do not store a word at each."""
    rng, most = np.random.default_rng(1), 30
    longer = 0
    for seed in range(6):
        model = gated("copy", seed)
        blocks = {key: np.array(block) for key, block in model.parameters.named_blocks(model.config).items()}
        blocks["transform_c.b"][:] = [-100, 100, -100]
        model = replace(model, parameters=Parameters.from_blocks(blocks, model.config))
        each = memory_bytes(Control(model.parameters, model.config).tables, np.int64) + 8
        instance, control = instance_for(model, 5, rng), Control(model.parameters, model.config)
        made = ran(model, instance, Pace(3, 7), max_memory=most * each, max_ticks=900)
        assert not made.ended and 0 < len(made.output) <= most
        ticks = plain_run(control, tape_algorithm(model), instance, made.ticks)
        longer += len(made.output) > max(tick.address for tick in ticks) + 1
    assert longer > 1
