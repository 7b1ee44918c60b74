"""The one list of domains: command line, documentation and shared tests read it."""

import re
from typing import TypeAlias, cast

from nhc.domains.free_tree import FreeTree, TreeState
from nhc.domains.protocol import Domain
from nhc.domains.sokoban.board import Board
from nhc.domains.sokoban.rules import State
from nhc.domains.sokoban.world import Sokoban
from nhc.errors import ConfigError

AnyState: TypeAlias = State | TreeState
AnyDomain: TypeAlias = Domain[AnyState]
"""A domain of which only the protocol is known; its states never mix with another domain's."""

SOKOBAN_NAME = re.compile(r"sokoban-(\d{1,2})x(\d{1,2})")
EXAMPLES = ("sokoban-6x6", "sokoban-8x8", "free-tree")
"""Sokoban has a name for every size that the sampler allows."""


def any_domain(domain: FreeTree | Sokoban) -> AnyDomain:
    """A domain as one whose state type is not known statically."""
    return cast(AnyDomain, domain)


def make_domain(name: str) -> AnyDomain:
    """The domain of that name.

    Raises ConfigError: `domain.unknown`, or `board.size` for a Sokoban board that cannot be sampled.
    """
    if name == FreeTree.name:
        return any_domain(FreeTree())
    size = SOKOBAN_NAME.fullmatch(name)
    if size is None:
        raise ConfigError(
            "domain.unknown", f"expected a domain such as {', '.join(EXAMPLES)}, found {name!r}"
        )
    return any_domain(Sokoban(Board(int(size[1]), int(size[2]))))
