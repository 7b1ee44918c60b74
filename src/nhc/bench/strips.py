"""A general planner on the same Sokoban world, for comparison: pyperplan, if the `planning` extra is there.

Breadth-first search with duplicate detection visits every reachable state once, because the goal, the agent
in two places, is never met; so the number of successors that it generates is known exactly.
"""

from collections import deque
from typing import NamedTuple

from nhc.bench import planners
from nhc.bench.planners import PlannerRun
from nhc.domains.protocol import BRANCHING
from nhc.domains.sokoban.rules import Board, State, step

DOMAIN = """\
(define (domain sokoban)
  (:requirements :strips :typing)
  (:types cell)
  (:predicates (agent ?a - cell) (box ?a - cell) (empty ?a - cell)
               (next ?a ?b - cell) (line ?a ?b ?c - cell))
  (:action move :parameters (?a ?b - cell)
    :precondition (and (agent ?a) (empty ?b) (next ?a ?b))
    :effect (and (agent ?b) (empty ?a) (not (agent ?a)) (not (empty ?b))))
  (:action push :parameters (?a ?b ?c - cell)
    :precondition (and (agent ?a) (box ?b) (empty ?c) (line ?a ?b ?c))
    :effect (and (agent ?b) (empty ?a) (box ?c) (not (agent ?a)) (not (box ?b)) (not (empty ?c)))))
"""


class Explored(NamedTuple):
    """A complete search of the reachable states."""

    states: int
    successors: int
    """Applicable moves and pushes, summed over the states."""


def explore(board: Board, start: State) -> Explored:
    """Every state that can be reached, by the rules."""
    seen, queue, successors = {start}, deque([start]), 0
    while queue:
        state = queue.popleft()
        for op in range(BRANCHING):
            after = step(board, state, op)
            if after == state:
                continue
            successors += 1
            if after not in seen:
                seen.add(after)
                queue.append(after)
    return Explored(len(seen), successors)


def problem_text(board: Board, start: State, goal: int | None = None) -> str:
    """The world as a PDDL problem: boxes on all cells of the bit board `goal`, or one without a solution."""
    cells = [cell for cell in range(board.cells) if not int(start.walls) >> cell & 1]
    facts = []
    for cell in cells:
        kind = "agent" if int(start.agent) >> cell & 1 else "box" if int(start.boxes) >> cell & 1 else "empty"
        facts.append(f"({kind} c{cell})")
        for op in range(BRANCHING):
            near, far = board.neighbour(cell, op), board.neighbour(cell, op, 2)
            if near in cells:
                facts.append(f"(next c{cell} c{near})")
                facts += [f"(line c{cell} c{near} c{far})"] if far in cells else []
    objects = " ".join(f"c{cell}" for cell in cells)
    wanted = [f"(agent c{cell})" for cell in cells[:2]]
    if goal is not None:
        wanted = [f"(box c{cell})" for cell in cells if goal >> cell & 1]
    return (
        f"(define (problem world) (:domain sokoban) (:objects {objects} - cell)\n"
        f"  (:init {' '.join(facts)})\n"
        f"  (:goal (and {' '.join(wanted)})))\n"
    )


def run_pyperplan(board: Board, start: State) -> PlannerRun:
    """Let it search the whole world, in a process of its own."""
    return planners.run_pyperplan(DOMAIN, problem_text(board, start))
