"""How fast tasks are answered with a closed list, beside plain searches and general planners.

A *whole answer* is all that `nhc solve` does with a task that was read: the graph made ahead, its nodes
numbered, control run on them by the learned program, the labels of the plan, and the referee's replay. *Graph
alone* is the first of these, a search in compiled code that finds the same. Reading, grounding and compiling
are left out on all sides. In Sokoban and in the puzzle every state has four successors, those without effect
among them, in PDDL one for each action that applies; each row counts what its own search made. pyperplan only
tells how many states it expanded: each is taken to have as many successors as ours have on average.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from nhc.bench import planners
from nhc.bench.measure import Row, timed
from nhc.bench.plain_graphs import Found, pddl_rules, search, sliding_rules, sokoban_rules
from nhc.domains.sokoban.rules import State
from nhc.domains.space import GraphTask
from nhc.model import Model, load_model
from nhc.pddl import parse_pddl
from nhc.planning.closed import explore
from nhc.planning.graph_search import Ending, solve_graph
from nhc.planning.graph_tasks import graph_task
from nhc.planning.puzzle_boards import GOAL, Board
from nhc.tasks.files import parse_task, puzzle_task
from nhc.tasks.planning import GoalCells

REPEATS = 3
LEVEL = """\
##########
#  #    .#
#        #
#   #  #.#
##  #    #
#  $ $  ##
#  $     #
# @#    .#
##########
"""
PUZZLE = (8, 6, 7, 2, 5, 4, 3, 0, 1)
"""One of the two boards that are farthest from the goal."""
BALLS = 11
GRIPPER = """\
(define (domain gripper)
  (:requirements :strips :typing)
  (:types room ball hand)
  (:predicates (robot-in ?r - room)
    (ball-in ?b - ball ?r - room) (idle ?h - hand) (holds ?h - hand ?b - ball))
  (:action go :parameters (?from ?to - room)
    :precondition (robot-in ?from)
    :effect (and (robot-in ?to) (not (robot-in ?from))))
  (:action take :parameters (?b - ball ?r - room ?h - hand)
    :precondition (and (robot-in ?r) (ball-in ?b ?r) (idle ?h))
    :effect (and (holds ?h ?b) (not (ball-in ?b ?r)) (not (idle ?h))))
  (:action put :parameters (?b - ball ?r - room ?h - hand)
    :precondition (and (robot-in ?r) (holds ?h ?b))
    :effect (and (ball-in ?b ?r) (idle ?h) (not (holds ?h ?b)))))
