"""Programs of proved machines against the network itself, with exact data in the loop."""

from itertools import pairwise

import numpy as np
import pytest

from nhc.computer.halting import Status
from nhc.computer.run import run
from nhc.computer.trace import trace
from nhc.domains.registry import make_domain
from nhc.domains.sokoban.rules import Board
from nhc.domains.states import plain
from nhc.model import load_model
from nhc.planning.sample import far_task, task_of_level
from nhc.planning.states import computer_for, problem_for
from nhc.program.control import word_code
from nhc.program.engine import run_program, trace_program
from nhc.program.outcome import ProgramOutcome, ProgramStatus
from nhc.tasks.planning import GoalCells, PlanningTask
from tests.program.made_up import sokoban_task, tree_task, zoo_program

ZOO = ("plan", "search")
MOST = 100
LEVELS = (1, 2, 3, 4, 7, 12, 17, 21)
DOMAINS = ("free-tree", "sokoban-6x6")


def same_end(task: PlanningTask, words: np.ndarray, outcome: ProgramOutcome) -> None:
    """The emitted states are the data words that the network read."""
    assert task.world.encode(outcome.emitted).tolist() == words.tolist()


def compare(name: str, task: PlanningTask) -> ProgramStatus:
    """Both runs of a task, tick for tick; the status they share."""
    model = load_model(f"zoo:{name}")
    network = trace(computer_for(model, task.world), problem_for(task), max_ticks=MOST)
    program = trace_program(zoo_program(name), task, max_ticks=MOST)
    assert program.op.tolist() == network.op.tolist()
    assert program.address.tolist() == network.read.tolist()
    assert program.word.tolist() == [word_code(word) for word in network.word.astype(float)]
    assert program.outcome.status == network.status
    met = np.flatnonzero(network.met)
    assert program.outcome.met_at == (met[0] + 1 if len(met) else None)
    same_end(task, network.data[met], program.outcome)
    return program.outcome.status


@pytest.mark.parametrize("name", ZOO)
@pytest.mark.parametrize("domain", DOMAINS)
def test_sampled_tasks_of_many_levels(name: str, domain: str) -> None:
    world = make_domain(domain)
    tasks = [task_of_level(world, level, seed=seed) for level in LEVELS for seed in (1, 2)]
    endings = [compare(name, task) for task in tasks]
    assert set(endings) <= {ProgramStatus.FINISHED, ProgramStatus.RUNNING}
    assert endings.count(ProgramStatus.FINISHED) > 12


@pytest.mark.parametrize("name", ZOO)
def test_goal_sets_and_boards_of_another_shape(name: str) -> None:
    rng, board, endings = np.random.default_rng(8), Board(7, 5), []
    while len(endings) < 10:
        task = sokoban_task(rng, board, int(rng.integers(2, 4)))
        if isinstance(task.goal, GoalCells) and not task.is_met(task.start):
            endings.append(compare(name, task))
    assert ProgramStatus.FINISHED in endings


def test_a_longer_run_and_the_plan_that_comes_of_it() -> None:
    model, world = load_model("zoo:plan"), make_domain("sokoban-6x6")
    task = far_task(world, 4_500, seed=2)
    network = run(computer_for(model, world), problem_for(task), max_ticks=5_000)
    outcome = run_program(zoo_program("plan"), task, max_ticks=5_000)
    assert (outcome.status, outcome.ticks, outcome.met_at) == (network.status, network.ticks, network.met_at)
    assert outcome.ticks > 2_250
    same_end(task, network.emitted, outcome)
    assert outcome.states[-1] == plain(task.start)
    for after, before in pairwise(outcome.states):
        assert after in [plain(world.step(before, op)) for op in range(4)]


def test_statuses_have_the_numbers_of_the_computer() -> None:
    shared = {status.name: int(status) for status in ProgramStatus if status.name != "UNKNOWN_STATE"}
    assert shared == {status.name: int(status) for status in Status}


def test_a_budget_ends_both_alike() -> None:
    model, task = load_model("zoo:plan"), tree_task(0, 90)
    computer, problem = computer_for(model, task.world), problem_for(task)
    for budget in (90, 91, 93, 94, 95):
        network = run(computer, problem, max_ticks=budget)
        outcome = run_program(zoo_program("plan"), task, max_ticks=budget)
        assert (outcome.status, outcome.ticks) == (network.status, network.ticks)
        assert outcome.met_at == network.met_at
        same_end(task, network.emitted, outcome)
