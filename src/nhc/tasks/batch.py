"""Tasks as the teacher sees them: configurations by number, never by their data words."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.tasks.algorithm import Algorithm


class Tasks(NamedTuple):
    """A batch of tasks; row i of each array is task i.

    `content[i, n]` is an integer for the configuration of node n, equal exactly if configurations are equal;
    columns beyond the goal are padding. `goal` is T_e, the node whose configuration is the goal's and the
    number of ticks that the search takes; `end` is T_b, the ticks after it.
    """

    content: NDArray[np.int32]
    goal: NDArray[np.int32]
    end: NDArray[np.int32]

    @property
    def size(self) -> int:
        """Number of tasks."""
        return len(self.goal)

    def rows(self, index: NDArray[np.intp] | slice) -> "Tasks":
        """The tasks at `index`."""
        return Tasks(self.content[index], self.goal[index], self.end[index])

    def padded(self, nodes: int) -> "Tasks":
        """The same tasks with `nodes` columns of content, which must reach every goal."""
        if nodes <= self.content.shape[1]:
            return Tasks(self.content[:, :nodes], self.goal, self.end)
        content = np.zeros((self.size, nodes), np.int32)
        content[:, : self.content.shape[1]] = self.content
        return Tasks(content, self.goal, self.end)


def concatenate(parts: list[Tasks]) -> Tasks:
    """All tasks of `parts`, in order."""
    if len(parts) == 1:
        return parts[0]
    nodes = max(part.content.shape[1] for part in parts)
    padded = [part.padded(nodes) for part in parts]
    return Tasks(*(np.concatenate(columns) for columns in zip(*padded, strict=True)))


def tick_bound(level: int, algorithm: Algorithm) -> int:
    """Most ticks that a task of any level up to `level` needs: 15 at Plan's Level 3, 88 at Level 21."""
    from nhc.tasks.tree import depths

    goal = np.arange(4 * level - 3, 4 * level + 1, dtype=np.int32)
    return int((goal + algorithm.end_ticks(depths(goal))).max())
