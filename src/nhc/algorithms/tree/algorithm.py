"""Search and Plan: breadth-first search on the tree of a planning task, without and with the way back.

To control a task is the number of its goal node: configurations are functions of nodes, so a machine that is
right on the free tree is right in every world, for every goal that is first met at that node.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nhc.algorithms.abstraction import Abstraction
from nhc.algorithms.protocol import FREE, Algorithm, Free, Lesson, Word
from nhc.algorithms.tree.nodes import child, depths, path, phase_signals
from nhc.domains.protocol import BRANCHING, NOP, OPS
from nhc.errors import ConfigError

if TYPE_CHECKING:  # These need JAX, which a command may not need.
    from nhc.algorithms.judge import Judge
    from nhc.algorithms.tree.environment import TreeEnvironment
    from nhc.algorithms.tree.sampler import WorldSupply
    from nhc.domains.registry import AnyState

LEVELS = 21
PROBE_GOALS = (1, 6, 12)
"""Goals of Levels 1, 2 and 3, each made by another operation."""
PROBE_TICKS = 16
"""One more than Plan needs for a task of Level 3."""

SEARCHING = """
    start SEARCH up new       -> right : new cursor
    up    SEARCH up cursor    -> right : cursor + 1
    right SEARCH right cursor -> down
    down  SEARCH down cursor  -> left
    left  SEARCH left cursor  -> up
"""
"""Cell n holds node n; the fourth operation on a node is followed by the first on the next."""
STOP = "".join(f"    {state} MET nop -> end\n" for state in ("right", "down", "left", "up"))
BACK = (
    "".join(
        f"    {state} MET nop new -> goal : parent = read, new cursor\n"
        for state in ("right", "down", "left", "up")
    )
    + """
    goal  MET nop cursor      -> back : cursor = parent, cursor not at first
    goal  MET nop cursor      -> end  : cursor = parent, cursor at first
    back  MET nop cursor      -> back : cursor = parent cursor, cursor not at first
    back  MET nop cursor      -> end  : cursor = parent cursor, cursor at first
