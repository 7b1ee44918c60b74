"""The teacher in plain Python: tasks as configurations, and one episode judged tick by tick.

Tanneberg, Rueckert and Peters (2020), "Learning to Search" and "Learning to Plan", for `steps`; the
weaker teachers are ours. Here the machine really works on configurations, its outputs are fed back as they
are, and trees grow by a queue; nothing of `nhc` is used.
"""

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, NamedTuple

import numpy as np

from tests.oracles.formulas import Phases
from tests.oracles.free_tree import breadth_first_weights
from tests.oracles.machine import NOP, UNITS, WORD, Oracle

Fitness = Literal["steps", "outcome", "success", "answer"]
Step = Callable[[int, int], int]  # (configuration, op) -> configuration


class Tree(NamedTuple):
    """The search tree in the order in which breadth-first search makes its nodes."""

    configurations: list[int]
    parents: list[int | None]


def grow(step: Step, start: int, nodes: int) -> Tree:
    """The first `nodes` nodes; duplicates are nodes like any other."""
    tree, queue = Tree([start], [None]), deque([0])
    while len(tree.configurations) < nodes:
        node = queue.popleft()
        for op in range(4):
            queue.append(len(tree.configurations))
            tree.configurations.append(step(tree.configurations[node], op))
            tree.parents.append(node)
    return Tree(tree.configurations[:nodes], tree.parents[:nodes])


def way_back(tree: Tree, node: int) -> list[int]:
    """The nodes from `node` to the start."""
    nodes: list[int] = []
    here: int | None = node
    while here is not None:
        nodes.append(here)
        here = tree.parents[here]
    return nodes


def free_step(node: int, op: int) -> int:
    """The free tree, whose configurations are node numbers without bound."""
    return 4 * node + op + 1


@dataclass(frozen=True)
class PlainTask:
    """A start, what operations do, and the node that is the goal."""

    step: Step
    start: int
    goal: int

    @property
    def tree(self) -> Tree:
        """All nodes up to the goal."""
        return grow(self.step, self.start, self.goal + 1)


class Score(NamedTuple):
    """f_e and f_b of one episode, its ticks, and the smallest margin of any decision of the machine."""

    explored: Fraction
    ended: Fraction
    ticks: int
    gap: float


@dataclass
class Episode:
    """The machine in its world: it gets goal (start, once the goal was met) and its own last output."""

    oracle: Oracle
    task: PlainTask
    goal: int
    output: int
    met: bool = False
    ticks: int = 0
    gap: float = math.inf
    phases: Phases = field(init=False)

    def __post_init__(self) -> None:
        self.phases = Phases(self.oracle.config.signals)

    def tick(self) -> tuple[int, int | None]:
        """The op and the configuration read; None if nothing was in memory, which ends the episode."""
        equal = self.output == (self.task.start if self.met else self.goal)
        told = self.oracle.tick(self.output, self.phases.signals(equal))
        self.met = self.met or equal
        self.ticks, self.gap = self.ticks + 1, min(self.gap, told.gap)
        if told.data_read is not None:
            self.output = told.data_read if told.op == NOP else self.task.step(told.data_read, told.op)
        return told.op, told.data_read


def judge_labels(episode: Episode, labels: Sequence[tuple[int, int | None]]) -> tuple[int, bool]:
    """Sum of [op right] + 2 [data right] up to and including the first mistake, and whether there was none.

    A label without a configuration asks for the op only.
    """
    points = 0
    for op, configuration in labels:
        chosen, read = episode.tick()
        if read is None:
            return points, False
        points += (1 if chosen == op else 0) + (2 if read == configuration else 0)
        if chosen != op or configuration not in (None, read):
            return points, False
    return points, True


def score(oracle: Oracle, task: PlainTask, fitness: Fitness, plan: bool) -> Score:
    """Run and judge one episode of a fresh machine."""
    tree, goal = task.tree, task.goal
    episode = Episode(oracle, task, tree.configurations[goal], task.start)
    backwards = [(NOP, tree.configurations[node]) for node in way_back(tree, goal)]
    end: list[tuple[int, int | None]] = [*backwards] if plan else [(NOP, None)]
    if fitness == "steps":
        search = [(op, tree.configurations[node]) for node in range(goal) for op in range(4)][:goal]
        points, goes_on = judge_labels(episode, search)
        explored = Fraction(100 * points, 3 * goal)
    else:
        generated = generate_freely(episode, goal)
        goes_on = goal in generated
        explored = Fraction(100 * len(generated & set(range(1, goal + 1))), goal)
        if fitness == "success":
            explored = Fraction(100 if goes_on else 0)
    points, faultless = judge_labels(episode, end) if goes_on else (0, False)
    if fitness == "answer":
        right = Fraction(int(faultless))
        return Score(100 * right, (50 if plan else 20) * right, episode.ticks, episode.gap)
    if plan and fitness == "success":
        ended = Fraction(50 if faultless else 0)
    else:
        ended = Fraction(50 * points, 3 * len(end)) if plan else Fraction(20 * points)
    return Score(explored, ended, episode.ticks, episode.gap)


