"""The compiled loop against its plain twin, tick for tick, and its promises about cost and endings."""

from dataclasses import replace

import numpy as np
import pytest

from nhc.domains.free_tree import LAST_NODE
from nhc.errors import ConfigError, InputError
from nhc.program import loop
from nhc.program.compiled import compile_program
from nhc.program.engine import DEFAULT_PACE, bytes_per_tick, execute, run_free, run_program
from nhc.program.memory import (
    COUNT,
    LEVELS,
    LOWEST,
    Log,
    Memory,
    Pace,
    ProgramStatus,
    Registers,
    empty_memory,
    grown_memory,
)
from nhc.program.names import walk
from nhc.program.table import FIRST_STATE, Phase, Program
from tests.program.made_up import alternating_program, random_program, zoo_program
from tests.program.slow import Trace, compiled_trace, slow_trace

ZOO = ("plan", "search")
PACES = (DEFAULT_PACE, Pace(2, 3), Pace(7, 64))
NEVER = LAST_NODE - 1
"""A node that no run here makes."""


def agree(program: Program, goal: int, max_ticks: int, pace: Pace) -> Trace:
    """The trace, after all ways to run agreed on it."""
    trace = compiled_trace(program, goal, max_ticks, pace)
    assert trace == slow_trace(program, goal, max_ticks)
    assert run_program(program, goal, max_ticks=max_ticks, pace=pace) == trace.end
    return trace


def executed(program: Program, max_ticks: int) -> tuple[Registers, Memory]:
    return execute(compile_program(program), NEVER, max_ticks=max_ticks, on_chunk=lambda run, _: None)


