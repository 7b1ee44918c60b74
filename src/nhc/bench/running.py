"""How fast a trained machine runs long tasks, network evaluated at every tick; scanning stands beside it."""

import time

import jax

from nhc.algorithms.tree.environment import Status
from nhc.bench.measure import Row
from nhc.computer.run import run
from nhc.computer.world import Computer, Problem
from nhc.domains.free_tree import TreeState
from nhc.domains.registry import make_domain
from nhc.machine.rollout import Run, step
from nhc.machine.state import scanned
from nhc.model import load_model
from nhc.planning.sample import task_at_node
from nhc.planning.states import computer_for, problem_for
from nhc.shapes import Count
from nhc.tasks.planning import PlanningTask

TREE_GOAL, SOKOBAN_GOAL = 330_621, 330_647
"""330,631 ticks, the paper's figure, and the nearest node that can be a goal in Sokoban: 330,657 ticks."""
SCANNED_TICKS, SCANNED_CELLS = 400, 1 << 19
"""Scanning costs the same for every tick at a given capacity, so some hundred ticks tell."""


def running_rows() -> list[Row]:
    """The paper's long task on the free tree, and its counterpart in Sokoban with exact data in the loop."""
    free = PlanningTask(make_domain("free-tree"), TreeState(0), TreeState(TREE_GOAL), "free tree")
    sokoban = task_at_node(make_domain("sokoban-6x6"), SOKOBAN_GOAL, seed=0)
    cases = ((f"free tree, node {TREE_GOAL:,}", free), (f"sokoban-6x6, node {SOKOBAN_GOAL:,}", sokoban))
    return [measured(case, task) for case, task in cases]


def measured(case: str, task: PlanningTask) -> Row:
    """A task run to its end, after a run that compiles: its time, and what ticks cost by scanning."""
    model = load_model("zoo:plan")
    computer, problem = computer_for(model, task.world), problem_for(task)
    outcome, seconds = None, 0.0
    for _ in range(2):
        began = time.perf_counter()
        outcome = run(computer, problem, max_ticks=400_000)
        seconds = time.perf_counter() - began
    assert outcome is not None and outcome.status == Status.FINISHED
    tick, scanned_tick = 1e6 * seconds / outcome.ticks, scan_microseconds(computer, problem)
    return {
        "case": case,
        "ticks": outcome.ticks,
        "seconds": round(seconds, 2),
        "us/tick": round(tick, 2),
        "us/tick by scan": round(scanned_tick, 2),
        "times faster": round(scanned_tick / tick, 1),
    }


def scan_microseconds(computer: Computer, problem: Problem) -> float:
    """Microseconds of a tick whose lookup compares every one of `SCANNED_CELLS` cells."""
    environment = computer.environment(problem)

    @jax.jit
    def some_ticks(state: Run) -> Run:
        def once(_: Count, state: Run) -> Run:
            return step(computer.parameters, computer.config, environment, state)[0]

        return jax.lax.fori_loop(0, SCANNED_TICKS, once, state)

    state = computer.begin(problem, SCANNED_CELLS, scanned)
    int(some_ticks(state).side.status)
    began = time.perf_counter()
    int(some_ticks(state).side.status)
    return 1e6 * (time.perf_counter() - began) / SCANNED_TICKS
