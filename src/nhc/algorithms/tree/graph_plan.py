"""GraphPlan: breadth-first search with a closed list, and the way back.

Plan with one more signal, "seen": the word fed was made before. What was seen is not stored again, so the
queue holds every configuration once. That turns cost that grows with the number of paths into cost that grows
with the number of configurations, and a queue that runs dry is a proof that no plan exists.

To control a task is which of the words made were seen, and when the goal was made.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.algorithms.abstraction import Abstraction
from nhc.algorithms.protocol import FREE, Lesson
from nhc.algorithms.tape import (
    BLANK,
    DONE,
    END,
    NOTHING,
    OWN,
    Functions,
    Int64,
    Loaded,
    TapeAlgorithm,
    Words,
    Written,
)
from nhc.algorithms.tree.graphs import Drawn, GraphSupply, draw
from nhc.domains.protocol import BRANCHING, NOP, OPS

if TYPE_CHECKING:  # This needs JAX, which a command may not need.
    from nhc.algorithms.judge import Judge

LEVELS = 21
SEARCHING, MET, SEEN = 1, 2, 4
"""Signals as bits."""

FED, GOAL_MET, GOAL, MADE, APPLIED, FLAGS = range(OWN, OWN + 6)
"""Registers: the node fed next; was the goal met; the goal, -1 if there is none; distinct nodes fed; pairs of
operation and node applied; and from `FLAGS` on a register for each node: bit 0 if it was fed, bit 1 + k if
operation k was applied to it."""


GATED_LARGE_STEPS: Mapping[str, object] = {
    "machine": {"write_gate": "learned"},
    "until": "certified",
    "es": {"population": 40, "learning_rate": 0.02},
}

WITHIN = "".join(
    f"""
    {state} 100 {state} cursor -> {then} : stores
    {state} 101 {state} cursor -> {then} : stores nothing
    {state} 010 nop new        -> goal   : parent = read, new cursor, stores
    """
    for state, then in (("right", "down"), ("down", "left"), ("left", "up"))
)
ENVIRONMENT = f"""
    start 100 up new    -> right : new cursor, stores
    {WITHIN}
    up    100 up new    -> right : cursor at newest, new cursor, stores
    up    100 up cursor -> right : cursor not at newest, cursor + 1, stores
    up    101 up cursor -> right : cursor not at newest, cursor + 1, stores nothing
    up    101 any       -> end   : cursor at newest
    up    010 nop new   -> goal  : parent = read, new cursor, stores
    goal  011 nop cursor -> back : cursor = parent, after = cursor, cursor not at first
    goal  011 nop cursor -> end  : cursor = parent, cursor at first
    back  011 nop cursor -> back : cursor = parent cursor, after = cursor, cursor not at first
    back  011 nop cursor -> end  : cursor = parent cursor, cursor at first
