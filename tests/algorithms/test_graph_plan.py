"""GraphPlan: teacher, data side and specification, against searches with a dict and a queue."""

from collections import deque
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.algorithms.judge import Steps
from nhc.algorithms.protocol import FREE
from nhc.algorithms.tape import BLANK, END, NOTHING
from nhc.algorithms.traces import Traces, stacked, trace_of
from nhc.algorithms.tree.closed_list import SEEN_AT, ClosedList
from nhc.algorithms.tree.graph_plan import APPLIED, FED, GRAPH_PLAN, MADE, Graph
from nhc.domains.protocol import BRANCHING, NOP
from nhc.errors import ConfigError

SIZES = (1, 2, 3, 5, 8, 13)


def random_graph(rng: np.random.Generator, size: int, *, goal: bool = True) -> Graph:
    """Any children, so goals may be out of reach."""
    children = rng.integers(size, size=(size, BRANCHING))
    return Graph(children, int(rng.integers(1, size)) if goal and size > 1 else None)


def shortest(graph: Graph) -> list[tuple[int, ...]]:
    """All shortest paths from node 0 to the goal."""
    layer, seen = [(0,)], {0}
    while layer and graph.goal is not None:
        found = [path for path in layer if path[-1] == graph.goal]
        if found:
            return found
        layer = [(*path, int(child)) for path in layer for child in graph.children[path[-1]]]
        layer = [path for path in dict.fromkeys(layer) if path[-1] not in seen]
        seen |= {path[-1] for path in layer}
    return []


@pytest.mark.parametrize("size", SIZES)
def test_the_specification_is_the_first_of_the_shortest_paths(size: int) -> None:
    rng = np.random.default_rng(size)
    lengths = set()
    for _ in range(60):
        graph = random_graph(rng, size)
        paths = shortest(graph)
        ops = {path: [list(graph.children[a]).index(b) for a, b in pairwise(path)] for path in paths}
        assert GRAPH_PLAN.spec(graph) == min(paths, key=lambda path, ops=ops: ops[path], default=())
        lengths.add(len(GRAPH_PLAN.spec(graph)))
    assert lengths >= ({0, 2, 3} if size > 2 else {0})


@pytest.mark.parametrize("size", SIZES)
def test_the_teacher_leads_to_what_is_specified(size: int) -> None:
    """`trace_of` raises where the run along the teacher ends with anything else."""
    rng = np.random.default_rng(size)
    for goal in (True, False):
        for _ in range(30):
            graph = random_graph(rng, size, goal=goal)
            found, lessons = trace_of(GRAPH_PLAN, graph), GRAPH_PLAN.teacher(graph)
            assert found.length[0] == len(lessons)
            if not GRAPH_PLAN.spec(graph):
                assert lessons[-1].word is FREE
                reached = [lesson.word for lesson in lessons[:-1:BRANCHING]]
                assert len(lessons) == BRANCHING * len(reached) + 1
                assert set(reached) == reachable(graph)


def reachable(graph: Graph) -> set[int]:
    seen, queue = {0}, deque([0])
    while queue:
        new = {int(child) for child in graph.children[queue.popleft()]} - seen
        seen |= new
        queue.extend(new)
    return seen


def test_a_start_that_is_the_goal_has_a_path_of_one_node() -> None:
    graph = Graph(((0, 0, 0, 0),), 0)
    assert GRAPH_PLAN.spec(graph) == (0,)
    assert GRAPH_PLAN.teacher(graph) == [(NOP, 0)]
    side = GRAPH_PLAN.begin(graph)
    assert side.observe() == ((0.0, 1.0, 0.0), 0)
    side.act(NOP, 0)
    assert side.done and side.result == (0,)
    with pytest.raises(ConfigError, match="0 main ticks"):
        trace_of(GRAPH_PLAN, graph)


@pytest.mark.parametrize("size", SIZES)
def test_random_runs_are_answered_with_no_path_only_if_all_was_expanded(size: int) -> None:
    """Whatever control does, `()` is true; a stop or an operation done before is not `()` by itself."""
    rng, dry, early = np.random.default_rng(size), 0, 0
    for _ in range(60):
        graph = random_graph(rng, size, goal=bool(rng.integers(2)))
        side, fed, applied = GRAPH_PLAN.begin(graph), list[int](), set[tuple[int, int]]()
        while not side.done and len(fed) < 40 * size:
            fed.append(int(side.observe()[1]))
            new = [(node, op) for node in fed for op in range(BRANCHING) if (node, op) not in applied]
            if new and rng.random() < 0.97:
                node, op = new[rng.integers(len(new))]
            else:
                node, op = fed[rng.integers(len(fed))], int(rng.integers(BRANCHING + 1))
            side.act(op, node)
            applied.add((node, op))
        if not side.done:
            continue
        complete = reachable(graph) == {*fed} and graph.goal not in fed
        complete = complete and all((node, op) in applied for node in fed for op in range(BRANCHING))
        assert (side.result == ()) == complete
        if graph.goal in fed:
            assert all(node >= 0 for node in side.result)
        elif not complete:
            assert side.result == (BLANK,)
            early += 1
        dry += complete
        assert not complete or GRAPH_PLAN.spec(graph) == ()
    assert dry > 0 and (early > 0 or size == 1)


