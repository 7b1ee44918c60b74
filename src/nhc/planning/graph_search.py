"""Solving a task with a machine that learned graph search: data ahead, control on the numbers of its graph.

A proved machine searches breadth first with a closed list, whatever the data are, and control sees of a state
only whether it was made before and whether it is the goal. So the graph is made ahead, in compiled code
(`nhc.planning.closed`), and control then runs on node numbers: by its program, or by the network at every
tick. What control answers is what is reported, after a referee has replayed the plan.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from nhc.algorithms.tree.graph_plan import GRAPH_PLAN, Graph
from nhc.certify.paths import PathProof, PathVerdict, prove_paths
from nhc.computer.hosted import Execution, execute
from nhc.domains.protocol import BRANCHING
from nhc.domains.space import GraphTask
from nhc.errors import ConfigError
from nhc.model import Model
from nhc.planning.closed import Limits, explore
from nhc.planning.explored import Explored
from nhc.planning.known_graph import KnownGraph, known_graph, most_nodes
from nhc.program.control import Control
from nhc.program.data_engine import run_data
from nhc.program.memory import MOST_TICKS, Pace

DEFAULT_MEMORY, DEFAULT_SECONDS = 2 * 2**30, 60.0
MEMORY_FOR_DATA = 0.5
"""Share of the memory for the search that makes the graph: control takes more than it, and comes after it."""
NODE_BYTES = 88
"""Of a node for control: its children, its state, what was done to it, its cell, and room to grow."""
ENGINES = ("program", "network")


class Ending(StrEnum):
    """How an attempt ended."""

    SOLVED = "solved"
    UNSOLVABLE = "proven unsolvable"
    BUDGET = "budget exhausted"
    INVALID = "invalid input"
    """Nothing was run: see `fault`."""
    ERROR = "internal error"
    """The answer did not stand the check: see `fault`."""


@dataclass(frozen=True)
class Answer:
    """What came of one task."""

    ending: Ending
    labels: tuple[int, ...] = ()
    """The actions of the plan."""
    plan: str = ""
    """The plan as its users write it."""
    ticks: int = 0
    """Of the machine."""
    states: int = 0
    """Different configurations that were made."""
    generated: int = 0
    """Successors that were made, whether they were new or not."""
    fault: str | None = None
    """What a referee objects to; which limit was reached; why the input is none, or why there is no plan."""
    explored: Explored | None = None
    """The graph, for a witness."""


def require_graph_plan(model: Model) -> None:
    """Raises ConfigError (`algorithm.family`) for a machine that learned something else."""
    found: object = model.algorithm
    if found is not GRAPH_PLAN:
        raise ConfigError(
            "algorithm.family", f"expected a machine for graph-plan, found {model.algorithm.name}"
        )


def solve_graph(
    model: Model,
    task: GraphTask,
    *,
    memory: int = DEFAULT_MEMORY,
    seconds: float = DEFAULT_SECONDS,
    engine: str = "program",
    on_progress: Callable[[int, int], None] = lambda states, generated: None,
) -> Answer:
    """Search for a shortest plan within about `memory` bytes and `seconds`.

    With a proved machine a plan is shortest, and `UNSOLVABLE` says that every configuration that can be
    reached was expanded. `on_progress` gets configurations and successors so far. Raises ConfigError:
    `algorithm.family` for another machine, `solve.engine` for an engine other than `program` and `network`,
    `solve.budget` unless both limits are positive, and what `Control` raises.
    """
    require_graph_plan(model)
    if engine not in ENGINES:
        raise ConfigError("solve.engine", f"expected one of {', '.join(ENGINES)}; found {engine!r}")
    if memory < 1 or not seconds > 0:
        raise ConfigError("solve.budget", f"expected positive limits, found {memory} bytes, {seconds} s")
    space = task.space
    if space.at_goal(space.facts, space.start):
        return Answer(Ending.SOLVED, fault=task.plan_fault([]), states=1)
    explored = explore(space, Limits(int(memory * MEMORY_FOR_DATA), seconds=seconds), on_progress=on_progress)
    states, generated = len(explored.states), explored.generated
    limit = explored.limit or ("memory" if memory_for_control(explored) > memory else None)
    if limit is not None:
        fault = f"the limit of {limit} was reached"
        return Answer(Ending.BUDGET, states=states, generated=generated, fault=fault, explored=explored)
    graph = known_graph(explored)
    nodes, ticks = controlled(model, graph, engine)
    found = Answer(Ending.UNSOLVABLE, ticks=ticks, states=states, generated=generated, explored=explored)
    if nodes is None:
        return replace(found, ending=Ending.ERROR, fault="control stopped before its search was at its end")
    return checked(task, explored, graph, nodes, found) if nodes else found


def memory_for_control(explored: Explored) -> int:
    """Bytes of a graph and of control that runs on it."""
    graph = sum(array.nbytes for array in (explored.states, explored.offsets, explored.successors))
    return graph + NODE_BYTES * most_nodes(explored)[1]


def controlled(model: Model, graph: KnownGraph, engine: str) -> tuple[tuple[int, ...] | None, int]:
    """What a machine answers on a graph, and its ticks.

    The nodes from the start to the goal, none if the queue ran dry, None if it stopped for no reason.
    """
    instance = Graph(graph.children, graph.goal)
    if engine == "network":
        executed = execute(model, instance, max_ticks=MOST_TICKS)
        result, ticks = executed.result, executed.ticks
    else:
        made = run_data(
            _control_of(model),
            GRAPH_PLAN.functions,
            GRAPH_PLAN.load(instance),
            max_ticks=MOST_TICKS,
            max_memory=2**62,  # The graph was bounded: control stores a cell for each of its nodes.
            pace=Pace(2 * len(graph.states)),  # Unused room costs nothing.
        )
        result, ticks = GRAPH_PLAN.answer(tuple(made.output.tolist())) if made.ended else None, made.ticks
    return (result if isinstance(result, tuple) and all(node >= 0 for node in result) else None), ticks


@lru_cache(maxsize=1)
def _control_of(model: Model) -> Control:
    """Its control, which keeps what earlier runs asked the network."""
    return Control(model.parameters, model.config)


def trace_graph(model: Model, task: GraphTask, *, max_ticks: int) -> Execution:
    """The network on the graph of a task, with its trace; data words are states, as they were first met.

    Raises what `require_graph_plan` and `execute` raise.
    """
    require_graph_plan(model)
    if task.space.at_goal(task.space.facts, task.space.start):
        return execute(model, Graph([[0] * BRANCHING], 0), max_ticks=max_ticks, keep=True)
    # A search makes a successor a tick, so that no more of the graph can be met.
    graph = known_graph(explore(task.space, Limits(generated=max_ticks)))
    return execute(model, Graph(graph.children, graph.goal), max_ticks=max_ticks, keep=True)


def checked(
    task: GraphTask, explored: Explored, graph: KnownGraph, nodes: tuple[int, ...], found: Answer
) -> Answer:
    """The answer with the plan along these nodes, once the referee has replayed it."""
    try:
        labels = explored.labels_along(graph.states_on([*nodes]))
    except ValueError:
        return replace(found, ending=Ending.ERROR, fault="the plan is no way through the graph")
    fault = task.plan_fault(labels)
    ending = Ending.SOLVED if fault is None else Ending.ERROR
    return replace(found, ending=ending, labels=tuple(labels), plan=task.plan_text(labels), fault=fault)


def control_note(verdict: PathVerdict) -> str:
    """What a verdict on control means for answers."""
    if isinstance(verdict, PathProof):
        return "control proved: breadth-first search with a closed list, so plans are shortest"
    return "control NOT proved: plans are replayed, but need not be shortest"


def verdict_of(model: Model) -> PathVerdict:
    """The verdict on a machine for graph search. Raises what `require_graph_plan` raises."""
    require_graph_plan(model)
    return prove_paths(model)
