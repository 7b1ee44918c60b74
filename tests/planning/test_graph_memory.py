"""Graph search stays within its memory, control included."""

import pytest

from nhc.domains.space import GraphTask
from nhc.model import load_model
from nhc.planning.closed import explore
from nhc.planning.graph_search import (
    MEMORY_FOR_DATA,
    NODE_BYTES,
    Ending,
    controlled,
    memory_for_control,
    solve_graph,
)
from nhc.planning.graph_tasks import graph_task
from nhc.planning.known_graph import known_graph, most_nodes
from nhc.tasks.files import parse_task, puzzle_task

LEVEL = "########\n#  #  .#\n#   $  #\n#  #   #\n# $  @ #\n#.    ##\n########\n"
PUZZLE = "8 6 7 2 5 4 3 0 1"


def tasks() -> list[GraphTask]:
    level = parse_task(LEVEL.encode())
    return [graph_task(level), graph_task(level, "pushes"), graph_task(puzzle_task(PUZZLE))]


def test_nodes_are_no_more_than_counted_before() -> None:
    for task in tasks():
        explored = explore(task.space)
        graph = known_graph(explored)
        _, nodes = most_nodes(explored)
        assert len(explored.states) <= len(graph.states) <= nodes


def test_what_control_holds_is_counted() -> None:
    task = tasks()[2]
    explored = explore(task.space)
    graph = known_graph(explored)
    held = [explored.states, explored.offsets, explored.successors, graph.children, graph.states]
    registers, cells = 2 * 8 * len(graph.states), 17 * len(graph.states)
    assert sum(array.nbytes for array in held) + registers + cells < memory_for_control(explored)
    assert memory_for_control(explored) < 2 * NODE_BYTES * len(graph.states)


def test_a_graph_that_leaves_control_no_room_is_no_answer() -> None:
    model, task = load_model("zoo:graph-plan"), tasks()[2]
    needed = memory_for_control(explore(task.space))
    short = solve_graph(model, task, memory=needed - 1)
    assert (short.ending, short.fault) == (Ending.BUDGET, "the limit of memory was reached")
    assert short.states == 181_440 and short.ticks == 0
    enough = solve_graph(model, task, memory=needed)
    assert (enough.ending, len(enough.labels)) == (Ending.SOLVED, 31)
    assert 0 < MEMORY_FOR_DATA < 1


@pytest.mark.parametrize("engine", ["program", "network"])
def test_control_that_has_run_before_answers_the_same(engine: str) -> None:
    model, graph = load_model("zoo:graph-plan"), known_graph(explore(tasks()[1].space))
    again = load_model("zoo:graph-plan")
    first = controlled(model, graph, engine)
    assert first == controlled(model, graph, engine) == controlled(again, graph, engine)
