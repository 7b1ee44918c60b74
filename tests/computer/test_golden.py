"""Golden runs of the shipped machines: what each did on every tick of one task of Level 3.

Trained anew, a machine may do the same in another way; then the file is written again, by
`python -m tests.computer.test_golden`, and the change read.
"""

import json
from pathlib import Path

import pytest

from nhc.algorithms.tree.environment import Status
from nhc.planning.sample import task_at_node
from nhc.runs.trace import Trace
from tests.computer.machines import free_task, traced, world, zoo

FOLDER = Path(__file__).parent.parent / "golden"
GOAL = 12
NAMES = ("plan", "search")


def summary(trace: Trace) -> dict[str, object]:
    """The run in numbers and signs."""
    words = ["".join("+" if value > 0 else "-" for value in word) for word in trace.word]
    columns = {"op": trace.op, "read": trace.read, "winner": trace.winner}
    return {**{name: column.tolist() for name, column in columns.items()}, "word": words}


def golden_file(name: str) -> Path:
    return FOLDER / f"trace-{name}.json"


@pytest.mark.parametrize("name", NAMES)
def test_the_run_is_the_golden_one(name: str) -> None:
    golden = json.loads(golden_file(name).read_text())
    trace = traced(zoo(name), free_task(GOAL))
    assert golden["model"] == zoo(name).hash
    assert summary(trace) == golden["ticks"]
    assert trace.ticks == {"plan": 15, "search": 13}[name]
    assert trace.status == Status.FINISHED


@pytest.mark.parametrize("name", NAMES)
def test_sokoban_shows_the_same_run(name: str) -> None:
    """Control never sees data, so the run to a goal at one node is one and the same in every world."""
    golden = json.loads(golden_file(name).read_text())
    for seed in range(3):
        trace = traced(zoo(name), task_at_node(world("sokoban-6x6"), GOAL, seed=seed))
        assert summary(trace) == golden["ticks"]


if __name__ == "__main__":
    for each in NAMES:
        ticks = summary(traced(zoo(each), free_task(GOAL)))
        content = {"model": zoo(each).hash, "goal": GOAL, "ticks": ticks}
        golden_file(each).write_text(json.dumps(content) + "\n")
