"""Bad memories: a ring of failed tasks that are drawn again.

The paper, section "Learning of the Algorithmic Modules".
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.algorithms.traces import Traces, empty_traces


class BadMemories(NamedTuple):
    """The newest `held` failures among the rows of `tasks`; `next` is the row written next."""

    tasks: Traces
    next: int
    held: int

    def remember(self, failed: Traces) -> "BadMemories":
        """Add failures in order; in a full ring each overwrites the oldest. Solved tasks stay."""
        capacity, ticks = self.tasks.size, max(self.tasks.ticks, failed.ticks)
        rows = (self.next + np.arange(failed.size)) % capacity
        tasks = Traces(*(np.array(column) for column in self.tasks.padded(ticks)))
        for column, new in zip(tasks, failed.padded(ticks), strict=True):
            column[rows] = new
        held = min(capacity, self.held + failed.size)
        return BadMemories(tasks, int((self.next + failed.size) % capacity), held)

    def cleared(self) -> "BadMemories":
        """An empty ring of the same size."""
        return BadMemories(self.tasks, 0, 0)

    def recalled(self, index: NDArray[np.intp]) -> Traces:
        """The remembered tasks at `index` in 0..held-1."""
        return self.tasks.rows(index)


def empty_bad_memories(capacity: int, ticks: int, signals: int) -> BadMemories:
    """An empty ring for traces of up to `ticks` rows; it grows for longer ones."""
    return BadMemories(empty_traces(capacity, ticks, signals), 0, 0)
