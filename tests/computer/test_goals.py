"""Goals that are sets of configurations: the test of a word, and runs to whichever comes first."""

import jax.numpy as jnp
import numpy as np
import pytest

from nhc.algorithms.tree.environment import Status
from nhc.algorithms.tree.nodes import path
from nhc.computer.world import CellsGoal, ConfigurationGoal
from nhc.data.exact import ExactLocal
from nhc.domains.sokoban import Board, Reading, Sokoban, State
from nhc.planning.states import decoded_states, problem_for
from nhc.tasks.files import parse_task
from nhc.tasks.planning import GoalCells, PlanningTask
from tests.computer.machines import ran, zoo
from tests.domains.sokoban.sokoban_twin import from_grid, random_state, slow_step, to_grid
from tests.oracles.teacher import grow

LEVELS = {
    "either box on either goal": ("######\n# #  #\n#@$ .#\n#$   #\n#.   #\n######\n", {}),
    "one box, three goals": ("######\n#    #\n#.$@ #\n# .  #\n#.   #\n######\n", {"allow_extra_goals": True}),
    "a box in place": ("######\n#    #\n# @ *#\n#    #\n# $. #\n######\n", {}),
}


@pytest.mark.parametrize("name", LEVELS)
def test_a_run_ends_at_the_first_node_that_has_all_boxes_on_goals(name: str) -> None:
    text, options = LEVELS[name]
    task = parse_task(text.encode(), reading=Reading(**options))
    board, cells = task.board, task.goal.cells
    tree = grow(lambda state, op: from_grid(slow_step(to_grid(board, state), op)), task.start, 1100)
    met = [n for n, state in enumerate(tree.configurations) if state.boxes & ~cells == 0]
    outcome = ran(zoo("plan"), task)
    assert (outcome.status, outcome.ticks) == (Status.FINISHED, met[0] + len(path(met[0])))
    found = decoded_states(task.world, outcome.emitted)
    assert found == [tree.configurations[node] for node in path(met[0])]
    assert len({tree.configurations[node] for node in met}) > 1, "there is more than one way to be done"


@pytest.mark.parametrize(("width", "height"), [(5, 7), (6, 6), (9, 4)])
def test_a_word_meets_goal_cells_if_no_box_stands_elsewhere(width: int, height: int) -> None:
    board, rng = Board(width, height), np.random.default_rng(width)
    world = Sokoban(board)
    modules = ExactLocal(world)
    found = []
    for number in range(60):
        state = random_state(board, rng)
        stray = rng.integers(0, 2**62) & rng.integers(0, 2**62) & board.full if number % 2 else 0
        goals = (int(state.boxes) | int(rng.integers(0, 2**62)) & board.full) & ~int(stray)
        task = PlanningTask(world, state, GoalCells(goals), "")
        met = problem_for(task).goal.met(modules, jnp.asarray(world.encode(state)))
        elsewhere = [cell for cell in range(board.cells) if state.boxes >> cell & 1 and not goals >> cell & 1]
        assert bool(met) == (not elsewhere) == task.is_met(state)
        found.append(bool(met))
    assert 20 < sum(found) < 60


def test_the_two_kinds_of_goals_differ_where_they_should() -> None:
    """Goal cells do not ask where the agent is, a configuration does."""
    world, board = Sokoban(Board(6, 6)), Board(6, 6)
    here = State(board.rim, 1 << 14, 1 << 7)
    there = State(board.rim, 1 << 14, 1 << 8)
    cells = PlanningTask(world, here, GoalCells(1 << 14), "")
    configuration = PlanningTask(world, here, there, "")
    words = [jnp.asarray(world.encode(state)) for state in (here, there)]
    modules = ExactLocal(world)
    assert isinstance(problem_for(cells).goal, CellsGoal)
    assert isinstance(problem_for(configuration).goal, ConfigurationGoal)
    assert [bool(problem_for(cells).goal.met(modules, word)) for word in words] == [True, True]
    assert [bool(problem_for(configuration).goal.met(modules, word)) for word in words] == [False, True]
