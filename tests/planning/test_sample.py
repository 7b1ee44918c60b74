"""Sampled tasks: their goals stand where they are said to, and nowhere before."""

import numpy as np
import pytest

from nhc.domains.registry import AnyDomain, AnyState
from nhc.domains.sokoban.world import Sokoban
from nhc.domains.states import picked
from nhc.errors import InputError
from nhc.planning.sample import far_task, first_nodes, task_at_node, task_of_level
from nhc.tasks.planning import PlanningTask
from tests.computer.machines import world
from tests.domains.sokoban.sokoban_twin import from_grid, slow_step, to_grid
from tests.oracles.teacher import grow

SIX, FREE = "sokoban-6x6", "free-tree"


def literal_first_nodes(domain: AnyDomain, start: AnyState, last: int) -> dict[AnyState, int]:
    """Grow the whole tree by a slow twin of the rules and note where each configuration comes first."""

    def twin(state: AnyState, op: int) -> AnyState:
        if isinstance(domain, Sokoban):
            return from_grid(slow_step(to_grid(domain.board, state), op))
        return type(state)(4 * state[0] + 1 + op)

    first: dict[AnyState, int] = {}
    for node, state in enumerate(grow(twin, start, last + 1).configurations):
        first.setdefault(state, node)
    return first


def plain_ints(state: AnyState) -> AnyState:
    return type(state)(*map(int, state))


def node_in(task: PlanningTask) -> int:
    """The node that the title tells."""
    return int(task.title.split("node ")[1].split(",")[0])


@pytest.mark.parametrize(("name", "last"), [(SIX, 0), (SIX, 3), (SIX, 250), (FREE, 101)])
def test_first_nodes_are_those_of_the_tree_that_is_grown_literally(name: str, last: int) -> None:
    domain, rng = world(name), np.random.default_rng(last)
    starts = domain.sample(rng, 4)
    for row in range(4 if name == SIX else 1):
        start = plain_ints(picked(starts, row))
        assert first_nodes(domain, start, last) == literal_first_nodes(domain, start, last)


def test_many_nodes_repeat_earlier_ones_in_sokoban_and_none_does_on_the_free_tree() -> None:
    domain = world(SIX)
    start = plain_ints(picked(domain.sample(np.random.default_rng(0), 1), 0))
    assert len(first_nodes(domain, start, 1000)) < 500
    free = world(FREE)
    assert (
        len(first_nodes(free, plain_ints(picked(free.sample(np.random.default_rng(0), 1), 0)), 1000)) == 1001
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_goal_of_a_far_task_is_met_last_of_all(seed: int) -> None:
    domain = world(SIX)
    task = far_task(domain, 300, seed=seed)
    first = literal_first_nodes(domain, plain_ints(task.start), 300)
    assert first[plain_ints(task.goal)] == max(first.values()) == node_in(task)
    assert 150 < node_in(task) <= 300
    assert far_task(domain, 300, seed=seed) == task
    assert far_task(domain, 300, seed=seed + 100).start != task.start


def test_worlds_that_are_too_small_for_a_far_goal_are_drawn_again() -> None:
    """Among so many seeds some draw a cramped world first."""
    domain, again = world(SIX), 0
    for seed in range(60):
        task = far_task(domain, 100, seed=seed)
        assert node_in(task) > 50
        drawn = plain_ints(picked(domain.sample(np.random.default_rng([seed, 100]), 1), 0))
        again += drawn != task.start
    assert again > 0


@pytest.mark.parametrize("node", [1, 6, 12, 84, 200])
def test_the_goal_of_a_task_at_a_node_is_met_there(node: int) -> None:
    domain = world(SIX)
    task = task_at_node(domain, node, seed=3)
    first = literal_first_nodes(domain, plain_ints(task.start), node)
    assert first[plain_ints(task.goal)] == node == node_in(task)
    assert (task.world.name, task.board) == (SIX, domain.board)
    assert task_at_node(domain, node, seed=3) == task
    assert task_at_node(domain, node, seed=4).start != task.start


def test_a_node_that_can_be_no_goal_is_not_searched_for_ever() -> None:
    """Up, down, up leads nowhere that up did not lead to: node 29 never is the first of its kind."""
    with pytest.raises(InputError) as caught:
        task_at_node(world(SIX), 29, seed=0, worlds=2_000)
    assert caught.value.code == "task.node"
    assert "none of 2,000 drawn worlds" in caught.value.message


@pytest.mark.parametrize("level", [1, 2, 7, 21])
def test_the_goal_of_a_level_is_met_among_the_children_of_its_node(level: int) -> None:
    domain = world(SIX)
    task = task_of_level(domain, level, seed=5)
    first = literal_first_nodes(domain, plain_ints(task.start), 4 * level)
    assert 4 * level - 3 <= first[plain_ints(task.goal)] <= 4 * level
    assert task_of_level(domain, level, seed=5) == task
    assert task_of_level(domain, level, seed=6).start != task.start


def test_the_nearest_lower_level_takes_the_place_of_an_empty_one() -> None:
    """Level 30 asks for a goal below node 29, which repeats an earlier node in every world of Sokoban."""
    assert task_of_level(world(SIX), 30, seed=0) == task_of_level(world(SIX), 29, seed=0)
    with pytest.raises(InputError) as caught:  # As do nodes 117 to 120, and three levels lower is the lowest.
        task_of_level(world(SIX), 121, seed=0)
    assert caught.value.code == "task.level"


@pytest.mark.parametrize("make", [far_task, task_at_node])
def test_tasks_of_the_free_tree(make) -> None:
    task = make(world(FREE), 50, seed=0)
    assert (task.world.name, task.board, tuple(task.start), tuple(task.goal)) == (FREE, None, (0,), (50,))


def test_states_of_tasks_are_plain_integers() -> None:
    """As the task type promises: bit boards of any size obey the same operators then."""
    for task in (task_of_level(world(SIX), 3, seed=0), far_task(world(SIX), 40, seed=0)):
        assert {type(field) for state in (task.start, task.goal) for field in state} == {int}
    assert type(task_of_level(world(FREE), 3, seed=0).goal.node) is int


def test_ids_tell_sampled_tasks_apart() -> None:
    domain = world(SIX)
    tasks = [task_of_level(domain, level, seed=seed) for level in (1, 2) for seed in (0, 1)]
    tasks += [task_at_node(domain, 6, seed=0), task_of_level(world("sokoban-8x8"), 1, seed=0)]
    assert len({task.task_id for task in tasks}) == len(tasks)
