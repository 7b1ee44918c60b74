"""The two algorithms of the paper, as what differs between them for machine and teacher."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Algorithm:
    """An algorithm to be learned.

    After the goal was met the teacher expects `nop`: once to stop (Search), or on every tick of the way back
    from the goal to the start, each time with the right data word (Plan).
    """

    name: str
    signals: int
    """Control signals that Input gives the controller."""
    bonus: float
    """Fitness for a perfect end on top of the 100 for the search (the paper, Eq. 3)."""
    backtracks: bool

    @property
    def data_points(self) -> int:
        """Points for the right data word on a tick after the goal: a right `nop` counts one beside it."""
        return 2 if self.backtracks else 0

    def end_ticks(self, depth: NDArray[np.int32]) -> NDArray[np.int32]:
        """T_b: ticks after the goal was met, for goals at `depth`."""
        return depth + 1 if self.backtracks else np.ones_like(depth)

    @property
    def maximum(self) -> float:
        """Best fitness of a batch: 120 for Search, 150 for Plan."""
        return 100.0 + self.bonus


SEARCH = Algorithm("search", signals=2, bonus=20.0, backtracks=False)
PLAN = Algorithm("plan", signals=3, bonus=50.0, backtracks=True)

ALGORITHMS: dict[str, Algorithm] = {algorithm.name: algorithm for algorithm in (SEARCH, PLAN)}
