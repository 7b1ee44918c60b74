"""Runs a machine to many goals and reports the first wrong tick: what a proof claims, tried by brute force.

Our own. Weights are evaluated in float64, once for each control state met; memory is a plain row of words and
parents. One search run is the prefix of all tasks; at each goal node the walk back branches off it and is
undone. Nothing of `nhc` is used, so that a mistake there cannot repeat itself here.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tests.oracles.formulas import dot
from tests.oracles.machine import NOP, OPS, WORD

WORDS = 1 << WORD
SEARCH, BACK = 0, 1
CONTENT, FORWARD, BACKWARD, USAGE_FORWARD, USAGE_BACKWARD = range(5)
NOWHERE = 1 << 62

Changes = Mapping[tuple[object, ...], int]
"""Decisions to be overruled, by what takes them; see `BruteForce`."""


class State(NamedTuple):
    """What the weights see at a tick; -1 stands for no word and no operation."""

    phase: int
    word: int
    op: int


class Fault(NamedTuple):
    """The first wrong tick of a task: (cell read, operation) there. Search may read any cell at its end."""

    goal: int
    tick: int
    expected: tuple[int, int]
    found: tuple[int, int]


class Tick(NamedTuple):
    """What one tick did."""

    state: State
    cell: int
    word: int
    op: int


class Row:
    """What is decided in one control state."""

    def __init__(self, constrained: int, fresh: int, order: list[int], score: np.ndarray, ops: np.ndarray):
        self.constrained, self.fresh, self.order = constrained, fresh, order
        self.score, self.ops = score.tolist(), ops.tolist()
        self._best: dict[int, list[int]] = {}

    def best(self, present: int) -> list[int]:
        """The words most similar to the key among those whose bits are set in `present`."""
        best = self._best.get(present)
        if best is None:
            words = [word for word in range(WORDS) if present >> word & 1]
            most = max(self.score[word] for word in words)
            best = self._best[present] = [word for word in words if self.score[word] == most]
        return best


class BruteForce:
    """A machine given by its blocks of weights.

    `changes` overrules single decisions: ("constrained", state) and ("fresh", state) give another word,
    ("winner", state) another strongest mechanism, ("op", state, word) another operation. With another word
    at ("like", state, word) or ("above", state, word) the key likes `word` exactly as well as that one, or a
    little more.
    """

    def __init__(
        self,
        weights: Mapping[str, np.ndarray],
        *,
        plan: bool,
        usage_link: bool = True,
        changes: Changes | None = None,
    ) -> None:
        self.weights = {name: np.asarray(array, np.float64) for name, array in weights.items()}
        self.plan, self.usage_link, self.changes = plan, usage_link, changes or {}
        self.signals = self.weights["controller.w"].shape[1] - WORD - OPS
        self.codes = np.where((np.arange(WORDS)[:, None] >> np.arange(WORD)) & 1, 1.0, -1.0)
        self.rows: dict[tuple[int, int, int], Row] = {}

    def first_fault(self, goals: Sequence[int]) -> Fault | None:
        """The fault of the first of these increasing goals that is not reached and left as it should be.

        A search tick that is wrong fails the goal that it should have made, whether that is asked for or not.
        """
        run, tick = Run(self), 0
        for goal in goals:
            while tick < goal:
                expected = divmod(tick, 4)
                found = run.tick(SEARCH)
                tick += 1
                if found != expected:
                    return Fault(tick, tick, expected, found)
            fault = run.branch(goal)
            if fault is not None:
                return fault
        return None

    def ticks(self, goal: int | None) -> Iterator[tuple[Tick, "Run"]]:
        """A run without end, to the goal at a node or to none, whatever the machine does."""
        run, tick = Run(self), 0
        while True:
            phase = SEARCH if goal is None or tick < goal else BACK
            state = State(phase, run.word, run.op)
            cell, op = run.tick(phase)
            yield Tick(state, cell, run.word, op), run
            tick += 1

    def row(self, state: tuple[int, int, int]) -> Row:
        """What is decided in a control state."""
        row = self.rows.get(state)
        if row is None:
            row = self.rows[state] = self._evaluate(State(*state))
        return row

    def _evaluate(self, state: State) -> Row:
        signals = np.array([(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)][state.phase])[: self.signals]
        word = np.zeros(WORD) if state.word < 0 else self.codes[state.word]
        controls = np.tanh(self._linear("controller", signals, word, np.arange(OPS) == state.op))

        def head(name: str) -> np.ndarray:
            return self._linear(f"interface.{name}", signals, controls)

        constrained, fresh = (
            int(((head(name) > 0) << np.arange(WORD)).sum()) for name in ("constrained.word", "write.word")
        )
        modes = head("read.modes")
        usable = [m for m in range(5) if self.usage_link or m < USAGE_FORWARD]
        order = sorted(usable, key=lambda m: (-modes[m], m))
        score = dot(head("read.key"), self.codes.T)
        w, b = self.weights["transform_c.w"], self.weights["transform_c.b"]
        same = w @ np.concatenate([controls, np.zeros(WORD), signals]) + b
        ops = (same + self.codes @ w[:, len(controls) : len(controls) + WORD].T).argmax(axis=1)
        row = Row(constrained, fresh, order, score, ops)
        self._overrule(state, row)
        return row

    def _linear(self, layer: str, *inputs: np.ndarray) -> np.ndarray:
        return self.weights[f"{layer}.w"] @ np.concatenate(inputs) + self.weights[f"{layer}.b"]

    def _overrule(self, state: State, row: Row) -> None:
        before = [*row.score]
        for (kind, changed, *word), value in self.changes.items():
            if changed != state:
                continue
            if kind == "winner":
                row.order = [value, *(m for m in row.order if m != value)]
            elif kind == "like":
                row.score[word[0]] = before[value]
            elif kind == "above":
                row.score[word[0]] = np.nextafter(before[value], np.inf)
            elif kind == "op":
                row.ops[word[0]] = value
            else:
                setattr(row, str(kind), value)


class Run:
    """A run: the cells, and for each word how many cells hold it and the lowest of them."""

    def __init__(self, machine: BruteForce) -> None:
        self.machine = machine
        self.words: list[int] = []
        self.parents: list[int] = []
        self.held, self.lowest, self.present = [0] * WORDS, [NOWHERE] * WORDS, 0
        self.last, self.word, self.op = -1, -1, -1

    def tick(self, phase: int) -> tuple[int, int]:
        """One tick: the cell read and the operation."""
        row = self.machine.row((phase, self.word, self.op))
        last, words = self.last, self.words
        newest = len(words)
        if last >= 0 and words[last] != row.constrained:
            self._release(last)
            self._hold(last, row.constrained)
        words.append(row.fresh)
        self._hold(newest, row.fresh)
        self.parents.append(last)
        cell = -1
        for mechanism in row.order:
            if mechanism == CONTENT:
                cell = min([self.lowest[word] for word in row.best(self.present)])
            elif last >= 0:
                cell = (last + 1, last - 1, newest, self.parents[last])[mechanism - FORWARD]
            if cell >= 0:
                break
        self.last, self.word = cell, words[cell]
        self.op = row.ops[self.word]
        return cell, self.op

    def _release(self, cell: int) -> None:
        """Take the word out of a cell."""
        word = self.words[cell]
        self.held[word] -= 1
        if not self.held[word]:
            self.lowest[word] = NOWHERE
            self.present ^= 1 << word
        elif self.lowest[word] == cell:
            self.lowest[word] = self.words.index(word, cell + 1)

    def _hold(self, cell: int, word: int) -> None:
        """Put a word into a cell that has none."""
        self.words[cell] = word
        self.held[word] += 1
        self.present |= 1 << word
        self.lowest[word] = min(self.lowest[word], cell)

    def branch(self, goal: int) -> Fault | None:
        """`end`, and all that it wrote is undone.

        It writes new cells and where it read before: first on the search, then on the way back, as it ends
        where it leaves that way.
        """
        used, changed = len(self.words), [self.last, *(n for n in way_back(goal) if n < len(self.words))]
        words = [self.words[cell] for cell in changed]
        kept = [*self.held], [*self.lowest], self.present, self.last, self.word, self.op
        fault = self.end(goal)
        del self.words[used:], self.parents[used:]
        for cell, word in zip(changed, words, strict=True):
            self.words[cell] = word
        self.held, self.lowest, self.present, self.last, self.word, self.op = kept
        return fault

    def end(self, goal: int) -> Fault | None:
        """What follows the goal, as it should be or not."""
        nodes = way_back(goal) if self.machine.plan else [goal]
        for number, node in enumerate(nodes, start=1):
            cell, op = self.tick(BACK)
            if op != NOP or (self.machine.plan and cell != node):
                return Fault(goal, goal + number, (node, NOP), (cell, op))
        return None


def way_back(goal: int) -> list[int]:
    """The nodes from the goal to the start."""
    nodes = [goal]
    while nodes[-1]:
        nodes.append((nodes[-1] - 1) // 4)
    return nodes


def goals_to_try(deepest: int, seed: int = 0) -> list[int]:
    """Nodes 1..1,500 and 200 random nodes of each depth from 6 on."""
    rng = np.random.default_rng(seed)
    goals = [*range(1, 1501)]
    for depth in range(6, deepest + 1):
        first, end = (4**depth - 1) // 3, (4 ** (depth + 1) - 1) // 3
        goals += rng.integers(first, end, 200).tolist()
    return sorted({*goals})