@pytest.mark.parametrize("op", range(BRANCHING + 1))
def test_nothing_but_a_dry_queue_is_told_as_dry(op: int) -> None:
    graph = Graph(((1, 0, 0, 0), (1, 1, 1, 1)), None)
    tape, registers = GRAPH_PLAN.load(graph)
    observe, act = GRAPH_PLAN.functions
    for node in (0, 1):
        for first in range(BRANCHING):
            observe(tape, registers)
            if first == BRANCHING - 1 and node:
                early = registers.copy()
                assert act(NOP, node, tape, early) == act(0, 0, tape, registers.copy()) == BLANK
            assert act(first, node, tape, registers) == NOTHING
    assert (registers[APPLIED], registers[MADE], registers[FED]) == (8, 2, 1)
    observe(tape, registers)
    assert act(op, 0, tape, registers) == END
    assert GRAPH_PLAN.answer((END,)) == () and GRAPH_PLAN.answer((BLANK,)) != ()


def test_the_seen_bit_tells_whether_a_node_was_fed_before() -> None:
    rng = np.random.default_rng(3)
    for size in SIZES:
        found = trace_of(GRAPH_PLAN, random_graph(rng, size))
        stored = found.stored[0].tolist()
        again = [word in stored[:tick] for tick, word in enumerate(stored)]
        assert found.signals[0, :, SEEN_AT].tolist() == again
        assert (found.signals[0, :, 0] + found.signals[0, :, 1] == 1).all()


def judged(
    judge: Steps, task: Traces, wrong_gate: int = -1, wrong_op: int = -1
) -> tuple[bool, int, int, int]:
    """Alive, main and bonus points and ticks of an episode that is the trace's, but for one tick."""
    row = jax.tree.map(lambda column: np.asarray(column)[0], task)
    side, ticks = judge.begin(row), 0
    for time in range(1, int(row.length) + 1):
        if not side.alive:
            break
        ticks, seen = time, row.signals[time - 1, SEEN_AT] > 0
        stores = seen if time == wrong_gate else not seen
        op = int(row.op[time - 1]) ^ (time == wrong_op)
        reading = Reading(jnp.int32(0), jnp.int32(row.word[time - 1]))
        tick = Played((jnp.int32(0 if stores else -1),), reading, jnp.int32(op))
        side = judge.environment(row, jnp.int32(time)).act(side, tick)
    return bool(side.alive), int(side.main), int(side.bonus), ticks


class Reading:
    """What a tick read."""

    def __init__(self, address: jax.Array, data: jax.Array) -> None:
        self.address, self.data = address, data


class Played:
    """What a judge looks at in a tick."""

    def __init__(self, written: tuple[jax.Array], reading: Reading, op: jax.Array) -> None:
        self.written, self.reading, self.op = jnp.stack(written), reading, op


LOOP = Graph(((0, 1, 0, 0), (0, 1, 2, 0), (3, 3, 3, 3), (3, 3, 3, 3)), 3)


def test_storing_wrongly_ends_an_episode_and_is_all_that_the_judge_adds() -> None:
    task = trace_of(GRAPH_PLAN, LOOP)
    length = int(task.length[0])
    most = ClosedList().most(task)
    assert judged(ClosedList(), task) == judged(Steps(), task)
    assert judged(ClosedList(), task)[1:3] == (most.main[0], most.bonus[0])
    for tick in range(1, length):
        assert judged(ClosedList(), task, wrong_gate=tick)[3] == tick
        assert judged(Steps(), task, wrong_gate=tick)[3] == length
        assert judged(ClosedList(), task, wrong_op=tick) == judged(Steps(), task, wrong_op=tick)
    assert {bool(seen) for seen in task.signals[0, :, SEEN_AT]} == {True, False}
    assert GRAPH_PLAN.judge("steps") == ClosedList()


def test_no_task_of_a_level_is_longer_than_said() -> None:
    rng = np.random.default_rng(0)
    for level in (1, 2, 4, 7, 20):
        graphs = [GRAPH_PLAN.sample(level, rng) for _ in range(20)]
        assert stacked(GRAPH_PLAN, graphs).longest <= GRAPH_PLAN.longest(level)
        for graph in graphs:
            queue = [lesson.word for lesson in GRAPH_PLAN.teacher(graph) if lesson.op == 0]
            made_of = [word for word in queue if graph.goal in graph.children[word]]
            assert len(queue) == level and made_of == [queue[-1]]
    chain = Graph(((1, 0, 0, 0), (2, 1, 1, 1), (2, 2, 2, 3), (3, 3, 3, 3)), 3)
    assert len(GRAPH_PLAN.teacher(chain)) == GRAPH_PLAN.longest(3)
