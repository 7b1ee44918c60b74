"""What a machine gets for a task: data modules of its world, and its states (plain integers) as data."""

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from nhc.algorithms.tree.algorithm import tree_algorithm
from nhc.computer.world import CellsGoal, Computer, ConfigurationGoal, Problem
from nhc.data.exact import exact_modules
from nhc.data.protocol import DataModules
from nhc.domains.local import LocalWorld
from nhc.domains.registry import AnyDomain, AnyState
from nhc.domains.sokoban.rules import State
from nhc.domains.sokoban.world import BOX, SYMBOLS, SokobanGame
from nhc.domains.states import plain
from nhc.errors import ConfigError, ModelError
from nhc.model import Model
from nhc.supervised.check.report import check_note
from nhc.supervised.files import learned_modules, load_modules
from nhc.tasks.planning import GoalCells, PlanningTask
from nhc.zoo import EXACT, LEARNED, modules_path, shipped_path


class ChosenModules(NamedTuple):
    """Data modules and what is known about them."""

    modules: DataModules
    kind: str
    """`learned` or `exact`."""
    note: str
    """For a person: what they are and how they were checked."""


def chosen_modules(choice: str, domain: AnyDomain, start: AnyState | None = None) -> ChosenModules:
    """The modules by choice: `learned` (those that ship and cover `start`, else exact), `exact`, or a file.

    Raises ConfigError (`domain.modules`) if a file is given for a world without a local view, and ModelError:
    those of `load_modules`, and `modules.family` if a file does not cover `start`.
    """
    if choice == EXACT:
        return ChosenModules(exact_modules(domain), EXACT, "exact data modules")
    covered = start is None or is_covered(domain, start)
    path = shipped_path(domain.name) if choice == LEARNED else modules_path(choice)
    if path is None or (choice == LEARNED and not covered):
        reason = "no learned ones ship for this world"
        if path is not None:
            reason = "the start is outside the family of the learned ones"
        return ChosenModules(exact_modules(domain), EXACT, f"exact data modules ({reason})")
    if not isinstance(domain, LocalWorld):
        message = f"{domain.name} has no local view, so it has no learned data modules"
        raise ConfigError("domain.modules", message)
    model = load_modules(path, domain)
    if not covered:
        message = f"the start is outside the family of {domain.name}: {domain.family}"
        raise ModelError("modules.family", message)
    return ChosenModules(
        learned_modules(model), LEARNED, f"learned data modules ({check_note(path, model.hash)})"
    )


def is_covered(domain: AnyDomain, state: AnyState) -> bool:
    """Is a state in the family that learned modules were checked on? Only Sokoban has states outside."""
    world: object = domain
    return not isinstance(world, SokobanGame) or (isinstance(state, State) and world.in_family(state))


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
