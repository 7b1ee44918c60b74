"""Attempts at tasks: what is called solved is solved, by a referee; everything else has another name."""

from collections.abc import Callable
from itertools import accumulate, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nhc.algorithms.tree.environment import Status
from nhc.algorithms.tree.nodes import path, path_ops
from nhc.certify.prove import prove
from nhc.computer.run import bytes_per_tick
from nhc.domains.sokoban import Board, Sokoban, State, check_plan
from nhc.errors import ConfigError
from nhc.model import Model
from nhc.planning.budget import Budget
from nhc.planning.engines import Ended, NetworkEngine, TreeEngine, chosen_engine
from nhc.planning.sample import task_at_node, task_of_level
from nhc.planning.solution import Ending, Solution, checked_plan
from nhc.planning.solve import solve
from nhc.planning.states import computer_for
from nhc.tasks.files import parse_task
from nhc.tasks.planning import GoalCells, PlanningTask
from tests.computer.machines import RUN_TICKS, free_task, hand_made, oracle_run, world, zoo
from tests.domains.sokoban.sokoban_twin import from_grid, slow_step, to_grid
from tests.oracles.teacher import FAULTS, damaged, grow

BUDGET = Budget(ticks=RUN_TICKS)
LEVEL = "######\n#@   #\n# $$ #\n# .. #\n#    #\n######\n"
FAR_LEVEL = "######\n# #  #\n#@$ .#\n#$   #\n#.   #\n######\n"
DEAD = "######\n#$  .#\n#    #\n# @  #\n#    #\n######\n"
"""A box in a corner: no plan at all."""


class Lying:
    """An engine that tells what it is told to tell; with no ticks it must not be asked."""

    name = "lying"

    def __init__(self, emitted: list[State], ticks: int) -> None:
        self._emitted, self._ticks = emitted, ticks

    def bytes_per_tick(self, task: PlanningTask) -> int:
        return 1

    def run(self, task: PlanningTask, max_ticks: int, on_progress: Callable[[int], None]) -> Ended:
        assert self._ticks, "the machine was run"
        return Ended(Status.FINISHED, self._ticks, list(self._emitted))


def by_network(model: Model, task: PlanningTask, **options: object) -> Solution:
    """With the network at every tick and exact data modules."""
    return solve(model, task, engine="network", modules="exact", **options)


def first_solution(task: PlanningTask, nodes: int) -> tuple[int, ...]:
    """The operations to the first node of the tree that meets the goal; the tree is grown by a slow twin."""

    def twin(state: State, op: int) -> State:
        return from_grid(slow_step(to_grid(task.board, state), op))

    tree = grow(twin, State(*map(int, task.start)), nodes)
    cells = task.goal.cells if isinstance(task.goal, GoalCells) else None
    for node, state in enumerate(tree.configurations):
        if state == task.goal if cells is None else state.boxes & ~cells == 0:
            return tuple(path_ops(node))
    raise AssertionError("the tree was too small")


def assert_solved(task: PlanningTask, solution: Solution, plan: tuple[int, ...]) -> None:
    assert (solution.ending, solution.solved, solution.fault) == (Ending.SOLVED, True, None)
    assert solution.ops == plan
    goal = task.goal.cells if isinstance(task.goal, GoalCells) else task.goal
    assert check_plan(task.board, task.start, solution.ops, goal).valid
    assert solution.states[0] == task.start
    for number, op in enumerate(solution.ops):
        grid = to_grid(task.board, solution.states[number])
        assert from_grid(slow_step(grid, op)) == solution.states[number + 1]
    assert task.is_met(solution.states[-1])
    node = 0
    for op in plan:
        node = 4 * node + 1 + op
    assert solution.ticks == node + 1 + len(plan)


@pytest.mark.parametrize("text", [LEVEL, FAR_LEVEL])
def test_a_level_file_is_solved_by_the_plan_that_comes_first(text: str) -> None:
    task = parse_task(text.encode())
    plan = first_solution(task, 1000)
    assert len(plan) > 1
    assert_solved(task, by_network(zoo("plan"), task, budget=BUDGET), plan)


def test_hand_made_weights_solve_it_in_the_same_way() -> None:
    task = parse_task(FAR_LEVEL.encode())
    assert by_network(hand_made(), task, budget=BUDGET) == by_network(zoo("plan"), task, budget=BUDGET)


@pytest.mark.parametrize("node", [2, 12, 75, 218])
def test_full_configurations_are_reached(node: int) -> None:
    task = task_at_node(world("sokoban-6x6"), node, seed=1)
    assert_solved(task, by_network(zoo("plan"), task, budget=BUDGET), tuple(path_ops(node)))