"""


PLAIN = "plain Python"


class Case(NamedTuple):
    """A task in the forms in which it is solved."""

    name: str
    ours: dict[str, GraphTask]
    """By how it is given."""
    plain: Callable[[], Found]
    pddl: tuple[str, str] | None = None
    """Domain and problem, for general planners."""


class Measured(NamedTuple):
    """One way to solve a task."""

    way: str
    states: int
    """Those that were made, each counted once; those that were expanded, for general planners."""
    generated: int
    plan: int | None
    core_seconds: float

    @property
    def speed(self) -> float:
        """Successors a second of one core."""
        return self.generated / self.core_seconds


def graph_rows() -> list[Row]:
    """All rows of the cases that ship."""
    model = load_model("zoo:graph-plan")
    cases = level_case(LEVEL), puzzle_case(PUZZLE), gripper_case(BALLS)
    return [row for case in cases for row in rows_of(model, case)]


def rows_of(model: Model, case: Case) -> list[Row]:
    """A row for each way; one without figures for a planner that is not installed."""
    plain = measured(PLAIN, case.plain, repeats=1)
    ways = [way for given, task in case.ours.items() for way in our_ways(model, given, task)]
    peers = [] if case.pddl is None else peer_ways(*case.pddl, ways[-1])
    ran = [*ways, plain, *(peer for peer in peers if isinstance(peer, Measured))]
    lengths = {way.plan for way in ran}
    assert len(lengths) == 1, f"all plans are shortest, found lengths {lengths}"
    rows = [row(case, way.way, way, plain) for way in ran]
    return [*rows, *(row(case, peer, None, plain) for peer in peers if isinstance(peer, str))]


def row(case: Case, way: str, found: Measured | None, plain: Measured) -> Row:
    """One way as a row; all figures are None where nothing was run."""
    return {
        "case": f"{case.name}: {way}",
        "states": found and found.states,
        "successors": found and found.generated,
        "plan": found and found.plan,
        "core s": found and round(found.core_seconds, 3),
        "million successors/core s": found and round(found.speed / 1e6, 3),
        "times plain Python": found and round(found.speed / plain.speed, 2),
    }


def our_ways(model: Model, given: str, task: GraphTask) -> list[Measured]:
    """The whole answer, and the graph alone."""

    def answer() -> Found:
        found = solve_graph(model, task, seconds=float("inf"))
        assert found.ending in (Ending.SOLVED, Ending.UNSOLVABLE), found.fault
        return Found(found.states, found.generated, len(found.labels) if found.labels else None)

    def graph() -> Found:
        found = explore(task.space)
        plan = None if found.goal is None else found.depth(found.goal)
        return Found(len(found.states), found.generated, plan)

    return [measured(f"{given}, whole answer", answer), measured(f"{given}, graph alone", graph)]


def peer_ways(domain: str, problem: str, ours: Measured) -> list[Measured | str]:
    """What general planners do, or why they did nothing."""
    ways: list[Measured | str] = []
    runs = {
        "pyperplan": ("pyperplan", planners.run_pyperplan),
        "Fast Downward": ("up-fast-downward", planners.run_fast_downward),
    }
    for name, (package, run) in runs.items():
        made = run(domain, problem)
        if made is None:
            ways.append(f"{name} (not installed: pip install {package})")
            continue
        generated = made.generated or round(made.expanded * ours.generated / ours.states)
        ways.append(Measured(f"PDDL, {name}", made.expanded, generated, made.plan, made.seconds))
    return ways


def measured(way: str, work: Callable[[], Found], repeats: int = REPEATS) -> Measured:
    """The median of some runs; where there are several, after one that compiles."""
    found = work() if repeats > 1 else None
    made = list[Found]()

    def steps() -> int:
        made.append(work())
        return made[-1].generated

    timing = timed(way, steps, repeats)
    assert found is None or found == made[-1], "equal runs"
    return Measured(way, *made[-1], timing.core_seconds)


def level_case(text: str) -> Case:
    """A Sokoban level by moves, by its own rules and as PDDL."""
    task = parse_task(text.encode())
    assert task.board is not None and isinstance(task.start, State) and isinstance(task.goal, GoalCells)
    cells = int(task.goal.cells)
    pddl = planners.SOKOBAN, planners.sokoban_problem(task.board, task.start, cells)
    ours: dict[str, GraphTask] = {"native": graph_task(task), "PDDL": parse_pddl(*pddl)}
    plain = partial(search, sokoban_rules(task.board, task.start, cells))
    return Case("Sokoban", ours, plain, pddl)


def puzzle_case(board: Board) -> Case:
    """A board of the 3x3 puzzle."""
    task = graph_task(puzzle_task(" ".join(map(str, board))))
    plain = partial(search, sliding_rules(board, GOAL))
    return Case("3x3 puzzle", {"native": task}, plain)


def gripper_case(balls: int) -> Case:
    """A robot carries balls from one room to the other, two at a time."""
    names = [f"b{number}" for number in range(balls)]
    there, wanted = (" ".join(f"(ball-in {name} {room})" for name in names) for room in ("x", "y"))
    problem = f"""(define (problem balls) (:domain gripper)
    (:objects x y - room l r - hand {" ".join(names)} - ball)
    (:init (robot-in x) (idle l) (idle r) {there}) (:goal (and {wanted})))"""
    task = parse_pddl(GRIPPER, problem)
    return Case("gripper", {"PDDL": task}, partial(search, pddl_rules(task)), (GRIPPER, problem))
