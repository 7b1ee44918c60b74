"""Tasks as graphs: plans that referees accept, costs and worlds that are refused; witnesses of answers."""

import json
from collections.abc import Callable

import numpy as np
import pytest

from nhc.domains.protocol import BRANCHING
from nhc.domains.registry import any_domain, make_domain
from nhc.domains.space import GraphTask
from nhc.domains.states import picked, plain
from nhc.errors import ConfigError, InputError
from nhc.planning.closed import Limits, explore
from nhc.planning.graph_tasks import graph_task
from nhc.planning.sample import task_at_node
from nhc.planning.witness import OwnRules, check_witness, witness_of
from nhc.tasks.files import parse_task
from nhc.tasks.planning import PlanningTask, world_task
from tests.domains.test_small import WORLD as FROGS
from tests.domains.test_spaces import HALL, ROOM

WORLDS = ("sokoban-6x6", "sokoban-permuted", "sliding-3x3", "stacking")
DEAD = "######\n#$  .#\n#    #\n# @  #\n#    #\n######\n"


def room() -> PlanningTask:
    return parse_task(ROOM.encode())


def walked(name: str, seed: int, steps: int = 25) -> PlanningTask:
    """From a random state to where random operations lead."""
    world, rng = make_domain(name), np.random.default_rng(seed)
    start = plain(picked(world.sample(rng, 1), 0))
    state = start
    for op in rng.integers(BRANCHING, size=steps).tolist():
        state = plain(world.step(state, op))
    return world_task(world, start, state, None)


def shortest(task: PlanningTask) -> int:
    """Depth of the goal by the world's own steps."""
    layer, seen, depth = [plain(task.start)], {plain(task.start)}, 0
    while not any(task.is_met(state) for state in layer):
        made = [plain(task.world.step(state, op)) for state in layer for op in range(BRANCHING)]
        layer = [*{state: None for state in made if state not in seen}]
        seen.update(layer)
        depth += 1
    return depth


WALKS = [(name, seed) for name in WORLDS for seed in range(3)]


@pytest.mark.parametrize("task", [room(), *(walked(*walk) for walk in WALKS)], ids=lambda task: task.task_id)
def test_plans_are_shortest_and_accepted(task: PlanningTask) -> None:
    graph = graph_task(task)
    found = explore(graph.space)
    assert found.goal is not None and not task.is_met(task.start)
    labels = found.labels_to(found.goal)
    assert len(labels) == shortest(task) > 0
    assert graph.plan_fault(labels) is None
    assert graph.plan_fault(labels[:-1]) is not None
    assert graph.plan_text(labels) == task.world.plan_text(task.start, labels)
    assert isinstance(graph, GraphTask) and graph.name == task.task_id


def test_a_world_of_ones_own_is_a_graph() -> None:
    world = any_domain(FROGS)
    task = world_task(world, world.state_from_json("rr.gg"), world.state_from_json("gg.rr"), "frogs")
    graph = graph_task(task)
    found = explore(graph.space)
    assert found.goal is not None and graph.plan_fault(found.labels_to(found.goal)) is None
    assert (graph.name, graph.unit) == ("frogs", "action")


@pytest.mark.parametrize("text", [ROOM, HALL])
def test_pushes_are_written_as_moves(text: str) -> None:
    graph = graph_task(parse_task(text.encode()), "pushes")
    found = explore(graph.space)
    assert found.goal is not None and graph.unit == "push"
    labels = found.labels_to(found.goal)
    assert sum(letter.isupper() for letter in graph.plan_text(labels)) == len(labels)
    assert graph.plan_fault(labels) is None
    assert "on no goal" in str(graph.plan_fault(labels[:-1]))
    assert "push 1" in str(graph.plan_fault(labels[::-1]))