"""
)
LEMMAS = (
    "The equality bit is right: it shows the goal at the tick after it was made, and no other node.",
    "The cell read when a node was written holds its parent in the tree.",
)


class FreeTreeSide:
    """The data side on the free tree in plain Python: words are node numbers, the start is 0."""

    def __init__(self, goal: int, algorithm: "TreeAlgorithm") -> None:
        self._goal, self._algorithm = goal, algorithm
        self._node: Word = 0
        self._second = 0
        self._emitted: list[Word] = []
        self.done = False

    @property
    def result(self) -> object:
        """Search: was the goal met? Plan: the nodes read since then, goal to start."""
        return tuple(self._emitted) if self._algorithm.backtracks else self._second > 0

    def observe(self) -> tuple[Sequence[float], Word]:
        """The phase, and the node made last."""
        equal = int(self._node == (0 if self._second else self._goal))
        signals = phase_signals(self._second, equal)
        self._second = signals[1]
        return tuple(map(float, signals[: len(self._algorithm.signals)])), self._node

    def act(self, op: int, word: Word) -> None:
        """A child of the node read, or for `nop` the node."""
        met = self._second > 0
        if met:
            self._emitted.append(word)
        self._node = child(word, op) if op != NOP and isinstance(word, int) else word
        ended = self._node == 0 if self._algorithm.backtracks else op == NOP
        self.done = (met and ended) or (op == NOP and not met)


class TreeAlgorithm(Algorithm[int]):
    """Search or Plan; an instance is the goal node, 1, 2, ...

    After the goal was met the teacher expects `nop`: once to stop (Search), or on every tick of the way back
    from the goal to the start, each time with the right data word (Plan).
    """

    ops = OPS
    levels = LEVELS
    fitnesses = proved = ("steps", "outcome", "success", "answer")
    alu = "makes a child of the node read; says whether a word is the goal, or the start"

    def __init__(
        self, name: str, signals: tuple[str, ...], bonus: float, control: str, *, backtracks: bool
    ) -> None:
        self.name, self.signals, self.bonus = name, signals, bonus
        self.control, self.backtracks = control, backtracks

    def sample(self, level: int, rng: np.random.Generator) -> int:
        """A child of node level - 1."""
        return int(child(level - 1, int(rng.integers(BRANCHING))))

    def tasks(self, level: int) -> Sequence[int]:
        """The goals 4L-3 .. 4L."""
        return range(child(level - 1, 0), child(level, 0))

    def begin(self, instance: int) -> FreeTreeSide:
        """The free tree."""
        return FreeTreeSide(instance, self)

    def teacher(self, instance: int) -> list[Lesson]:
        """Operations 1 to 4 on node 0, 1, ..., then the way back; the paper, section "Learning to Search"."""
        search = [Lesson(tick % BRANCHING, tick // BRANCHING) for tick in range(instance)]
        back: Sequence[int | Free] = path(instance) if self.backtracks else [FREE]
        return search + [Lesson(NOP, node) for node in back]

    def spec(self, instance: int) -> object:
        """The chain of nodes that lead to the goal, by their digits in base 4."""
        if not self.backtracks:
            return True
        chain = [0]
        rest, width = instance, 1
        while rest >= width:  # A depth d has 4^d nodes.
            rest, width = rest - width, width * BRANCHING
        while width > 1:
            width //= BRANCHING
            chain.append(BRANCHING * chain[-1] + 1 + rest // width)
            rest %= width
        return tuple(reversed(chain))

    def abstraction(self) -> Abstraction:
        """The queue of breadth-first search, then a stop or the chain of parents."""
        lines = SEARCHING + (BACK if self.backtracks else STOP)
        signals = {"SEARCH": "100" if self.backtracks else "10", "MET": "010" if self.backtracks else "01"}
        for name, shown in signals.items():
            lines = lines.replace(name, shown)
        return Abstraction("order", lines, LEMMAS)

    def main_ticks(self, instance: int) -> int:
        """T_e: a goal at node n is made at tick n."""
        return instance

    def end_ticks(self, depth: NDArray[np.int32]) -> NDArray[np.int32]:
        """T_b: ticks after the goal was met, for goals at `depth`."""
        return depth + 1 if self.backtracks else np.ones_like(depth)

    def longest(self, level: int) -> int:
        """Most ticks of a task up to a level: 15 at Plan's Level 3, 88 at Level 21."""
        goal = np.array(self.tasks(level), np.int32)
        return int((goal + self.end_ticks(depths(goal))).max())

    @property
    def worlds(self) -> tuple[str, ...]:
        """The planning worlds by name."""
        from nhc.domains.registry import EXAMPLES

        return EXAMPLES

    def supply(self, world: str, seed: int) -> "WorldSupply[AnyState]":
        """Tasks between configurations of a world. Raises what `make_domain` raises."""
        from nhc.algorithms.tree.sampler import WorldSupply
        from nhc.domains.registry import make_domain

        return WorldSupply(make_domain(world), self, seed=seed)

    def judge(self, fitness: str) -> "Judge":
        """`steps` as in the paper, or one of the weaker teachers, on the free tree."""
        from nhc.algorithms.tree.judges import free_run

        return super().judge(fitness) if fitness == "steps" else free_run(self, fitness)

    def probe(self) -> "tuple[TreeEnvironment, int]":
        """Three tasks of the free tree, `PROBE_TICKS` ticks each."""
        from nhc.algorithms.tree.environment import free_tree

        return free_tree(PROBE_GOALS, len(self.signals), backtracks=self.backtracks), PROBE_TICKS


QUEUE = "a queue: which node is next, and how many children it has; the end"
SEARCH = TreeAlgorithm("search", ("searching", "goal met"), 20.0, QUEUE, backtracks=False)
PLAN = TreeAlgorithm(
    "plan",
    ("searching", "goal met", "start met again"),
    50.0,
    f"{QUEUE}, and from there the way back to the start",
    backtracks=True,
)

TREES = {algorithm.name: algorithm for algorithm in (SEARCH, PLAN)}


def tree_algorithm(algorithm: "Algorithm[object]") -> TreeAlgorithm:
    """The algorithm as one of this family. Raises ConfigError (`algorithm.family`) for any other."""
    found: object = algorithm
    if not isinstance(found, TreeAlgorithm):
        raise ConfigError("algorithm.family", f"expected search or plan, found {algorithm.name}")
    return found
