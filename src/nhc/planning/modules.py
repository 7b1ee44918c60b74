"""Which data modules a world gets: learned ones that ship or lie in a file, or those of its rules."""

from typing import NamedTuple

from nhc.data.exact import exact_modules
from nhc.data.protocol import DataModules
from nhc.domains.local import LocalWorld
from nhc.domains.registry import AnyDomain, AnyState
from nhc.domains.sokoban.rules import State
from nhc.domains.sokoban.world import SokobanGame
from nhc.errors import ConfigError, ModelError
from nhc.supervised.check.report import check_note
from nhc.supervised.files import learned_modules, load_modules
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
