"""The compiled loops against their plain twin, tick for tick, and their promises about cost and endings."""

from dataclasses import replace

import numpy as np
import pytest

from nhc.domains.free_tree import LAST_NODE, LAST_PARENT, TreeState
from nhc.domains.sokoban import Board, Sokoban, State
from nhc.errors import ConfigError, InputError
from nhc.program import runtime
from nhc.program.compiled import compile_program
from nhc.program.control import FIRST_STATE, Phase
from nhc.program.engine import bytes_per_tick, columns_for, run_free, run_program, trace_program
from nhc.program.execution import DEFAULT_PACE, Executed, Pace, execute
from nhc.program.memory import COUNT, LEVELS, LOWEST, empty_memory, grown_memory
from nhc.program.names import walk
from nhc.program.outcome import ProgramOutcome, ProgramStatus, ProgramTrace
from nhc.program.table import Program
from nhc.program.twin import twin_trace
from nhc.tasks.planning import GoalCells, PlanningTask
from tests.program.made_up import (
    BOARDS,
    alternating_program,
    random_program,
    sokoban_task,
    tree_task,
    zoo_program,
)

ZOO = ("plan", "search")
PACES = (DEFAULT_PACE, Pace(chunk=5, logged=3, capacity=2), Pace(chunk=64, logged=1, capacity=7))
NEVER = LAST_NODE - 1
"""A node that no run here makes."""


def same_outcome(one: ProgramOutcome, other: ProgramOutcome) -> None:
    for name in ("status", "ticks", "met_at", "checksum"):
        assert getattr(one, name) == getattr(other, name), name
    assert type(one.emitted) is type(other.emitted)
    for column, twin in zip(one.emitted, other.emitted, strict=True):
        assert column.dtype == np.uint64
        assert column.tolist() == twin.tolist()


