"""How fast programs run, on the free tree and on Sokoban, beside plain searches that build the same tree.

None of these detects duplicates: the machine's algorithm enqueues every result, so its rivals do too. The
figures are therefore the price of a node, not of a solved level. A general planner, if it is installed,
visits every reachable state of the same world once.
"""

import statistics
from collections import deque
from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from nhc.algorithms.tree.environment import Status
from nhc.bench.measure import Row, Timing, timed
from nhc.bench.plain_graphs import reachable
from nhc.bench.planners import SOKOBAN, run_pyperplan, sokoban_problem
from nhc.certify.prove import Proof, extract_program, prove
from nhc.domains.protocol import BRANCHING
from nhc.domains.registry import make_domain
from nhc.domains.sokoban.rules import State
from nhc.jit import part
from nhc.model import load_model
from nhc.planning.engines import TreeEngine
from nhc.planning.sample import task_at_node
from nhc.program.engine import run_free
from nhc.program.table import Program
from nhc.tasks.planning import PlanningTask

PAPER_TICKS, SHORT_TICKS, LONG_TICKS = 330_631, 1_000_000, 100_000_000
"""The paper's longest task, and two lengths whose ratio shows whether a tick's cost grows with the memory."""
SOKOBAN_GOAL = 330_647
REPEATS = 5
PLAIN = "plain Python, same tree"


def program_rows() -> list[Row]:
    """Times a step of one core, beside the plain Python search."""
    timings = measure_program((PAPER_TICKS, SHORT_TICKS, LONG_TICKS))
    (plain,) = (each for each in timings if PLAIN in each.case)
    return [
        {
            "case": each.case,
            "steps": each.steps,
            "core ns/step": round(each.nanoseconds, 1),
            "million steps/core s": round(1e3 / each.nanoseconds, 2),
            "times plain Python": round(plain.nanoseconds / each.nanoseconds, 2),
            "peak MiB so far": None if each.peak_mib is None else round(each.peak_mib),
        }
        for each in timings
    ]


def measure_program(free_ticks: tuple[int, ...], *, goal: int = SOKOBAN_GOAL) -> list[Timing]:
    """Runs of Plan's program, and two plain searches; with `LONG_TICKS` a run takes more than a GB."""
    program = plan_program()
    return [*(free_run(program, ticks) for ticks in free_ticks), *sokoban_runs(program, goal)]


def plan_program() -> Program:
    """The program of the zoo's Plan machine."""
    model = load_model("zoo:plan")
    proof = prove(model)
    assert isinstance(proof, Proof), "models of the zoo are proved"
    return extract_program(model, proof)


def free_run(program: Program, ticks: int) -> Timing:
    """A run without a goal."""
    repeats = REPEATS if ticks < LONG_TICKS else 1
    run_free(program, min(ticks, PAPER_TICKS))
    return timed(f"free tree, {ticks:,} ticks", lambda: run_free(program, ticks).ticks, repeats)


def sokoban_runs(program: Program, goal: int) -> list[Timing]:
    """The same task by the program, by a plain Python search and by a bare compiled loop."""
    task = task_at_node(make_domain("sokoban-6x6"), goal, seed=0)

    def by_program() -> int:
        ended = TreeEngine(program).run(task, 2 * goal, lambda ticks: None)
        assert ended.status == Status.FINISHED
        return ended.ticks

    ways: tuple[tuple[str, Callable[[], int]], ...] = (
        ("program", by_program),
        (PLAIN, lambda: plain_search(task)),
        ("bare numba loop, same tree", lambda: bare_search(task, goal)),
    )
    results = []
    for name, way in ways:
        way()
        results.append(timed(f"sokoban-6x6, node {goal:,}: {name}", way, REPEATS))
    return [*results, *planner_runs(task)]


def planner_runs(task: PlanningTask) -> list[Timing]:
    """Successors that pyperplan generates in the same world, if it is installed; its own time for the search.

    Breadth-first search with duplicate detection visits every reachable state once, because the goal, the
    agent in two places, is never met; so the number of successors that it generates is known exactly.
    """
    assert isinstance(task.start, State) and task.board is not None
    problem = sokoban_problem(task.board, task.start)
    runs = [run for _ in range(REPEATS) if (run := run_pyperplan(SOKOBAN, problem)) is not None]
    if not runs:
        return []
    explored = reachable(task.board, task.start)
    assert {run.expanded for run in runs} == {explored.states}, "the planner and the rules disagree"
    seconds = statistics.median(run.seconds for run in runs)
    return [Timing("same world, each state once: pyperplan", explored.generated, seconds, peak_mib=None)]


def plain_search(task: PlanningTask) -> int:
    """Breadth-first search with a deque of tuples, no duplicate detection: the goal's node."""
    assert isinstance(task.start, State) and isinstance(task.goal, State) and task.board is not None
    walls, *start = map(int, task.start)
    goal = (int(task.goal.boxes), int(task.goal.agent))
    shifts = ((0, task.board.width), (1, 0), (task.board.width, 0), (0, 1))
    queue, generated = deque([tuple(start)]), 0
    while True:
        boxes, agent = queue.popleft()
        for left, right in shifts:
            ahead = agent << left >> right
            after = (boxes, ahead)
            if ahead & walls:
                after = (boxes, agent)
            elif ahead & boxes:
                beyond = ahead << left >> right
                free = not beyond & (walls | boxes)
                after = (boxes ^ ahead ^ beyond, ahead) if free else (boxes, agent)
            generated += 1
            if after == goal:
                return generated
            queue.append(after)


def bare_search(task: PlanningTask, goal: int) -> int:
    """The tree up to node `goal`, built by a compiled loop without a machine: the goal's node."""
    assert isinstance(task.start, State) and isinstance(task.goal, State) and task.board is not None
    boxes, agent = np.zeros(goal + 1, np.uint64), np.zeros(goal + 1, np.uint8)
    boxes[0], agent[0] = task.start.boxes, int(task.start.agent).bit_length() - 1
    walls, wanted = np.uint64(task.start.walls), np.uint64(task.goal.boxes)
    end = int(task.goal.agent).bit_length() - 1
    return compiled_bare_loop()(boxes, agent, task.board.width, walls, wanted, end)


BareLoop = Callable[[NDArray[np.uint64], NDArray[np.uint8], int, np.uint64, np.uint64, int], int]


@cache
def compiled_bare_loop() -> BareLoop:
    """Compiled once a process."""
    return part(bare_loop)


def bare_loop(
    boxes: NDArray[np.uint64],
    agent: NDArray[np.uint8],
    width: int,
    walls: np.uint64,
    wanted: np.uint64,
    end: int,
) -> int:
    """Fill the arrays node by node; the first node with the wanted boxes and the agent at the end, or -1."""
    for node in range(1, len(boxes)):
        above, op = (node - 1) // BRANCHING, (node - 1) % BRANCHING
        step = (-width, 1, width, -1)[op]
        ahead = np.uint64(1) << np.uint64(agent[above] + step)
        beyond = np.uint64(1) << np.uint64(agent[above] + 2 * step)
        boxes[node], agent[node] = boxes[above], agent[above]
        if not ahead & walls and not (ahead & boxes[above] and beyond & (boxes[above] | walls)):
            agent[node] += step
            if ahead & boxes[above]:
                boxes[node] ^= ahead | beyond
        if boxes[node] == wanted and agent[node] == end:
            return node
    return -1
