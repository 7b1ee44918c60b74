"""Worlds whose states are made of cells, by name."""

from nhc.domains.local import FiniteWorld
from nhc.domains.registry import AnyState, make_domain
from nhc.errors import ConfigError


def finite_world(name: str) -> FiniteWorld[AnyState]:
    """The world of that name. Raises ConfigError (`domain.cells`) if its states are not made of cells."""
    world = make_domain(name)
    if not isinstance(world, FiniteWorld):
        raise ConfigError("domain.cells", f"expected a world made of cells, found {name}")
    return world
