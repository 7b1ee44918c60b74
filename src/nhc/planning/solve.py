"""Solving one planning task with a trained machine, and checking what it found before saying so."""

from collections.abc import Callable

from nhc.algorithms.tree.algorithm import tree_algorithm
from nhc.algorithms.tree.environment import Status
from nhc.certify.prove import prove
from nhc.data.protocol import DataModules
from nhc.errors import ConfigError
from nhc.model import Model
from nhc.planning.budget import DEFAULT_BUDGET, Budget
from nhc.planning.engines import Engine, chosen_engine
from nhc.planning.solution import Ending, Solution, checked_plan
from nhc.planning.states import ChosenModules, chosen_modules, require_words
from nhc.tasks.planning import PlanningTask
from nhc.zoo import DEFAULT_CHOICE, LEARNED

ENGINES = ("auto", "network", "program")


def solve(
    model: Model,
    task: PlanningTask,
    *,
    budget: Budget = DEFAULT_BUDGET,
    engine: Engine | str = "auto",
    modules: DataModules | str = DEFAULT_CHOICE,
    on_progress: Callable[[int], None] = lambda ticks: None,
) -> Solution:
    """Run the machine with data in the loop on `task`; a plan is replayed by an independent referee.

    As `nhc solve` does it: `engine` is `program` (what the weights are proved to be), `network` (the weights
    at every tick) or `auto`, the program where there is one. `modules` are `learned` (those that ship, else
    exact ones), `exact`, a file, or data modules of your own. An `Engine` brings its own modules.

    A task that its world can tell to be unsolvable is not run.

    Raises ConfigError: `solve.budget` if the budget does not cover a single tick, `solve.engine` for another
    name, `engine.unproved`; what `chosen_modules` raises; ModelError (`model.encoding`).
    """
    if task.is_met(task.start):
        return Solution(Ending.ALREADY_SOLVED, 0, (task.start,))
    if task.unsolvable is not None:
        return Solution(Ending.UNSOLVABLE, 0, fault=task.unsolvable)
    if isinstance(engine, str):
        engine = _engine(model, task, engine, modules)
    max_ticks = budget.ticks_within(engine.bytes_per_tick(task))
    if max_ticks < 1:
        raise ConfigError("solve.budget", "the budget does not cover a single tick")
    outcome = engine.run(task, max_ticks, on_progress)
    if outcome.status == Status.RUNNING:
        return Solution(Ending.BUDGET_EXHAUSTED, outcome.ticks)
    if outcome.status != Status.FINISHED:
        return Solution(Ending.STOPPED, outcome.ticks)
    if not tree_algorithm(model.algorithm).backtracks:
        return Solution(Ending.FOUND, outcome.ticks)
    return checked_plan(task, outcome.emitted, outcome.ticks)


def _engine(model: Model, task: PlanningTask, name: str, modules: DataModules | str) -> Engine:
    if name not in ENGINES:
        raise ConfigError("solve.engine", f"expected one of {', '.join(ENGINES)}; found {name!r}")
    domain = task.world
    if isinstance(modules, str):
        chosen = chosen_modules(modules, domain, task.start)
    else:
        require_words(modules, domain)
        chosen = ChosenModules(modules, LEARNED, modules.name)
    return chosen_engine(name, model, prove(model), task, chosen)
