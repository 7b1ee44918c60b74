"""Between a task's states (plain integers), their data words, and the computer's problem."""

import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from nhc.algorithms.tree.algorithm import tree_algorithm
from nhc.computer.world import CellsGoal, Computer, ConfigurationGoal, GoalTest, Problem
from nhc.data.protocol import DataModules
from nhc.data.registry import exact_modules
from nhc.domains.registry import AnyDomain, AnyState
from nhc.domains.sokoban.rules import Board
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
    domain = task.world
    return Problem(_word(domain, task.start), _goal_test(task, domain))


def decoded_states(domain: AnyDomain, words: NDArray[np.uint8]) -> list[AnyState]:
    """The states of data words, in order."""
    return [plain(domain.decode(word)) for word in words]


def _goal_test(task: PlanningTask, domain: AnyDomain) -> GoalTest:
    if isinstance(task.goal, GoalCells):
        assert task.board is not None, "goal cells belong to a board"
        return CellsGoal(jnp.asarray(_boxes_elsewhere(task.board, task.goal.cells)))
    return ConfigurationGoal(_word(domain, task.goal))


def _word(domain: AnyDomain, state: AnyState) -> jnp.ndarray:
    return jnp.asarray(domain.encode(state))


def _boxes_elsewhere(board: Board, goals: int) -> NDArray[np.uint8]:
    """The word with the box bit of every cell that is no goal."""
    word = np.zeros((board.cells, len(SYMBOLS)), np.uint8)
    word[:, BOX] = [not goals >> cell & 1 for cell in range(board.cells)]
    return word.reshape(-1)
