"""A graph that was explored, as a machine with four operations meets it: any number of actions a state.

An action is named by D digits, each of them an operation, the most significant first; D is the same for every
state. A node is a state and the digits so far; after D digits stands the state that the action of this number
makes. Digits under which there is no action leave the node as it is.

Order is kept. By induction, the nodes of states at depth d that have k < D digits lie at depth D d + k, and
are found in the order of their states, then of their digits: for k > 0 each has one node above it, with a
digit less, and digits are appended in ascending order. So the last digits are appended in the order of states
and then of actions, in which the search with whole actions makes its successors: it finds the same new states
in the same order, at depth D (d + 1). The goal that is met first is therefore the same one, by the same plan,
and a plan that is shortest in operations is shortest in actions.

The graph is what was explored: states that search did not expand have no actions in it. With D = 1 a machine
would not come to them before the goal, even if they had. With D > 1 it would append first digits to those
that lie as deep as the state that makes the goal; so on the whole graph a run to the same goal takes longer.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nhc.domains.protocol import BRANCHING
from nhc.domains.space import Row
from nhc.jit import compiled
from nhc.planning.closed_loop import Ids
from nhc.planning.explored import Explored

UNSEEN = -1
"""Stands for the node of a state that has none yet, and for the state of a node that has digits."""


@dataclass(frozen=True, eq=False)
class KnownGraph:
    """Nodes, numbered in the order in which breadth-first search with a closed list finds them."""

    children: NDArray[np.int64]
    """The node that each operation makes of each node, nodes x 4: itself where there is no action, and from
    the goal on."""
    states: Ids
    """The state of each node, -1 for nodes that have digits."""
    goal: int | None
    """The node of the goal that was found; the last of all."""

    def states_on(self, nodes: list[int]) -> list[int]:
        """The states that a way along these nodes comes to."""
        return [state for state in self.states[nodes].tolist() if state != UNSEEN]


def known_graph(explored: Explored) -> KnownGraph:
    """The graph of all that was explored, up to its goal where there is one."""
    digits, nodes = most_nodes(explored)
    children = np.empty((nodes, BRANCHING), np.int64)
    owners, codes = np.empty(nodes, np.int32), np.empty(nodes, np.int32)
    nodes_of = np.full(len(explored.states), UNSEEN, np.int32)
    goal = UNSEEN if explored.goal is None else explored.goal
    offsets, successors = explored.offsets, explored.successors
    number = compiled(number_nodes)
    nodes = number(offsets, successors, digits, goal, children, owners, codes, nodes_of)
    states = np.where(codes[:nodes] == 1, owners[:nodes], np.int32(UNSEEN))
    found = None if explored.goal is None else int(nodes_of[explored.goal])
    return KnownGraph(children[:nodes], states, found)


def most_nodes(explored: Explored) -> tuple[int, int]:
    """The digits of an action, and how many nodes there are at most."""
    counts = np.diff(explored.offsets)
    digits = digits_for(int(counts.max(initial=1)))
    more = (int((-(-counts // BRANCHING**left)).sum()) for left in range(1, digits))
    return digits, len(explored.states) + sum(more)


def digits_for(actions: int) -> int:
    """The least number of digits, at least one, that name so many actions."""
    digits = 1
    while BRANCHING**digits < actions:
        digits += 1
    return digits


def number_nodes(
    offsets: Row,
    successors: Ids,
    digits: int,
    goal: int,
    children: NDArray[np.int64],
    owners: Ids,
    codes: Ids,
    nodes_of: Ids,
) -> int:
    """Fills the children of all nodes up to the goal; how many nodes there are.

    A node has the number of its state, and a code: a 1, then its digits. There is room for all nodes.
    """
    owners[0], codes[0], nodes_of[0] = 0, 1, 0
    nodes, at, met = 1, 0, False
    while at < nodes:
        children[at] = at
        state, code = owners[at], codes[at]
        actions = 0 if met or state >= len(offsets) - 1 else offsets[state + 1] - offsets[state]
        first = 4  # the code of the first node with one more digit
        while first <= code:
            first *= 4
        below = 4**digits // first  # actions under each node with one more digit
        for op in range(4):
            action = (4 * code + op - first) * below
            if action >= actions:
                break
            child = nodes
            if below > 1:
                owners[child], codes[child] = state, 4 * code + op
            else:
                made = successors[offsets[state] + action]
                if nodes_of[made] < 0:
                    owners[child], codes[child], nodes_of[made] = made, 1, child
                    met = made == goal
                child = nodes_of[made]
            nodes = max(nodes, child + 1)
            children[at, op] = child
        at += 1
    return nodes
