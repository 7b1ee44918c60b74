"""A general planner on the same Sokoban world, for comparison: pyperplan, if the `planning` extra is there.

It runs as a program of its own on PDDL files and is never imported. Breadth-first search with duplicate
detection visits every reachable state once, because the goal, the agent in two places, is never met; so the
number of successors that it generates is known exactly.
"""

import re
import subprocess
import sys
from collections import deque
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

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


class PlannerRun(NamedTuple):
    """What the planner reported."""

    expanded: int
    seconds: float
    """Of its search alone, without parsing and grounding."""


def is_installed() -> bool:
    """Is pyperplan there?"""
    return find_spec("pyperplan") is not None


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


def problem_text(board: Board, start: State) -> str:
    """The world as a PDDL problem without a solution."""
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
    return (
        f"(define (problem world) (:domain sokoban) (:objects {objects} - cell)\n"
        f"  (:init {' '.join(facts)})\n"
        f"  (:goal (and (agent c{cells[0]}) (agent c{cells[1]}))))\n"
    )


def run_pyperplan(board: Board, start: State) -> PlannerRun:
    """Let it search the whole world, in a process of its own."""
    with TemporaryDirectory() as folder:
        domain, problem = Path(folder, "domain"), Path(folder, "problem")
        domain.write_text(DOMAIN)
        problem.write_text(problem_text(board, start))
        command = [sys.executable, "-m", "pyperplan", "--search", "bfs", str(domain), str(problem)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    return read_log(done.stdout + done.stderr)


def read_log(log: str) -> PlannerRun:
    """Nodes and seconds from its messages; raises ValueError if they are not there."""
    expanded = re.search(r"(\d+) Nodes expanded", log)
    seconds = re.search(r"Search time: ([\d.e+-]+)", log)
    if expanded is None or seconds is None:
        raise ValueError(f"expected the planner's figures, found: {log[-300:]}")
    return PlannerRun(int(expanded[1]), float(seconds[1]))
