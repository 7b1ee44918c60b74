"""The one list of domains: command line, documentation and shared tests read it."""

import re
from collections.abc import Callable
from typing import TypeAlias, cast

from nhc.domains.free_tree import FreeTree, TreeState
from nhc.domains.permuted import permuted_sokoban
from nhc.domains.protocol import Domain
from nhc.domains.sliding.rules import Tiles
from nhc.domains.sliding.world import Sliding
from nhc.domains.sokoban.board import Board
from nhc.domains.sokoban.rules import State
from nhc.domains.sokoban.world import Sokoban
from nhc.domains.stacking.rules import Stacks
from nhc.domains.stacking.world import Stacking
from nhc.errors import ConfigError

AnyState: TypeAlias = tuple[object, ...]
"""A state, or a batch, of a domain of which only the protocol is known."""
AnyDomain: TypeAlias = Domain[AnyState]
"""A domain of which only the protocol is known; its states never mix with another domain's."""

SOKOBAN_NAME = re.compile(r"sokoban-(\d{1,2})x(\d{1,2})")
EXAMPLES = ("sokoban-6x6", "sokoban-8x8", "sokoban-permuted", "sliding-3x3", "stacking", "free-tree")
"""Sokoban has a name for every size that the sampler allows."""

WORLDS: dict[str, Callable[[], Domain[State] | Domain[Tiles] | Domain[Stacks] | Domain[TreeState]]] = {
    "sokoban-permuted": permuted_sokoban,
    "sliding-3x3": Sliding,
    "stacking": Stacking,
    FreeTree.name: FreeTree,
}
"""Worlds by name, beside Sokoban's sizes."""


def any_domain(domain: object) -> AnyDomain:
    """A domain as one whose state type is not known statically."""
    return cast(AnyDomain, domain)


def make_domain(name: str) -> AnyDomain:
    """The domain of that name.

    Raises ConfigError: `domain.unknown`, or `board.size` for a Sokoban board that cannot be sampled.
    """
    if name in WORLDS:
        return any_domain(WORLDS[name]())
    size = SOKOBAN_NAME.fullmatch(name)
    if size is None:
        raise ConfigError(
            "domain.unknown", f"expected a domain such as {', '.join(EXAMPLES)}, found {name!r}"
        )
    return any_domain(Sokoban(Board(int(size[1]), int(size[2]))))
