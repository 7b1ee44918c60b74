"""Between states, data words and problems."""

import numpy as np
import pytest

from nhc.computer.world import CellsGoal, ConfigurationGoal
from nhc.domains.free_tree import FreeTree, TreeState
from nhc.domains.sokoban import Board, Sokoban, State
from nhc.errors import InputError
from nhc.planning.states import computer_for, decoded_states, problem_for
from nhc.tasks.planning import GoalCells, PlanningTask
from tests.computer.machines import free_task, zoo
from tests.domains.sokoban.sokoban_twin import SIZES, random_state

LETTERS = "ABWE"


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_words_of_boards_of_all_sizes(width: int, height: int) -> None:
    """Also of boards that are too large for arrays of bit boards."""
    board, rng = Board(width, height), np.random.default_rng(width * height)
    states = [random_state(board, rng) for _ in range(5)]
    task = PlanningTask(Sokoban(board), states[0], states[1], "")
    domain = task.world
    assert domain.name == f"sokoban-{width}x{height}"
    words = np.stack([domain.encode(state) for state in states])
    assert decoded_states(domain, words) == states
    problem = problem_for(task)
    assert problem.start.tolist() == words[0].tolist()
    assert isinstance(problem.goal, ConfigurationGoal)
    assert problem.goal.word.tolist() == words[1].tolist()


def test_decoded_states_are_plain_integers() -> None:
    states = decoded_states(FreeTree(), FreeTree().encode(TreeState(np.array([5, 2**32 - 1], np.uint64))))
    assert states == [TreeState(5), TreeState(2**32 - 1)]
    assert {type(state.node) for state in states} == {int}


def test_goal_cells_forbid_boxes_elsewhere_and_nothing_else() -> None:
    board = Board(5, 4)
    start = State(board.rim, 1 << 7, 1 << 6)
    problem = problem_for(PlanningTask(Sokoban(board), start, GoalCells(1 << 8 | 1 << 12), ""))
    assert isinstance(problem.goal, CellsGoal)
    forbidden = problem.goal.forbidden.reshape(board.cells, len(LETTERS)).tolist()
    box = [cell[LETTERS.index("B")] for cell in forbidden]
    assert [cell for cell, bit in enumerate(box) if not bit] == [8, 12]
    assert sum(map(sum, forbidden)) == board.cells - 2


def test_the_computer_has_the_modules_of_the_world() -> None:
    board = Board(7, 5)
    task = PlanningTask(Sokoban(board), State(board.rim, 1 << 9, 1 << 8), GoalCells(1 << 10), "")
    made = computer_for(zoo("plan"), task.world)
    assert made.modules.name == "exact sokoban-7x5"
    assert (made.modules.word_bits, made.packed_bytes) == (140, 18)
    free = computer_for(zoo("search"), free_task(3).world)
    assert (free.modules.name, free.packed_bytes, free.algorithm.name) == ("exact free-tree", 4, "search")


def test_a_word_that_is_no_state_is_noticed() -> None:
    domain = Sokoban(Board(5, 4))
    with pytest.raises(InputError) as caught:
        decoded_states(domain, np.zeros((1, 80), np.uint8))
    assert caught.value.code == "word.invalid"
