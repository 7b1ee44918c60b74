"""Data modules by domain."""

from nhc.data.exact_free_tree import ExactFreeTree
from nhc.data.exact_sokoban import ExactSokoban
from nhc.data.protocol import DataModules
from nhc.domains.registry import AnyDomain
from nhc.domains.sokoban.world import Sokoban


def exact_modules(domain: AnyDomain) -> DataModules:
    """The modules that follow the domain's rules by design."""
    return ExactSokoban(domain.board) if isinstance(domain, Sokoban) else ExactFreeTree()