@pytest.mark.parametrize("goal", [1, 77, 19_990])
def test_nodes_of_the_free_tree_are_reached(goal: int) -> None:
    solution = by_network(zoo("plan"), free_task(goal), budget=BUDGET)
    assert (solution.ending, solution.ops) == (Ending.SOLVED, tuple(path_ops(goal)))
    assert [int(state[0]) for state in solution.states] == path(goal)[::-1]


def test_a_task_of_the_free_tree_may_start_anywhere() -> None:
    """From node 5 operation 1 leads to node 22."""
    solution = by_network(zoo("plan"), free_task(22, start=5), budget=BUDGET)
    assert (solution.ops, solution.ticks) == ((1,), 4)
    assert (solution.ending, solution.fault) == (Ending.SOLVED, None)


@pytest.mark.parametrize("name", ["plan", "search"])
def test_a_solved_task_needs_no_run(name: str) -> None:
    done = LEVEL.replace("$$", "  ").replace("..", "**")
    tasks = [parse_task(done.encode()), free_task(0)]
    board = "######\n#@$  #\n#    #\n######\n"
    tasks.append(parse_task(f"{board}Goal:\n{board}".encode()))
    for task in tasks:
        solution = solve(zoo(name), task, budget=Budget(0, 0), engine=Lying([], 0))
        assert solution == Solution(Ending.ALREADY_SOLVED, 0, (task.start,))
        assert solution.solved and solution.ops == ()


def test_search_finds_and_does_not_tell_the_way() -> None:
    task = task_of_level(world("sokoban-6x6"), 8, seed=0)
    solution = by_network(zoo("search"), task, budget=BUDGET)
    assert (solution.ending, solution.solved, str(solution.ending)) == (Ending.FOUND, True, "goal found")
    assert (solution.ops, solution.states) == ((), ())
    assert 29 < solution.ticks <= 33


@pytest.mark.parametrize("text", [FAR_LEVEL, DEAD])
@pytest.mark.parametrize("limit", ["ticks", "memory"])
def test_an_exhausted_budget_says_nothing_about_the_task(text: str, limit: str) -> None:
    """A level with a plan and one without end alike; no ending speaks of tasks without plans."""
    task = parse_task(text.encode())
    size = bytes_per_tick(computer_for(zoo("plan"), task.world))
    budget = Budget(ticks=100) if limit == "ticks" else Budget(memory=100 * size + size - 1)
    solution = by_network(zoo("plan"), task, budget=budget)
    assert solution == Solution(Ending.BUDGET_EXHAUSTED, 100)
    assert not solution.solved


@pytest.mark.parametrize("budget", [Budget(ticks=0), Budget(ticks=-1), Budget(memory=37)])
def test_a_budget_without_a_tick_is_refused(budget: Budget) -> None:
    with pytest.raises(ConfigError) as caught:
        by_network(zoo("plan"), parse_task(LEVEL.encode()), budget=budget)
    assert caught.value.code == "solve.budget"


def test_progress_is_told() -> None:
    told: list[int] = []
    solution = by_network(zoo("plan"), free_task(84), budget=BUDGET, on_progress=told.append)
    assert told == [88] == [solution.ticks]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_damaged_machine_is_never_called_right(fault: str) -> None:
    """Expected from the plain machine: how it ends, and whether what it emits is a way."""
    for goal in (1, 4, 6, 22):
        ticks, fed, ending = oracle_run(damaged(fault), goal.__eq__, 60)
        solution = by_network(hand_made("plan", fault), free_task(goal), budget=Budget(ticks=60))
        met = next((number for number, node in enumerate(fed) if node == goal), None)
        emitted = [] if met is None else [tick.data_read for tick in ticks[met:]]
        expected = {
            "running": Ending.BUDGET_EXHAUSTED,
            "stopped without goal": Ending.STOPPED,
            "nothing in memory": Ending.STOPPED,
            "finished": Ending.SOLVED if emitted == path(goal) else Ending.WRONG,
        }[ending]
        assert (solution.ending, solution.ticks) == (expected, len(ticks)), (goal, ending)
        assert solution.solved == (expected == Ending.SOLVED)
        assert (solution.fault is not None) == (expected == Ending.WRONG)


def test_damage_shows_in_all_the_ways() -> None:
    endings = {
        by_network(hand_made("plan", fault), free_task(goal), budget=Budget(ticks=60)).ending
        for fault in FAULTS
        for goal in (6, 22)
    }
    assert endings == {Ending.SOLVED, Ending.WRONG, Ending.STOPPED, Ending.BUDGET_EXHAUSTED}