def same_trace(one: ProgramTrace, other: ProgramTrace) -> None:
    for name in ("address", "op", "word"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist(), name
    same_outcome(one.outcome, other.outcome)


def agree(program: Program, task: PlanningTask, max_ticks: int, pace: Pace) -> ProgramTrace:
    """The trace, after all ways to run agreed on it."""
    trace = trace_program(program, task, max_ticks=max_ticks, pace=pace)
    same_trace(trace, twin_trace(program, task, max_ticks=max_ticks))
    same_outcome(run_program(program, task, max_ticks=max_ticks, pace=pace), trace.outcome)
    return trace


def executed(program: Program, task: PlanningTask, max_ticks: int) -> Executed:
    chunks = []
    return execute(
        compile_program(program),
        columns_for(task),
        max_ticks=max_ticks,
        on_chunk=lambda run, _: chunks.append(run),
    )


@pytest.mark.parametrize("name", ZOO)
def test_zoo_programs_on_the_free_tree(name: str) -> None:
    program = zoo_program(name)
    for goal in (*range(1, 40), 333, 1_499):
        trace = agree(program, tree_task(0, goal), 2_000, PACES[goal % 3])
        end = trace.outcome
        assert (end.status, end.met_at) == (ProgramStatus.FINISHED, goal + 1)
        assert trace.address[:goal].tolist() == [tick // 4 for tick in range(goal)]
        path = [goal]
        while name == "plan" and path[-1] > 0:
            path.append((path[-1] - 1) // 4)
        assert end.ticks == goal + len(path)
        if name == "plan":
            assert end.emitted.node.tolist() == path
            assert end.states == [TreeState(node) for node in path]


@pytest.mark.parametrize("name", ZOO)
def test_zoo_programs_on_sokoban(name: str) -> None:
    program = zoo_program(name)
    rng, endings = np.random.default_rng(5), []
    for number in range(40):
        board = BOARDS[number % len(BOARDS)]
        task = sokoban_task(rng, board, int(rng.integers(1, 7)))
        trace = agree(program, task, 70, PACES[number % 3])
        endings.append(trace.outcome.status)
        if trace.outcome.status == ProgramStatus.FINISHED and name == "plan":
            path = trace.outcome.states
            assert path[-1] == task.start
            assert task.is_met(path[0])
            assert not any(task.is_met(state) for state in path[1:])
    assert endings.count(ProgramStatus.FINISHED) > 10
    assert ProgramStatus.RUNNING in endings  # budget exhausted
    assert ProgramStatus.UNKNOWN_STATE in endings  # some walks end where they began


@pytest.mark.parametrize("gaps", [0.0, 0.02])
def test_random_programs_on_the_free_tree(gaps: float) -> None:
    rng, endings, way_back = np.random.default_rng(11), [], 0
    for number in range(80):
        program = random_program(rng, gaps=gaps)
        start = (0, 3, LAST_PARENT // 1_000, LAST_PARENT, LAST_NODE)[number % 5]
        free = agree(program, tree_task(start, NEVER), 120, PACES[number % 3])
        made = executed(program, tree_task(start, NEVER), 120).columns.nodes[1 : free.outcome.ticks + 1]
        goal = int(made[rng.integers(len(made))]) if len(made) and number % 8 else start
        trace = agree(program, tree_task(start, goal), 300, PACES[-1 - number % 3])
        endings.append(trace.outcome.status)
        way_back += trace.outcome.met_at is not None and trace.outcome.ticks > trace.outcome.met_at
    assert {status.name for status in endings} >= {"RUNNING", "FINISHED", "UNKNOWN_STATE"}
    assert way_back > 20


def test_random_programs_on_sokoban() -> None:
    rng, endings = np.random.default_rng(12), []
    for number in range(120):
        program = random_program(rng, gaps=(0.0, 0.01)[number % 2])
        task = sokoban_task(rng, BOARDS[number % len(BOARDS)], int(rng.integers(0, 4)))
        endings.append(agree(program, task, 250, PACES[number % 3]).outcome.status)
    assert set(endings) == set(ProgramStatus) - {ProgramStatus.NOTHING_IN_MEMORY}


def test_a_goal_with_other_walls_is_never_met_and_goal_cells_do_not_care_for_the_agent() -> None:
    board, program = Board(5, 4), zoo_program("plan")
    start = State(board.rim, board.mask((7,)), board.mask((6,)))  # the agent pushes the box to the right
    pushed = State(board.rim, board.mask((8,)), board.mask((7,)))
    walled = State(board.rim | board.mask((11,)), pushed.boxes, pushed.agent)
    ends = []
    for goal in (pushed, walled, GoalCells(pushed.boxes), GoalCells(board.mask((8, 11)))):
        trace = agree(program, PlanningTask(Sokoban(board), start, goal, ""), 100, DEFAULT_PACE)
        ends.append((trace.outcome.status.name, trace.outcome.met_at))
    assert ends == [("FINISHED", 3), ("RUNNING", None), ("FINISHED", 3), ("FINISHED", 3)]


def test_the_budget_ends_a_run_and_one_tick_more_would_not() -> None:
    program, task = zoo_program("plan"), tree_task(0, 77)  # depth 3
    needed = 77 + 3 + 1
    full, short = (run_program(program, task, max_ticks=needed - less) for less in (0, 1))
    assert (full.status, full.ticks) == (ProgramStatus.FINISHED, needed)
    assert (short.status, short.ticks, short.met_at) == (ProgramStatus.RUNNING, needed - 1, 78)
    assert short.emitted.node.tolist() == full.emitted.node.tolist()[:-1] == [77, 19, 4]
    unmet = run_program(program, task, max_ticks=77)
    assert (unmet.status, unmet.met_at, len(unmet.emitted.node)) == (ProgramStatus.RUNNING, None, 0)
    for ticks in (0, 2**31):
        with pytest.raises(ConfigError, match=r"program\.ticks"):
            run_program(program, task, max_ticks=ticks)


def test_what_the_program_does_not_say_ends_the_run() -> None:
    program, task = zoo_program("plan"), tree_task(0, 30)
    states = list(program.rows)
    for missing in states:
        rows = {state: row for state, row in program.rows.items() if state != missing}
        end = agree(replace(program, rows=rows), task, 100, DEFAULT_PACE).outcome
        if missing == FIRST_STATE:
            assert (end.status, end.ticks) == (ProgramStatus.UNKNOWN_STATE, 0)
    used = {state for state in states if state.phase == Phase.SEARCH and state.op == 2}
    for state in used:
        row = program.rows[state]
        rows = {**program.rows, state: row._replace(ops={})}
        assert agree(replace(program, rows=rows), task, 100, DEFAULT_PACE).outcome.ticks < 34
        rows = {**program.rows, state: row._replace(preference=(), mechanisms=(0,))}
        agree(replace(program, rows=rows), task, 100, DEFAULT_PACE)
    for start in (0, 9):
        end = run_program(program, tree_task(start, start), max_ticks=50)
        assert (end.status, end.ticks, end.met_at) == (ProgramStatus.UNKNOWN_STATE, 0, 1)
    with pytest.raises(InputError, match=r"program\.unknown_state"):
        run_free(replace(program, rows={}), 10)


def test_lookups_cost_a_few_steps_even_where_walking_would_not() -> None:
    program, ticks = alternating_program(), 120_000
    agree(program, tree_task(0, NEVER), 1_000, PACES[1])
    trace = trace_program(program, tree_task(0, NEVER), max_ticks=ticks)
    walked = np.abs(np.diff(trace.address))
    assert walked.sum() > ticks**2 / 20  # what a pointer that walks would pay
    done = executed(program, tree_task(0, NEVER), ticks)
    assert 0 < done.run.scanned <= (2 * LEVELS - 1) * ticks
    assert done.run.scanned / ticks < 4


@pytest.mark.parametrize("name", ZOO)
def test_lookups_of_zoo_programs_hardly_scan(name: str) -> None:
    done = executed(zoo_program(name), tree_task(0, NEVER), 100_000)
    assert (done.run.ticks, done.run.status) == (100_000, ProgramStatus.RUNNING)
    assert done.run.scanned / 100_000 <= 1


def test_the_index_finds_cells_across_all_its_levels() -> None:
    """Random cells up to 2^19, three levels and a bit, against plain sets."""
    rng, capacity = np.random.default_rng(3), 1 << 19
    tables = compile_program(random_program(rng))
    memory = grown_memory(empty_memory(tables, 100), capacity)
    bits, held = memory.bits, memory.held
    sets: list[set[int]] = [set() for _ in held]
    spots = np.unique(
        np.concatenate([2 ** np.arange(19), 2 ** np.arange(19) - 1, rng.integers(capacity, size=40)])
    )
    steps = 0
    for _ in range(3_000):
        word, cell = int(rng.integers(len(sets))), int(rng.choice(spots))
        cells = sets[word]
        (runtime.remove if cell in cells else runtime.add)(bits, held, word, cell)
        cells ^= {cell}
        assert held[word, COUNT] == len(cells)
        assert not cells or held[word, LOWEST] <= min(cells)
        probe = int(rng.choice(spots))
        later = [other for other in cells if other >= probe]
        if later:
            found, scanned = runtime.following(bits, len(held), word, probe)
            assert found == min(later)
            steps += scanned
    assert steps <= 3_000 * (2 * LEVELS - 1) + 3_000 * 2 * LEVELS  # lookups, and bits that writes left
    runtime.add(bits, held, len(held), 5)  # a word that no lookup asks for leaves no trace
    runtime.remove(bits, held, len(held), 5)


def test_run_free_counts_checks_and_sums_up() -> None:
    plan, search = zoo_program("plan"), zoo_program("search")
    run, checked = run_free(plan, 5_000), run_free(plan, 5_000, check=True)
    assert (run.ticks, run.last_node, run.breadth_first) == (5_000, 5_000, None)
    assert checked == type(run)(5_000, 5_000, run.checksum, True)
    assert run_free(search, 5_000) == run  # both are breadth-first search
    assert run.checksum == twin_trace(plan, tree_task(0, NEVER), max_ticks=5_000).outcome.checksum
    assert run_free(plan, 4_999).checksum != run.checksum
    down = [state for state in walk(plan) if state.phase is Phase.SEARCH][2]
    swapped = plan.rows[down]._replace(ops=dict.fromkeys(plan.rows[down].ops, 3))
    wrong = run_free(replace(plan, rows={**plan.rows, down: swapped}), 3, check=True)
    assert (wrong.ticks, wrong.breadth_first) == (3, False)
    assert run_free(alternating_program(), 9, check=True).breadth_first is False


def test_progress_is_shown_and_an_interrupt_gets_through() -> None:
    program, task = zoo_program("plan"), tree_task(0, NEVER)
    seen: list[int] = []
    run_program(program, task, max_ticks=100, on_progress=seen.append, pace=Pace(40, 7, 1_000))
    assert seen == [40, 80, 100]

    def interrupt(ticks: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_program(program, task, max_ticks=100, on_progress=interrupt)


def test_memory_is_what_bytes_per_tick_says() -> None:
    program = zoo_program("plan")
    sokoban = sokoban_task(np.random.default_rng(1), Board(6, 6), 3)
    for task, at_most in ((tree_task(0, NEVER), 12), (sokoban, 17)):
        memory = empty_memory(compile_program(program), 1 << 16)
        columns = columns_for(task).grown(1 << 16)
        data = [columns.nodes] if isinstance(task.start, TreeState) else list(columns.cells)
        each = sum(array.nbytes for array in (*memory, *data)) / (1 << 16)
        assert each <= bytes_per_tick(program, task) + 0.1
        assert bytes_per_tick(program, task) < each + 1
        assert bytes_per_tick(program, task) <= at_most


def test_what_cannot_run_is_refused() -> None:
    program = zoo_program("plan")
    board = Board(9, 8)
    start = State(board.rim, board.mask((20,)), board.mask((21,)))
    with pytest.raises(ConfigError, match=r"program\.board") as error:
        run_program(program, PlanningTask(Sokoban(board), start, start, ""), max_ticks=5)
    assert "72" in str(error.value)
    with pytest.raises(ConfigError, match=r"program\.node"):
        run_program(program, tree_task(0, LAST_NODE + 1), max_ticks=5)
