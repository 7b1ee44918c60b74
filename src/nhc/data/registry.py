"""Data modules by domain."""

from nhc.data.exact_free_tree import ExactFreeTree
from nhc.data.exact_local import ExactLocal
from nhc.data.protocol import DataModules
from nhc.domains.free_tree import FreeTree
from nhc.domains.local import LocalWorld
from nhc.domains.registry import AnyDomain, AnyState
from nhc.errors import ConfigError


def exact_modules(domain: AnyDomain) -> DataModules:
    """The modules that follow the domain's rules by design.

    Raises ConfigError (`domain.modules`) for a domain without a local view.
    """
    world: object = domain
    if isinstance(world, FreeTree):
        return ExactFreeTree()
    if not isinstance(domain, LocalWorld):
        raise ConfigError("domain.modules", f"{domain.name} has no local view to make data modules of")
    local: LocalWorld[AnyState] = domain
    return ExactLocal(local)
