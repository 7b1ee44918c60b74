"""What a run may cost, and how deep a plan that covers.

Without a closed list the search tree has 4^d nodes at depth d, so the ticks to finish depth d are
4 + 16 + ... + 4^d, and d + 1 more to walk back.
"""

from dataclasses import dataclass

from nhc.domains.protocol import BRANCHING

DEFAULT_TICKS = 22_400_000
"""All plans of up to 12 moves."""
DEFAULT_MEMORY = 2 * 2**30
DEFAULT_WORLDS = 400_000
"""Worlds that a search for a task at a node may draw."""


@dataclass(frozen=True)
class Budget:
    """Limits of one run: ticks and bytes of machine memory."""

    ticks: int = DEFAULT_TICKS
    memory: int = DEFAULT_MEMORY

    def ticks_within(self, bytes_per_tick: int) -> int:
        """Ticks that both limits allow."""
        return min(self.ticks, self.memory // bytes_per_tick)


DEFAULT_BUDGET = Budget()


def ticks_to_cover(depth: int) -> int:
    """Most ticks that a plan of `depth` moves can take, the way back included."""
    nodes = (BRANCHING ** (depth + 1) - BRANCHING) // (BRANCHING - 1)
    return nodes + depth + 1


def covered_depth(ticks: int) -> int:
    """Largest depth of which every plan fits into `ticks`."""
    depth = 0
    while ticks_to_cover(depth + 1) <= ticks:
        depth += 1
    return depth
