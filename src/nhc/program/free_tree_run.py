"""The free tree as data of a run: node numbers of four bytes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.domains.free_tree import LAST_NODE, TreeState
from nhc.errors import ConfigError
from nhc.program import runtime
from nhc.program.compiled import Tables
from nhc.program.jit import compiled
from nhc.program.memory import Memory, grown
from nhc.program.registers import Log, Registers
from nhc.shapes import NONE

NODE_BYTES = 4


class FreeTreeColumns(NamedTuple):
    """Node numbers, and the goal, `NONE` for a run without one."""

    nodes: NDArray[np.uint32]
    goal: int

    def grown(self, capacity: int) -> "FreeTreeColumns":
        """Room for `capacity` ticks and their last output; uses up these columns."""
        return self._replace(nodes=grown(self.nodes, capacity + 1))

    def advance(self, tables: Tables, memory: Memory, run: Registers, limit: int, log: Log) -> Registers:
        """Run the compiled loop."""
        loop = compiled(runtime.free_tree_loop)
        return loop(tables, memory, self.nodes, self.goal, run, limit, log)

    def states(self, addresses: NDArray[np.int64]) -> TreeState:
        """The nodes in these cells, a batch."""
        return TreeState(self.nodes[addresses].astype(np.uint64))


def free_tree_columns(start: TreeState, goal: TreeState | None) -> FreeTreeColumns:
    """A run from `start` before its first tick. Raises ConfigError (`program.node`) for no node."""
    nodes = [int(state.node) for state in (start, goal) if state is not None]
    if not all(0 <= node <= LAST_NODE for node in nodes):
        raise ConfigError("program.node", f"expected nodes in 0..{LAST_NODE:,}, found {nodes}")
    return FreeTreeColumns(np.array(nodes[:1], np.uint32), NONE if goal is None else nodes[1])