def generate_freely(episode: Episode, ticks: int) -> set[int]:
    """What is generated in at most `ticks` ticks, until it is the goal."""
    generated: set[int] = set()
    for _ in range(ticks):
        op, read = episode.tick()
        if read is None:
            break
        if op != NOP:
            generated.add(episode.output)
        if op != NOP and episode.output == episode.goal:
            break
    return generated


def mean_fitness(scores: Sequence[Score]) -> Fraction:
    """Eq. 3: the mean of f_e, and of f_e + f_b where the first is 100."""
    searched = sum((one.explored for one in scores), Fraction(0)) / len(scores)
    return searched if searched < 100 else searched + sum(one.ended for one in scores) / len(scores)


def utilities(fitness: Sequence[float], gini: float, scale: float) -> list[float]:
    """s (rank / (P-1))^(2/g - 1) of each member, the worst has rank 0; members that tie share the mean.

    Whatever is not finite ties for the last ranks.
    """
    count = len(fitness)
    value = [scale * (rank / (count - 1)) ** (2 / gini - 1) for rank in range(count)]
    known = [f if math.isfinite(f) else -math.inf for f in fitness]
    result = []
    for own in known:
        worse = sum(1 for other in known if other < own)
        same = sum(1 for other in known if other == own)
        result.append(sum(value[worse : worse + same]) / same)
    return result


def fresh_children(step: Step, start: int, level: int) -> list[int]:
    """Nodes below node level-1 whose configurations occur at no earlier node."""
    tree = grow(step, start, 4 * level + 1)
    below = [node for node, parent in enumerate(tree.parents) if parent == level - 1]
    return [node for node in below if tree.configurations[node] not in tree.configurations[:node]]


def search_weights(plan: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The weights of a Plan machine without its third signal."""
    third = {"transform_c.w": UNITS + WORD + 2}
    return {
        name: np.delete(array, third.get(name, 2), axis=1) if name.endswith(".w") else array.copy()
        for name, array in plan.items()
    }


def damaged(fault: str, plan: dict[str, np.ndarray] | None = None) -> dict[str, np.ndarray]:
    """The breadth-first Plan machine with one fault, named in FAULTS."""
    weights = breadth_first_weights() if plan is None else plan
    FAULTS[fault](weights)
    return weights


def _never_nop(weights: dict[str, np.ndarray]) -> None:
    weights["transform_c.w"][NOP] = 0


def _no_way_back(weights: dict[str, np.ndarray]) -> None:
    weights["interface.read.modes.w"][4] = 0


def _stays_at_start(weights: dict[str, np.ndarray]) -> None:
    weights["interface.read.modes.w"][1] = 0
    weights["interface.read.modes.b"][1] = -2


def _last_op_wins(weights: dict[str, np.ndarray]) -> None:
    weights["transform_c.w"][0, 3] = 5  # after op 3 comes op 0, also when the goal was met


def _goal_unread(weights: dict[str, np.ndarray]) -> None:
    weights["interface.read.modes.w"][3] = 0


def _lost_at_goal(weights: dict[str, np.ndarray]) -> None:
    _never_nop(weights)
    _goal_unread(weights)


def _stops_at(child: int) -> Callable[[dict[str, np.ndarray]], None]:
    """Cells written after op `child` look different, and make the machine stop: first node child + 1."""

    def damage(weights: dict[str, np.ndarray]) -> None:
        weights["interface.write.word.w"][7, 3 + child] = 2
        weights["transform_c.w"][NOP, UNITS + 6 : UNITS + 8] = (-2, 2)

    return damage


def _greedy(weights: dict[str, np.ndarray]) -> None:
    """Op 3 on the newest node until the goal appears: meets 4, 20, 84 before their time."""
    weights["transform_c.w"][:4, :4] = 0
    weights["transform_c.b"][0], weights["transform_c.b"][3] = 0, 0.5
    weights["interface.read.modes.b"][3] = 1


def _only_last_op(weights: dict[str, np.ndarray]) -> None:
    """Op 3 on the start, again and again, in time for node 4 only."""
    weights["transform_c.w"][:4, :4] = 0
    weights["transform_c.b"][0], weights["transform_c.b"][3] = 0, 0.5
    weights["interface.read.modes.w"][1] = 0


FAULTS: dict[str, Callable[[dict[str, np.ndarray]], None]] = {
    "none": lambda weights: None,
    "never nop": _never_nop,
    "no way back": _no_way_back,
    "stays at start": _stays_at_start,
    "last op wins": _last_op_wins,
    "goal unread": _goal_unread,
    "lost at goal": _lost_at_goal,
    "stops at 2": _stops_at(1),
    "stops at 4": _stops_at(3),
    "greedy": _greedy,
    "only last op": _only_last_op,
}