@pytest.mark.parametrize("name", ZOO)
def test_zoo_programs(name: str) -> None:
    program = zoo_program(name)
    for goal in (*range(1, 40), 333, 1_499):
        trace = agree(program, goal, 2_000, PACES[goal % 3])
        assert (trace.end.status, trace.met_at) == (ProgramStatus.FINISHED, goal + 1)
        assert [tick[:2] for tick in trace.ticks[:goal]] == [divmod(tick, 4) for tick in range(goal)]
        path = [goal]
        while name == "plan" and path[-1] > 0:
            path.append((path[-1] - 1) // 4)
        assert trace.end.ticks == goal + len(path)
        if name == "plan":
            assert trace.end.nodes == path


@pytest.mark.parametrize("gaps", [0.0, 0.02])
def test_random_programs(gaps: float) -> None:
    """Also where node numbers saturate: such programs go straight down."""
    rng, endings, way_back, last = np.random.default_rng(11), [], 0, 0
    for number in range(100):
        program = random_program(rng, gaps=gaps)
        run, memory = executed(program, 120)
        agree(program, NEVER, 120, PACES[number % 3])
        made = memory.data[1 : run.ticks + 1]
        last += LAST_NODE in made
        goal = int(made[rng.integers(len(made))]) if len(made) and number % 8 else 0
        trace = agree(program, goal, 300, PACES[-1 - number % 3])
        endings.append(trace.end.status)
        way_back += trace.met_at is not None and trace.end.ticks > trace.met_at
    unknown = {"UNKNOWN_STATE"} if gaps else set()
    assert {status.name for status in endings} == {"RUNNING", "FINISHED"} | unknown
    assert way_back > 20 and last > 5


def test_the_budget_ends_a_run_and_one_tick_more_would_not() -> None:
    program = zoo_program("plan")
    needed = 77 + 3 + 1  # depth 3
    full, short = (run_program(program, 77, max_ticks=needed - less) for less in (0, 1))
    assert (full.status, full.ticks) == (ProgramStatus.FINISHED, needed)
    assert (short.status, short.ticks) == (ProgramStatus.RUNNING, needed - 1)
    assert agree(program, 77, needed - 1, DEFAULT_PACE).met_at == 78
    assert short.nodes == full.nodes[:-1] == [77, 19, 4]
    unmet = agree(program, 77, 77, DEFAULT_PACE)
    assert (unmet.end.status, unmet.met_at, unmet.end.nodes) == (ProgramStatus.RUNNING, None, [])
    for ticks in (0, 2**31):
        with pytest.raises(ConfigError, match=r"program\.ticks"):
            run_program(program, 77, max_ticks=ticks)
    for node in (-1, LAST_NODE + 1):
        with pytest.raises(ConfigError, match=r"program\.node"):
            run_program(program, node, max_ticks=5)


def test_what_the_program_does_not_say_ends_the_run() -> None:
    program = zoo_program("plan")
    states = list(program.rows)
    for missing in states:
        rows = {state: row for state, row in program.rows.items() if state != missing}
        end = agree(replace(program, rows=rows), 30, 100, DEFAULT_PACE).end
        if missing == FIRST_STATE:
            assert (end.status, end.ticks) == (ProgramStatus.UNKNOWN_STATE, 0)
    used = {state for state in states if state.phase == Phase.SEARCH and state.op == 2}
    for state in used:
        row = program.rows[state]
        rows = {**program.rows, state: row._replace(ops={})}
        assert agree(replace(program, rows=rows), 30, 100, DEFAULT_PACE).end.ticks < 34
        rows = {**program.rows, state: row._replace(preference=(), mechanisms=(0,))}
        agree(replace(program, rows=rows), 30, 100, DEFAULT_PACE)
    first = agree(program, 0, 50, DEFAULT_PACE)
    assert (first.end.status, first.end.ticks, first.met_at) == (ProgramStatus.UNKNOWN_STATE, 0, 1)
    with pytest.raises(InputError, match=r"program\.unknown_state"):
        run_free(replace(program, rows={}), 10)


def test_lookups_cost_a_few_steps_even_where_walking_would_not() -> None:
    program, ticks = alternating_program(), 60_000
    agree(program, NEVER, 1_000, PACES[1])
    walked = np.abs(np.diff([address for address, *_ in compiled_trace(program, NEVER, ticks).ticks]))
    assert walked.sum() > ticks**2 / 20  # what a pointer that walks would pay
    run, _ = executed(program, ticks)
    assert 0 < run.scanned <= (2 * LEVELS - 1) * ticks
    assert run.scanned / ticks < 4


@pytest.mark.parametrize("name", ZOO)
def test_lookups_of_zoo_programs_hardly_scan(name: str) -> None:
    run, _ = executed(zoo_program(name), 100_000)
    assert (run.ticks, run.status) == (100_000, ProgramStatus.RUNNING)
    assert run.scanned / 100_000 <= 1


def test_the_index_finds_cells_across_all_its_levels() -> None:
    """Random cells up to 2^19, three levels and a bit, against plain sets."""
    rng, capacity = np.random.default_rng(3), 1 << 19
    tables = compile_program(random_program(rng))
    memory = grown_memory(empty_memory(tables, 100, np.uint32), capacity)
    bits, held = memory.bits, memory.held
    sets: list[set[int]] = [set() for _ in held]
    spots = np.unique(
        np.concatenate([2 ** np.arange(19), 2 ** np.arange(19) - 1, rng.integers(capacity, size=40)])
    )
    steps = 0
    for _ in range(3_000):
        word, cell = int(rng.integers(len(sets))), int(rng.choice(spots))
        cells = sets[word]
        (loop.remove if cell in cells else loop.add)(bits, held, word, cell)
        cells ^= {cell}
        assert held[word, COUNT] == len(cells)
        assert not cells or held[word, LOWEST] <= min(cells)
        probe = int(rng.choice(spots))
        later = [other for other in cells if other >= probe]
        if later:
            found, scanned = loop.following(bits, len(held), word, probe)
            assert found == min(later)
            steps += scanned
    assert steps <= 3_000 * (2 * LEVELS - 1) + 3_000 * 2 * LEVELS  # lookups, and bits that writes left
    loop.add(bits, held, len(held), 5)  # a word that no lookup asks for leaves no trace
    loop.remove(bits, held, len(held), 5)


def test_run_free_counts_checks_and_sums_up() -> None:
    plan, search = zoo_program("plan"), zoo_program("search")
    run, checked = run_free(plan, 5_000), run_free(plan, 5_000, check=True)
    assert (run.ticks, run.last_node, run.breadth_first) == (5_000, 5_000, None)
    assert checked == type(run)(5_000, 5_000, run.checksum, True)
    assert run_free(search, 5_000) == run  # both are breadth-first search
    assert run.checksum == slow_trace(plan, NEVER, 5_000).checksum
    assert run_free(plan, 4_999).checksum != run.checksum
    down = [state for state in walk(plan) if state.phase is Phase.SEARCH][2]
    swapped = plan.rows[down]._replace(ops=dict.fromkeys(plan.rows[down].ops, 3))
    wrong = run_free(replace(plan, rows={**plan.rows, down: swapped}), 3, check=True)
    assert (wrong.ticks, wrong.breadth_first) == (3, False)
    assert run_free(alternating_program(), 9, check=True).breadth_first is False


def test_ticks_are_cut_into_calls_and_an_interrupt_gets_through() -> None:
    program = zoo_program("plan")
    seen: list[int] = []
    tables, pace = compile_program(program), Pace(1_000, 40)
    execute(tables, NEVER, max_ticks=100, on_chunk=lambda run, _: seen.append(run.ticks), pace=pace)
    assert seen == [40, 80, 100]

    def interrupt(run: Registers, log: Log) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        execute(tables, NEVER, max_ticks=100, on_chunk=interrupt)


def test_memory_is_what_bytes_per_tick_says() -> None:
    program = zoo_program("plan")
    memory = empty_memory(compile_program(program), 1 << 16, np.uint32)
    each = sum(array.nbytes for array in memory) / (1 << 16)
    assert each <= bytes_per_tick(program) + 0.1
    assert each + 1 > bytes_per_tick(program) <= 12
