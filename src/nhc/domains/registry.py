"""The one list of domains: command line, documentation and shared tests read it."""

import re
from collections.abc import Callable
from typing import TypeAlias, cast

from nhc.domains.free_tree import FreeTree
from nhc.domains.local import FiniteWorld
from nhc.domains.permuted import PermutedSokoban
from nhc.domains.protocol import Domain, ReadableDomain
from nhc.domains.sliding import Sliding
from nhc.domains.sokoban.rules import Board
from nhc.domains.sokoban.world import Sokoban
from nhc.domains.stacking import Stacking
from nhc.errors import ConfigError

AnyState: TypeAlias = tuple[object, ...]
"""A state, or a batch, of a domain of which only the protocol is known."""
AnyDomain: TypeAlias = Domain[AnyState]
"""A domain of which only the protocol is known; its states never mix with another domain's."""
AnyReadable: TypeAlias = ReadableDomain[AnyState]
"""Every domain that has a name."""

SOKOBAN_NAME = re.compile(r"sokoban-(\d{1,2})x(\d{1,2})")
STACKING_NAME = re.compile(r"stacking-(\d)")
EXAMPLES = ("sokoban-6x6", "sokoban-8x8", "sokoban-permuted", "sliding-3x3", "stacking", "free-tree")
"""Sokoban has a name for every size that the sampler allows, stacking one for 1 to 9 boxes."""

WORLDS: dict[str, Callable[[], object]] = {
    "sokoban-permuted": PermutedSokoban,
    "sliding-3x3": Sliding,
    "stacking": Stacking,
    FreeTree.name: FreeTree,
}
"""Worlds by name, beside Sokoban's sizes; each is a `ReadableDomain`. A further world needs an entry here."""


def domain_names() -> tuple[str, ...]:
    """Names that `make_domain` knows; Sokoban has one for every size, stacking for every number of boxes."""
    return EXAMPLES


def any_domain(domain: object) -> AnyReadable:
    """A readable domain as one whose state type is not known statically."""
    return cast(AnyReadable, domain)


def make_domain(name: str) -> AnyReadable:
    """The domain of that name.

    Raises ConfigError: `domain.unknown`, or `board.size` for a Sokoban board that cannot be sampled,
    or `stacking.boxes`.
    """
    if name in WORLDS:
        return any_domain(WORLDS[name]())
    boxes = STACKING_NAME.fullmatch(name)
    if boxes is not None:
        return any_domain(Stacking(int(boxes[1])))
    size = SOKOBAN_NAME.fullmatch(name)
    if size is None:
        raise ConfigError(
            "domain.unknown", f"expected a domain such as {', '.join(EXAMPLES)}, found {name!r}"
        )
    return any_domain(Sokoban(Board(int(size[1]), int(size[2]))))


def finite_world(name: str) -> FiniteWorld[AnyState]:
    """The domain of that name, if its states are made of cells and can be enumerated.

    Raises ConfigError: `domain.cells` for another one, and what `make_domain` raises.
    """
    world = make_domain(name)
    if not isinstance(world, FiniteWorld):
        raise ConfigError("domain.cells", f"expected a world made of cells, found {name}")
    return world
