"""Data modules by domain."""

from nhc.data.exact_free_tree import ExactFreeTree
from nhc.data.exact_local import ExactLocal
from nhc.data.exact_sokoban import ExactSokoban
from nhc.data.protocol import DataModules
from nhc.domains.free_tree import FreeTree
from nhc.domains.local import LocalWorld
from nhc.domains.registry import AnyDomain, AnyState
from nhc.domains.sokoban.world import Sokoban
from nhc.errors import ConfigError


def exact_modules(domain: AnyDomain) -> DataModules:
    """The modules that follow the domain's rules by design.

    Raises ConfigError (`domain.modules`) for a domain without a local view.
    """
    by_rule = _designed(domain)
    if by_rule is not None:
        return by_rule
    if not isinstance(domain, LocalWorld):
        raise ConfigError("domain.modules", f"{domain.name} has no local view to make data modules of")
    world: LocalWorld[AnyState] = domain
    return ExactLocal(world)


def _designed(domain: object) -> DataModules | None:
    """Modules written for one kind of domain, which are faster."""
    if isinstance(domain, Sokoban):
        return ExactSokoban(domain.board)
    return ExactFreeTree() if isinstance(domain, FreeTree) else None
