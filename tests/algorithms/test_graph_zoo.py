"""The machine that ships for graph search: a golden run, and the same run in every world.

Trained anew it may do the same in another way; then the file is written again, by
`python -m tests.algorithms.test_graph_zoo`, and the change read.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from nhc.algorithms.tree.graph_plan import GRAPH_PLAN, Graph
from nhc.computer.hosted import execute, measure
from tests.computer.machines import zoo
from tests.computer.test_golden import summary

FILE = Path(__file__).parent.parent / "golden" / "trace-graph-plan.json"
FOUND = Graph(((0, 1, 0, 2), (0, 1, 3, 2), (2, 4, 4, 0), (3, 3, 3, 3), (1, 2, 5, 4), (5, 5, 5, 5)), 5)
"""Some children are new, some were seen; the goal is made by the third operation on the last of its queue."""
DRY = Graph(((0, 1, 0, 0), (2, 0, 1, 2), (2, 2, 2, 0)), None)
RUNS = {"found": FOUND, "dry": DRY}


def ticks_of(graph: Graph) -> dict[str, object]:
    trace = execute(zoo("graph-plan"), graph, keep=True).trace
    assert trace is not None
    return {**summary(trace), "stored": trace.written.tolist()}


@pytest.mark.parametrize("name", RUNS)
def test_the_run_is_the_golden_one(name: str) -> None:
    golden, graph = json.loads(FILE.read_text()), RUNS[name]
    assert golden["model"] == zoo("graph-plan").hash
    assert ticks_of(graph) == golden[name]
    lessons = GRAPH_PLAN.teacher(graph)
    assert golden[name]["op"][:-1] == [lesson.op for lesson in lessons[:-1]]
    assert len(golden[name]["op"]) == len(lessons)


@pytest.mark.parametrize("name", RUNS)
def test_control_sees_no_numbers(name: str) -> None:
    """Nodes with other numbers are the same run: control never sees data."""
    graph, rng = RUNS[name], np.random.default_rng(5)
    size = len(graph.children)
    number = np.array([0, *(1 + rng.permutation(size - 1))])
    children = np.empty((size, 4), np.int64)
    children[number] = number[np.array(graph.children)]
    other = Graph(children, None if graph.goal is None else int(number[graph.goal]))
    assert ticks_of(other) == ticks_of(graph)


def test_it_is_right_beyond_the_levels_that_it_was_trained_on() -> None:
    found = measure(zoo("graph-plan"), 45, instances=4, seed=2)
    assert (found.failures, found.instances) == (0, 4) and found.ticks > 4 * 44 * 4


if __name__ == "__main__":
    FILE.write_text(
        json.dumps(
            {"model": zoo("graph-plan").hash, **{name: ticks_of(graph) for name, graph in RUNS.items()}}
        )
        + "\n"
    )