BOARD = Board(5, 4)
START = State(BOARD.rim, 1 << 7, 1 << 6)


def moved(state: State, op: int) -> State:
    """The state after a move, by the slow twin of the rules."""
    return from_grid(slow_step(to_grid(BOARD, state), op))


STATES = list(accumulate((1, 2, 3, 0, 1, 2), moved, initial=START))


def plan_between(chain: list[State]) -> list[int] | None:
    """The operations that connect a chain of states, None if there is a gap."""
    plan = [next((op for op in range(4) if moved(a, op) == b), None) for a, b in pairwise(chain)]
    return None if None in plan else plan


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(STATES), min_size=1, max_size=7), st.sampled_from(STATES[1:]), st.booleans())
def test_only_a_plan_that_leads_from_start_to_goal_is_called_solved(
    chain: list[State], goal: State, whole: bool
) -> None:
    """Any chain of states, as a machine might emit it, the goal first."""
    chain = STATES[: STATES.index(goal) + 1] if whole else chain
    task = PlanningTask(Sokoban(BOARD), START, goal, "")
    solution = checked_plan(task, chain[::-1], 9)
    plan = plan_between(chain)
    along = list(accumulate(plan or [], moved, initial=START))
    right = plan is not None and along[-1] == goal and all(a != b for a, b in pairwise(along))
    assert right or not whole
    assert solution.ending == (Ending.SOLVED if right else Ending.WRONG)
    assert (solution.fault is None) == right
    assert solution.ticks == 9
    if plan is not None:
        assert solution.ops == tuple(plan)


def test_the_referee_and_not_the_machine_has_the_last_word() -> None:
    """A machine that emits a way to some other place is caught."""
    task = parse_task(LEVEL.encode())
    ways = [task.start, world("sokoban-6x6").step(task.start, 1)]
    ways.append(world("sokoban-6x6").step(ways[1], 1))
    solution = solve(zoo("plan"), task, budget=BUDGET, engine=Lying(ways[::-1], 5))
    assert (solution.ending, solution.ops, solution.ticks) == (Ending.WRONG, (1, 1), 5)
    assert "on no goal" in solution.fault


@pytest.mark.parametrize("name", ["plan", "search"])
def test_both_engines_give_the_same_solution(name: str) -> None:
    """The network at every tick, and the program that the same weights were proved to be."""
    model = zoo(name)
    verdict = prove(model)
    tasks = [parse_task(FAR_LEVEL.encode()), free_task(5000), task_of_level(world("sokoban-6x6"), 21, seed=9)]
    for task in tasks:
        engine = chosen_engine("program", model, verdict, task)
        assert engine.name == "program"
        assert solve(model, task, budget=BUDGET, engine=engine) == by_network(model, task, budget=BUDGET)


def test_an_engine_is_chosen_by_what_is_proved_and_by_the_board() -> None:
    model, damaged_model = zoo("plan"), hand_made("plan", "stops at 2")
    proof, none = prove(model), prove(damaged_model)
    small, board = free_task(5), Board(9, 8)
    large = PlanningTask(Sokoban(board), State(board.rim, 1 << 11, 1 << 10), GoalCells(1 << 12), "")
    assert chosen_engine("auto", model, proof, small).name == "program"
    assert chosen_engine("auto", model, proof, large).name == "network"
    assert chosen_engine("network", model, proof, small).name == "network"
    assert chosen_engine("auto", damaged_model, none, small).name == "network"
    with pytest.raises(ConfigError) as caught:
        chosen_engine("program", damaged_model, none, small)
    assert caught.value.code == "engine.unproved"


def test_by_default_a_proved_machine_runs_as_its_program_and_another_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As the command does it, with the data modules that the command takes."""
    ran: list[str] = []
    for kind in (NetworkEngine, TreeEngine):

        def note(self, task, max_ticks, on_progress, run=kind.run) -> Ended:
            ran.append(f"{self.name} on {task.world.name}")
            return run(self, task, max_ticks, on_progress)

        monkeypatch.setattr(kind, "run", note)
    task = parse_task(LEVEL.encode())
    found = solve(zoo("plan"), task, budget=BUDGET)
    assert solve(zoo("plan"), task, budget=BUDGET, modules="exact") == found
    solve(hand_made("plan", "stops at 2"), free_task(5), budget=Budget(ticks=60))
    assert ran == [f"program on {task.world.name}"] * 2 + ["network on free-tree"]
