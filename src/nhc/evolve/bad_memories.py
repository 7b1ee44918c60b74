"""Bad memories: a ring of failed tasks that are drawn again.

The paper, section "Learning of the Algorithmic Modules".
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.tasks.batch import Tasks


class BadMemories(NamedTuple):
    """The newest `held` failures among the rows of `tasks`; `next` is the row written next."""

    tasks: Tasks
    next: int
    held: int

    def remember(self, failed: Tasks) -> "BadMemories":
        """Add failures in order; in a full ring each overwrites the oldest. Solved tasks stay."""
        capacity = len(self.tasks.goal)
        rows = (self.next + np.arange(failed.size)) % capacity
        tasks = Tasks(*(column.copy() for column in self.tasks))
        for column, new in zip(tasks, failed.padded(tasks.content.shape[1]), strict=True):
            column[rows] = new
        held = min(capacity, self.held + failed.size)
        return BadMemories(tasks, int((self.next + failed.size) % capacity), held)

    def cleared(self) -> "BadMemories":
        """An empty ring of the same size."""
        return BadMemories(self.tasks, 0, 0)

    def recalled(self, index: NDArray[np.intp]) -> Tasks:
        """The remembered tasks at `index` in 0..held-1."""
        return self.tasks.rows(index)


def no_bad_memories(capacity: int, nodes: int) -> BadMemories:
    """An empty ring for tasks of up to `nodes` nodes."""
    empty = Tasks(np.zeros((capacity, nodes), np.int32), *np.zeros((2, capacity), np.int32))
    return BadMemories(empty, 0, 0)
