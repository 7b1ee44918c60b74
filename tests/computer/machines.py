"""Machines, worlds and problems that the tests share; few shapes, since each is compiled anew."""

from collections.abc import Callable
from functools import cache, lru_cache

import jax
import jax.numpy as jnp
import numpy as np

from nhc.algorithms.registry import ALGORITHMS as SHIPPED
from nhc.algorithms.registry import AnyAlgorithm
from nhc.algorithms.tree.algorithm import TREES
from nhc.computer.run import Outcome, run
from nhc.computer.trace import TaskTrace, trace
from nhc.computer.world import Computer, ConfigurationGoal, Problem
from nhc.domains.free_tree import TreeState
from nhc.domains.registry import AnyDomain, make_domain
from nhc.machine.config import MachineConfig
from nhc.machine.parameters import Parameters
from nhc.model import Model, load_model
from nhc.planning.states import computer_for, problem_for
from nhc.tasks.planning import PlanningTask
from tests.oracles.formulas import Phases
from tests.oracles.machine import Oracle, OracleConfig, OracleTick
from tests.oracles.teacher import damaged, search_weights

RUN_TICKS = 1 << 15
"""Budget of every `run`: one capacity, so one compilation a world."""
TRACE_TICKS = 100

ALGORITHMS: dict[str, AnyAlgorithm] = {name: SHIPPED[name] for name in TREES}
"""The algorithms on trees, which most of these machines run."""
PLAN, SEARCH = ALGORITHMS["plan"], ALGORITHMS["search"]

Weights = dict[str, np.ndarray]


def model_of(weights: Weights, algorithm: str = "plan", **options: object) -> Model:
    """A machine with these weights."""
    chosen = ALGORITHMS[algorithm]
    config = MachineConfig.model_validate({"signals": len(chosen.signals), **options})
    return Model(Parameters.from_blocks(weights, config), config, chosen, {})


def hand_made(algorithm: str = "plan", fault: str = "none", **options: object) -> Model:
    """Breadth-first search written by hand, perhaps with a fault of the teacher's list."""
    weights = damaged(fault)
    return model_of(weights if algorithm == "plan" else search_weights(weights), algorithm, **options)


def stacked(models: list[Model]) -> Parameters:
    """The parameters of several machines with a leading axis, as members of a generation."""
    return jax.tree.map(lambda *leaves: jnp.stack(leaves), *(model.parameters for model in models))


@cache
def zoo(name: str) -> Model:
    """A shipped model."""
    return load_model(f"zoo:{name}")


@lru_cache
def world(name: str) -> AnyDomain:
    """A domain by name."""
    return make_domain(name)


def free_task(goal: int, start: int = 0) -> PlanningTask:
    """The free tree's task to reach a node."""
    ends = TreeState(start), TreeState(goal)
    return PlanningTask(make_domain("free-tree"), *ends, f"free-tree-{start}-{goal}")


def traced(model: Model, task: PlanningTask, max_ticks: int = TRACE_TICKS) -> TaskTrace:
    """The trace of a task."""
    return trace(computer_for(model, domain_named(task)), problem_for(task), max_ticks=max_ticks)


def ran(model: Model, task: PlanningTask, max_ticks: int = RUN_TICKS) -> Outcome:
    """The outcome of a task."""
    return run(computer_for(model, domain_named(task)), problem_for(task), max_ticks=max_ticks)


def domain_named(task: PlanningTask) -> AnyDomain:
    """The domain that a task names."""
    return world(task.world.name)


def between(domain: AnyDomain, start: object, goal: object) -> Problem:
    """The problem to get from one state to another."""
    words = [jnp.asarray(domain.encode(state)) for state in (start, goal)]
    return Problem(words[0], ConfigurationGoal(words[1]))


def computer(model: Model, domain: AnyDomain) -> Computer:
    """A model's machine with the exact modules of a world."""
    return computer_for(model, domain)


def oracle_run(
    weights: Weights, goal: Callable[[int], bool], ticks: int, algorithm: str = "plan"
) -> tuple[list[OracleTick], list[int], str]:
    """The plain machine on the free tree: its ticks, the nodes fed to it, and how it ends by the rules."""
    oracle = Oracle(weights, OracleConfig(signals=len(ALGORITHMS[algorithm].signals)))
    ticks_made: list[OracleTick] = []
    fed: list[int] = []
    node, met, phases = 0, False, Phases(oracle.config.signals)
    for _ in range(ticks):
        fed.append(node)
        equal = node == 0 if met else goal(node)
        made = oracle.tick(node, phases.signals(equal))
        ticks_made.append(made)
        met = met or equal
        if made.data_read is None:
            return ticks_made, fed, "nothing in memory"
        node = made.data_read if made.op == 4 else 4 * made.data_read + made.op + 1
        if made.op == 4 and not met:
            return ticks_made, fed, "stopped without goal"
        if met and (node == 0 if algorithm == "plan" else made.op == 4):
            return ticks_made, fed, "finished"
    return ticks_made, fed, "running"
