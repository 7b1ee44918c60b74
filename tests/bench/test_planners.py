"""What general planners say is read right, and their version of a Sokoban world is the same world."""

import numpy as np
import pytest

from nhc.bench import planners
from nhc.bench.plain_graphs import reachable
from nhc.bench.planners import PlannerRun
from nhc.domains.sokoban import Board, Sokoban, State
from nhc.domains.states import picked, plain

PYPERPLAN = """\
2026-01-01 00:00:00,000 INFO     Goal reached. Start extraction of solution.
2026-01-01 00:00:00,000 INFO     4720 Nodes expanded
2026-01-01 00:00:00,000 INFO     Search end: gripper-3
2026-01-01 00:00:00,000 INFO     Search time: 1.5e-05
2026-01-01 00:00:00,000 INFO     Plan length: 14
"""
FAST_DOWNWARD = """\
[t=0.020053s, 10708 KB] Plan length: 14 step(s).
[t=0.020053s, 10708 KB] Plan cost: 14
[t=0.020053s, 10708 KB] Expanded 4444 state(s).
[t=0.020053s, 10708 KB] Evaluated 4719 state(s).
[t=0.020053s, 10708 KB] Generated 19437 state(s).
[t=0.020053s, 10708 KB] Expanded until last jump: 4215 state(s).
[t=0.020053s, 10708 KB] Generated until last jump: 18454 state(s).
[t=0.020053s, 10708 KB] Search time: 0.016220s
[t=0.020053s, 10708 KB] Total time: 0.020053s
"""
DOMAIN = """(define (domain steps) (:requirements :strips) (:predicates (at ?a) (next ?a ?b))
  (:action go :parameters (?a ?b) :precondition (and (at ?a) (next ?a ?b))
    :effect (and (at ?b) (not (at ?a)))))"""
PROBLEM = """(define (problem three) (:domain steps) (:objects a b c)
  (:init (at a) (next a b) (next b c)) (:goal (at c)))"""


def test_figures_of_pyperplan() -> None:
    assert planners.read_pyperplan(PYPERPLAN) == PlannerRun(4720, 1.5e-5, None, 14)
    unsolved = PYPERPLAN.replace("Plan length: 14", "")
    assert planners.read_pyperplan(unsolved) == PlannerRun(4720, 1.5e-5)


def test_figures_of_fast_downward() -> None:
    assert planners.read_fast_downward(FAST_DOWNWARD) == PlannerRun(4444, 0.01622, 19437, 14)


@pytest.mark.parametrize("missing", ["Nodes expanded", "Search time"])
def test_pyperplan_without_a_figure(missing: str) -> None:
    with pytest.raises(ValueError, match="expected the planner's figures"):
        planners.read_pyperplan(PYPERPLAN.replace(missing, ""))


@pytest.mark.parametrize("missing", ["Expanded 4444", "Generated 19437", "Search time"])
def test_fast_downward_without_a_figure(missing: str) -> None:
    with pytest.raises(ValueError, match="expected the planner's figures"):
        planners.read_fast_downward(FAST_DOWNWARD.replace(missing, ""))


def test_pyperplan_runs_where_it_is_installed() -> None:
    run = planners.run_pyperplan(DOMAIN, PROBLEM)
    if run is None:
        pytest.skip("pyperplan is not installed")
    assert (run.expanded, run.plan) == (3, 2)


def test_fast_downward_runs_where_it_is_installed() -> None:
    run = planners.run_fast_downward(DOMAIN, PROBLEM)
    if run is None:
        pytest.skip("Fast Downward is not installed")
    assert run.plan == 2


def corridor(boxes: tuple[int, ...]) -> tuple[Board, State]:
    """Five cells in a row, the agent on the first."""
    board = Board(7, 3)
    return board, State(board.rim, board.mask(tuple(8 + box for box in boxes)), 1 << 8)


def test_every_state_of_a_corridor() -> None:
    """With a box at place b the agent walks the b places before it, and pushes it unless b is the last."""
    places = range(1, 5)
    pushed = (sum(places), sum(2 * (b - 1) for b in places) + sum(b < 4 for b in places))
    for boxes, expected in {(): (5, 8), (1,): pushed, (1, 2): (1, 0)}.items():
        assert reachable(*corridor(boxes)) == (*expected, None)


def test_the_planner_sees_the_same_worlds() -> None:
    board = Board(6, 5)
    worlds = Sokoban(board).sample(np.random.default_rng(3), 3)
    for number in range(3):
        start = plain(picked(worlds, number))
        run = planners.run_pyperplan(planners.SOKOBAN, planners.sokoban_problem(board, start))
        assert run is None or run.expanded == reachable(board, start).states
