"""Programs of proved machines, with data made ahead, against the network with exact data in its loop."""

from itertools import pairwise

import numpy as np
import pytest

from nhc.algorithms.tree.environment import Status
from nhc.computer.run import run
from nhc.computer.trace import trace
from nhc.domains.registry import make_domain
from nhc.domains.sokoban import Board, Sokoban, State
from nhc.domains.states import plain
from nhc.errors import ConfigError
from nhc.model import load_model
from nhc.planning.ahead import RuleData, grow
from nhc.planning.engines import Ended, TreeEngine, free_task
from nhc.planning.sample import far_task, task_of_level
from nhc.planning.states import computer_for, problem_for
from nhc.program.memory import ProgramStatus
from nhc.program.table import word_code
from nhc.tasks.planning import GoalCells, PlanningTask
from tests.program.made_up import sokoban_task, zoo_program
from tests.program.slow import compiled_trace

ZOO = ("plan", "search")
MOST = 100
LEVELS = (1, 4, 12, 21)
DOMAINS = ("free-tree", "sokoban-6x6")


def by_program(name: str, task: PlanningTask, max_ticks: int) -> Ended:
    return TreeEngine(zoo_program(name)).run(task, max_ticks, lambda nodes: None)


def same_end(task: PlanningTask, words: np.ndarray, ended: Ended) -> None:
    """The emitted states are the data words that the network read."""
    encode = task.world.encode
    assert [encode(state).tolist() for state in ended.emitted] == words.tolist()


def compare(name: str, task: PlanningTask) -> Status:
    """Both runs of a task, tick for tick; the status they share."""
    model = load_model(f"zoo:{name}")
    network = trace(computer_for(model, task.world), problem_for(task), max_ticks=MOST)
    tree = grow(RuleData(task), most_nodes=MOST + 1, on_progress=lambda nodes: None)
    goal = -1 if tree.goal is None else tree.goal
    program = compiled_trace(zoo_program(name), goal, MOST)
    codes = [word_code(word) for word in network.word.astype(float)]
    assert program.ticks == list(zip(network.read.tolist(), network.op.tolist(), codes, strict=True))
    met = np.flatnonzero(network.met)
    assert program.met_at == (met[0] + 1 if len(met) else None)
    ended = by_program(name, task, MOST)
    assert (ended.status, ended.ticks) == (network.status, len(network.op))
    same_end(task, network.data[met], ended)
    return ended.status


@pytest.mark.parametrize("name", ZOO)
@pytest.mark.parametrize("domain", DOMAINS)
def test_sampled_tasks_of_many_levels(name: str, domain: str) -> None:
    world = make_domain(domain)
    tasks = [task_of_level(world, level, seed=seed) for level in LEVELS for seed in (1, 2)]
    endings = [compare(name, task) for task in tasks]
    assert set(endings) <= {Status.FINISHED, Status.RUNNING}
    assert endings.count(Status.FINISHED) > 6


@pytest.mark.parametrize("name", ZOO)
def test_goal_sets_and_boards_of_another_shape(name: str) -> None:
    rng, board, endings = np.random.default_rng(8), Board(7, 5), []
    while len(endings) < 10:
        task = sokoban_task(rng, board, int(rng.integers(2, 4)))
        if isinstance(task.goal, GoalCells) and not task.is_met(task.start):
            endings.append(compare(name, task))
    assert Status.FINISHED in endings


def test_a_goal_with_other_walls_is_never_met_and_goal_cells_do_not_care_for_the_agent() -> None:
    board = Board(5, 4)
    start = State(board.rim, board.mask((7,)), board.mask((6,)))  # the agent pushes the box to the right
    pushed = State(board.rim, board.mask((8,)), board.mask((7,)))
    walled = State(board.rim | board.mask((11,)), pushed.boxes, pushed.agent)
    ends = []
    for goal in (pushed, walled, GoalCells(pushed.boxes), GoalCells(board.mask((8, 11)))):
        ended = by_program("plan", PlanningTask(Sokoban(Board(5, 4)), start, goal, ""), 100)
        ends.append((ended.status.name, ended.ticks, len(ended.emitted)))
    assert ends == [("FINISHED", 4, 2), ("RUNNING", 100, 0), ("FINISHED", 4, 2), ("FINISHED", 4, 2)]


def test_a_longer_run_and_the_plan_that_comes_of_it() -> None:
    model, world = load_model("zoo:plan"), make_domain("sokoban-6x6")
    task = far_task(world, 4_500, seed=2)
    network = run(computer_for(model, world), problem_for(task), max_ticks=5_000)
    ended = by_program("plan", task, 5_000)
    assert (ended.status, ended.ticks) == (network.status, network.ticks)
    assert ended.ticks > 2_250
    same_end(task, network.emitted, ended)
    assert ended.emitted[-1] == plain(task.start)
    for after, before in pairwise(ended.emitted):
        assert after in [plain(world.step(before, op)) for op in range(4)]


def test_statuses_have_the_numbers_of_the_computer() -> None:
    shared = {status.name: int(status) for status in ProgramStatus if status.name != "UNKNOWN_STATE"}
    assert shared == {status.name: int(status) for status in Status}


def test_a_budget_ends_both_alike() -> None:
    model, task = load_model("zoo:plan"), free_task(90)
    computer, problem = computer_for(model, task.world), problem_for(task)
    for budget in (90, 91, 93, 94, 95):
        network = run(computer, problem, max_ticks=budget)
        ended = by_program("plan", task, budget)
        assert (ended.status, ended.ticks) == (network.status, network.ticks)
        same_end(task, network.emitted, ended)


def test_states_that_do_not_fit_an_array_are_refused() -> None:
    board = Board(9, 8)
    start = State(board.rim, board.mask((20,)), board.mask((21,)))
    with pytest.raises(ConfigError, match=r"program\.board") as error:
        by_program("plan", PlanningTask(Sokoban(Board(9, 8)), start, start, ""), 5)
    assert "72" in str(error.value)