"""
"""Cell n holds the n-th configuration that was made. In state `up` each operation was applied to the cursor;
if nothing is open then, all configurations that can be reached are stored and fully expanded. On the way back
only what lies before the cursor matters. No tick is that of a start that is the goal: who runs a machine sees
that before."""
LEMMAS = (
    "The seen bit is right: it shows whether the configuration was made before.",
    "The equality bit is right: it shows the goal at the tick after it was made, and no other configuration.",
    "The cell read when a configuration was stored holds the one that it was first made of.",
    "An operation that was applied to the same configuration before ends the run.",
)


class Graph(NamedTuple):
    """A task: which node each operation makes of each node. The start is node 0."""

    children: Sequence[Sequence[int]] | NDArray[np.int64]
    goal: int | None
    """None: no node is a goal."""


def observe_graph(tape: Words, registers: Words) -> tuple[Int64, Int64]:
    """The phase, whether the node was fed before, and the node."""
    node = registers[FED]
    seen = registers[FLAGS + node] & 1
    registers[FLAGS + node] |= 1
    registers[MADE] += 1 - seen
    if node == registers[GOAL]:
        registers[GOAL_MET] = 1
    return (MET if registers[GOAL_MET] else SEARCHING) | SEEN * seen, node


def act_graph(op: int, word: int, tape: Words, registers: Words) -> Int64:
    """What the operation makes of the node read. After the goal was met, the node read is written.

    A run ends at the start; before the goal was met by `nop`, or by an operation on a node to which it was
    applied already: no step of a search needs that. `END` says that the queue ran dry: each operation was
    applied to every node that was made, so no goal can be reached.
    """
    flags, bit = registers[FLAGS + word], 2 << op
    if registers[GOAL_MET] == 0 and (op == NOP or flags & bit):
        registers[DONE] = 1
        return END if registers[APPLIED] == BRANCHING * registers[MADE] else BLANK
    if op != NOP:
        registers[FLAGS + word] = flags | bit
        registers[APPLIED] += 1
    registers[FED] = word if op == NOP else tape[BRANCHING * word + op]
    if registers[GOAL_MET] == 0:
        return NOTHING
    registers[DONE] = registers[FED] == 0
    return word


class GraphPlan(TapeAlgorithm[Graph]):
    """A graph becomes its lexicographically first shortest path from node 0 to the goal.

    At Level L the goal is first made of the L-th node of the queue. An instance with no goal that can be
    reached has the empty path.
    """

    name = "graph-plan"
    signals = ("searching", "goal met", "seen")
    ops = OPS
    levels = LEVELS
    bonus = 50.0
    functions = Functions(observe_graph, act_graph)
    control = (
        "a queue: which node is next, and how many children it has; what need not be stored; the way back"
    )
    alu = "makes a child of the node read; says whether it was made before, and whether it is the goal"
    defaults = GATED_LARGE_STEPS

    def sample(self, level: int, rng: np.random.Generator) -> Graph:
        """A random graph; how many of its edges lead to new nodes is random too."""
        return drawn_graph(draw(level, 1, rng))

    def supply(self, world: str, seed: int) -> GraphSupply:
        """Random graphs, or those of the configurations of a world."""
        return GraphSupply(world, seed)

    def abstraction(self) -> Abstraction:
        """The queue of what was seen for the first time, and the chain of parents."""
        return Abstraction("order", ENVIRONMENT, LEMMAS)

    def examples(self) -> list[Graph]:
        """Random ones of the first levels and of some others."""
        rng = np.random.default_rng(0)
        return [self.sample(level, rng) for level in (*range(1, 7), 12, 20) for _ in range(30)]

    def judge(self, fitness: str) -> "Judge":
        """Each word has to be stored once, too."""
        from nhc.algorithms.tree.closed_list import ClosedList

        del fitness
        return ClosedList()

    def load(self, instance: Graph) -> Loaded:
        """The children of node n from 4n on, and what was done by now: nothing."""
        tape = np.ascontiguousarray(instance.children, np.int64).reshape(-1)
        registers = np.zeros(FLAGS + len(tape) // BRANCHING, np.int64)
        registers[GOAL] = -1 if instance.goal is None else instance.goal
        return Loaded(tape, registers)

    def answer(self, written: Written) -> object:
        """The nodes from the start to the goal; none if the queue ran dry."""
        return () if written == (END,) else tuple(reversed(written))

    def teacher(self, instance: Graph) -> list[Lesson]:
        """Operations 1 to 4 on each node of the queue; from the goal on `nop` on the way back."""
        parents, queue, lessons = {0: 0}, [0], list[Lesson]()
        for node in queue if instance.goal != 0 else ():  # grows
            for op in range(BRANCHING):
                lessons.append(Lesson(op, node))
                child = int(instance.children[node][op])
                if child in parents:
                    continue
                parents[child] = node
                queue.append(child)
                if child == instance.goal:
                    return lessons + [Lesson(NOP, back) for back in way_back(parents, child)]
        return [*lessons, Lesson(NOP, 0) if instance.goal == 0 else Lesson(0, FREE)]

    def main_ticks(self, instance: Graph) -> int | None:
        """T_e: the search up to the tick that makes the goal, or the last one before the queue is dry."""
        return sum(op != NOP and word is not FREE for op, word in self.teacher(instance))

    def spec(self, instance: Graph) -> tuple[int, ...]:
        """By distances to the goal, which sink until nothing changes; a step takes the first that sinks."""
        children = [[*map(int, row)] for row in instance.children]
        far = len(children)
        distance = [0 if node == instance.goal else far for node in range(far)]
        before: list[int] = []
        while before != distance:
            before = distance
            distance = [
                min(here, *(before[child] + 1 for child in row))
                for here, row in zip(before, children, strict=True)
            ]
        if distance[0] == far:
            return ()
        path = [0]
        while distance[path[-1]]:
            path.append(next(c for c in children[path[-1]] if distance[c] < distance[path[-1]]))
        return tuple(path)

    def longest(self, level: int) -> int:
        """A search in which nothing was seen before is the longest; the way back has at most L + 1 ticks."""
        return BRANCHING * level + level + 1


def way_back(parents: dict[int, int], node: int) -> list[int]:
    """From a node to node 0."""
    nodes = [node]
    while nodes[-1] != 0:
        nodes.append(parents[nodes[-1]])
    return nodes


def drawn_graph(drawn: Drawn) -> Graph:
    """The first of some drawn searches as a graph; nodes that it does not expand lead to themselves."""
    ticks = int(drawn.goal_tick[0])
    nodes = int(drawn.made[0, :ticks].max()) + 1
    children = np.repeat(np.arange(nodes)[:, None], BRANCHING, axis=1)
    children.reshape(-1)[:ticks] = drawn.made[0, :ticks]
    return Graph(tuple(map(tuple, children.tolist())), nodes - 1)


GRAPH_PLAN = GraphPlan()