@pytest.mark.parametrize(
    ("code", "attempt"),
    [
        ("graph.cost", lambda: graph_task(room(), "ticks")),
        ("graph.pushes", lambda: graph_task(walked("sliding-3x3", 0), "pushes")),
        ("graph.pushes", lambda: graph_task(walked("sokoban-6x6", 0), "pushes")),
        ("graph.world", lambda: graph_task(task_at_node(make_domain("free-tree"), 7, seed=0))),
    ],
)
def test_what_is_no_graph_is_refused(code: str, attempt: Callable[[], GraphTask]) -> None:
    with pytest.raises(ConfigError) as caught:
        attempt()
    assert caught.value.code == code


class Plain:
    """A task without rules of its own."""

    def __init__(self, graph: GraphTask) -> None:
        self.space, self.name, self.unit, self.plan_text = (
            graph.space,
            graph.name,
            graph.unit,
            graph.plan_text,
        )
        self.plan_fault = graph.plan_fault


def dead(cost: str) -> GraphTask:
    return graph_task(parse_task(DEAD.encode()), cost)


@pytest.mark.parametrize("cost", ["moves", "pushes"])
def test_witnesses_of_both_answers_are_accepted(cost: str) -> None:
    for graph in (graph_task(room(), cost), dead(cost)):
        found = explore(graph.space)
        witness = json.loads(json.dumps(witness_of(found)))
        assert isinstance(graph, OwnRules)
        assert check_witness(graph, witness) is None
        assert check_witness(Plain(graph), witness) is None
        assert (witness["labels"] is None) == (graph.name == dead(cost).name)


def test_a_wrong_witness_is_found_out() -> None:
    graph = graph_task(room(), "pushes")
    found = explore(graph.space)
    right = witness_of(found)
    labels, layers, digests = (right[key] for key in ("labels", "layers", "digests"))
    assert isinstance(labels, list) and isinstance(layers, list) and isinstance(digests, list)
    cut = {"layers": layers[:-1], "digests": digests[:-1]}
    wrong = {
        "depths before": {**right, **cut},
        "more states": {**right, **cut, "labels": None},
        "at depth 0": {**right, "layers": [2, *layers[1:]]},
        "at depth 1": {**right, "digests": [digests[0], digests[2], *digests[2:]]},
        "no action": {**right, "labels": [-1, *labels[1:]]},
        "does not end": {"labels": labels[:-1], **cut},
    }
    for fault, witness in wrong.items():
        assert fault in str(check_witness(graph, witness))
    whole = witness_of(explore(graph.space._replace(at_goal=never)))
    assert f"depth {len(labels)} is a goal" in str(check_witness(graph, whole))


@pytest.mark.parametrize("task", [walked("sliding-3x3", 5, 8), walked("stacking", 2, 12)])
def test_witnesses_in_other_worlds_are_checked_by_their_steps(task: PlanningTask) -> None:
    graph = graph_task(task)
    witness = witness_of(explore(graph.space))
    assert isinstance(graph, OwnRules)
    assert check_witness(graph, witness) is None and check_witness(Plain(graph), witness) is None


def never(facts: np.ndarray, state: np.ndarray) -> int:
    return 0


@pytest.mark.parametrize(
    "witness",
    [
        None,
        {},
        {"labels": [1.5], "layers": [1], "digests": [""]},
        {"labels": [True], "layers": [1], "digests": [""]},
        {"labels": 3, "layers": [1], "digests": [""]},
        {"labels": None, "layers": [1, 2], "digests": [""]},
        {"labels": None, "layers": [1], "digests": [b""]},
    ],
)
def test_what_is_no_witness_is_refused(witness: object) -> None:
    with pytest.raises(InputError, match=r"witness\.form"):
        check_witness(dead("moves"), witness)


def test_limits_of_witnesses() -> None:
    graph = dead("moves")
    with pytest.raises(ConfigError, match=r"witness\.open"):
        witness_of(explore(graph.space, Limits(generated=3)))
    with pytest.raises(InputError, match=r"witness\.states"):
        check_witness(graph, witness_of(explore(graph.space)), most_states=5)
