"""Between a task's states (plain integers), their data words, and the computer's problem."""

import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from nhc.algorithms.tree.algorithm import tree_algorithm
from nhc.computer.world import CellsGoal, Computer, ConfigurationGoal, Problem
from nhc.data.exact import exact_modules
from nhc.data.protocol import DataModules
from nhc.domains.registry import AnyDomain, AnyState
from nhc.domains.sokoban.world import BOX, SYMBOLS
from nhc.domains.states import plain
from nhc.errors import ModelError
from nhc.model import Model
from nhc.tasks.planning import GoalCells, PlanningTask


def computer_for(model: Model, domain: AnyDomain, modules: DataModules | None = None) -> Computer:
    """The model's machine with data modules, by default the exact ones of the domain.

    Raises what `require_words` raises.
    """
    modules = exact_modules(domain) if modules is None else modules
    require_words(modules, domain)
    return Computer(model.parameters, model.config, tree_algorithm(model.algorithm), modules)


def require_words(modules: DataModules, domain: AnyDomain) -> None:
    """Raises ModelError (`model.encoding`) for modules of words of another length than the domain's."""
    if modules.word_bits != domain.word_bits:
        message = f"expected modules for the {domain.word_bits} bits of {domain.name}, found {modules.name} "
        raise ModelError("model.encoding", f"{message}for {modules.word_bits}")


def problem_for(task: PlanningTask) -> Problem:
    """The task in data words."""
    start, goal = jnp.asarray(task.world.encode(task.start)), task.goal
    if not isinstance(goal, GoalCells):
        return Problem(start, ConfigurationGoal(jnp.asarray(task.world.encode(goal))))
    assert task.board is not None, "goal cells belong to a board"
    elsewhere = np.zeros((task.board.cells, len(SYMBOLS)), np.uint8)
    elsewhere[:, BOX] = [not goal.cells >> cell & 1 for cell in range(task.board.cells)]
    return Problem(start, CellsGoal(jnp.asarray(elsewhere.reshape(-1))))


def decoded_states(domain: AnyDomain, words: NDArray[np.uint8]) -> list[AnyState]:
    """The states of data words, in order."""
    return [plain(domain.decode(word)) for word in words]
