"""Drives the oracle on the free tree, where a data word is a node number, and holds a machine made by hand.

Node n has the children 4n+1 to 4n+4; the tree and the external input are our reading of the paper's tasks.
"""

import numpy as np

from tests.oracles.formulas import Phases
from tests.oracles.machine import NOP, OPS, UNITS, WORD, Oracle, OracleTick, weight_shapes


def run_free_tree(oracle: Oracle, goal: int, ticks: int) -> list[OracleTick]:
    """Run on the free tree, where op k of 0..3 maps node n to 4n+k+1 and nop leaves it as it is.

    The external input is the goal until it was met and then the start, node 0; the run stops early when
    nothing is in memory.
    """
    trace: list[OracleTick] = []
    node, met, phases = 0, False, Phases(oracle.config.signals)
    for _ in range(ticks):
        equal = node == (0 if met else goal)
        trace.append(oracle.tick(node, phases.signals(equal)))
        met = met or equal
        if trace[-1].data_read is None:
            break
        read, op = trace[-1].data_read, trace[-1].op
        node = read if op == NOP else 4 * read + op + 1
    return trace


def breadth_first_weights() -> dict[str, np.ndarray]:
    """Weights, written by hand, of a Plan machine that is breadth-first search and backtracking.

    Unit k of the controller knows that the last op was k. Every cell is written FRESH; the cell read last
    is made CURRENT, or FINISHED after its fourth op. Searching reads content (key CURRENT) and after a
    fourth op temporal forward; the met goal is read by usage forward, its ancestors by usage backward.
    """
    weights = {name: np.zeros(shape, np.float32) for name, shape in weight_shapes(3).items()}
    signal_goal_met, units, words = 1, 3, 3  # where c2, the units and the word read stand among the inputs
    current = np.ones(WORD, np.float32)
    finished = np.array([1, 1, 1, 1, -1, -1, -1, -1], np.float32)
    for op in range(OPS):
        weights["controller.w"][op, words + WORD + op] = 4
    weights["interface.write.word.b"][:] = -current  # FRESH
    weights["interface.read.key.b"][:] = current
    weights["interface.constrained.word.b"][:] = current
    weights["interface.constrained.word.w"][:, units + 3] = 2 * (finished - current)
    modes = weights["interface.read.modes.w"]
    weights["interface.read.modes.b"][0] = 0.5
    modes[1, units + 3] = 1
    modes[3, signal_goal_met] = 2
    modes[4, units + NOP] = 4
    for op in range(4):
        weights["transform_c.w"][(op + 1) % 4, op] = 1
    weights["transform_c.b"][0] = 0.5  # the first op of all
    weights["transform_c.w"][NOP, UNITS + WORD + signal_goal_met] = 3
    return weights
