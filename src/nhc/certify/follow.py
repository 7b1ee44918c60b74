"""Following runs decision by decision: the base of the proof, and the search for a task that fails."""

from dataclasses import dataclass, field
from typing import NamedTuple

from nhc.algorithms.tree.algorithm import TreeAlgorithm as Algorithm
from nhc.algorithms.tree.nodes import path
from nhc.certify.decisions import Decisions
from nhc.certify.enclosure import AnyState
from nhc.domains.protocol import BRANCHING, NOP, OPS
from nhc.program.compiled import CONTENT
from nhc.program.plain import PlainMemory
from nhc.program.table import FIRST_STATE, ControlState, Phase


def tick(decisions: Decisions, memory: PlainMemory[int], state: AnyState) -> int:
    """One tick: writes, moves the cursor, returns the operation. There must be something to read then."""
    memory.write(*decisions.written(state))
    links = {m: cell for m, cell in memory.links().items() if m in decisions.mechanisms}
    winner = decisions.winner(state, frozenset({CONTENT, *links}))
    best = [decisions.best_word(state, memory.words)] if winner == CONTENT else []
    memory.cursor = memory.first(best) if winner == CONTENT else links[winner]
    return decisions.op(state, memory.words[memory.cursor])


@dataclass
class Follower:
    """One run, in which both heads always write."""

    decisions: Decisions
    memory: PlainMemory[int] = field(default_factory=PlainMemory)
    state: ControlState = FIRST_STATE

    def copy(self) -> "Follower":
        """The same run, to be continued apart."""
        return Follower(self.decisions, self.memory.copy(), self.state)

    def tick(self, phase: Phase) -> tuple[int, int]:
        """One tick with the signals of `phase`; returns the address read and the operation."""
        op = tick(self.decisions, self.memory, self.state._replace(phase=phase))
        self.state = ControlState(phase, self.memory.words[self.memory.cursor], op)
        return self.memory.cursor, op


class Failure(NamedTuple):
    """The first wrong tick of a run on the free tree with the goal at a node."""

    goal: int
    tick: int
    expected: str
    found: str

    def __str__(self) -> str:
        return f"goal node {self.goal}, tick {self.tick}: expected {self.expected}, found {self.found}"


def follow_end(run: Follower, goal: int, algorithm: Algorithm) -> Failure | None:
    """What follows a goal at node `goal`, from the run after tick `goal`; the first wrong tick."""
    run = run.copy()
    if not algorithm.backtracks:
        address, op = run.tick(Phase.BACK)
        return None if op == NOP else Failure(goal, goal + 1, "nop", said(address, op))
    for number, node in enumerate(path(goal), start=1):
        found = run.tick(Phase.BACK)
        if found != (node, NOP):
            return Failure(goal, goal + number, said(node, NOP), said(*found))
    return None


def smallest_failure(decisions: Decisions, algorithm: Algorithm, last_goal: int) -> Failure | None:
    """The task with the smallest goal node that fails, among goals 1..last_goal."""
    run = Follower(decisions)
    for goal in range(1, last_goal + 1):
        found, expected = run.tick(Phase.SEARCH), divmod(goal - 1, BRANCHING)
        if found != expected:
            return Failure(goal, goal, said(*expected), said(*found))
        failure = follow_end(run, goal, algorithm)
        if failure is not None:
            return failure
    return None


def said(address: int, op: int) -> str:
    """A read and an operation in words."""
    return f"read of cell {address} and {OPS[op]}"
