"""The program of a proved machine: every control state that a run can reach, and what it can read there.

The proof says which these are: the states of the nodes that are followed one by one, those of the node
patterns of the invariant, and those after the goal.
"""

from dataclasses import dataclass, field

from nhc.algorithms.tree.algorithm import tree_algorithm
from nhc.algorithms.tree.nodes import path
from nhc.certify.decisions import Decisions, Margins
from nhc.certify.enclosure import Network
from nhc.certify.follow import Follower
from nhc.certify.goals import arrivals, possible_reads
from nhc.certify.induction import Invariant, node_pattern
from nhc.certify.prove import Proof
from nhc.domains.protocol import BRANCHING, NOP
from nhc.model import Model
from nhc.program.compiled import CONTENT
from nhc.program.table import ControlState, Phase, Program, Row


@dataclass
class Reachable:
    """Control states with the words read in them, and those states in which a run reads by content."""

    reads: dict[ControlState, set[int]] = field(default_factory=dict)
    lookups: set[ControlState] = field(default_factory=set)

    def note(self, state: ControlState, words: set[int] | frozenset[int]) -> None:
        """Add words that can be read in a state."""
        self.reads.setdefault(state, set()).update(words)


def extract_program(model: Model, proof: Proof) -> Program:
    """The program of a proved model."""
    decisions = Decisions(Network(model), Margins(strict=False))
    claim = proof.invariant
    found = reachable(decisions, claim, backtracks=tree_algorithm(model.algorithm).backtracks)
    kept = set(claim.final | claim.fresh).union(claim.prefix_words)
    kept |= {node_pattern(decisions, word).final for word in claim.prefix_words}
    rows = {state: _row(decisions, state, found, kept) for state in sorted(found.reads)}
    return Program(model.algorithm.name, model.config.word_size, rows)


def reachable(decisions: Decisions, claim: Invariant, *, backtracks: bool) -> Reachable:
    """Every control state of every run, by the proof."""
    found = Reachable()
    _prefix_reads(decisions, claim, found, backtracks=backtracks)
    for before, here in claim.pairs:
        pattern = node_pattern(decisions, here)
        found.note(node_pattern(decisions, before).states[3], {here})
        for tick in range(1, BRANCHING):
            found.note(pattern.states[tick - 1], {pattern.words[tick]})
    for arrival in arrivals(decisions, claim):
        if not backtracks:
            found.note(arrival.state, possible_reads(decisions, claim, arrival))
            continue
        constrained, fresh = decisions.written(arrival.state)
        found.note(arrival.state, {fresh})
        found.note(ControlState(Phase.BACK, fresh, NOP), {constrained})
        found.note(ControlState(Phase.BACK, constrained, NOP), claim.final)
    if backtracks:
        for word in claim.final:
            found.note(ControlState(Phase.BACK, word, NOP), claim.final)
    found.lookups |= {
        state for state in found.reads if decisions.winner(state, decisions.mechanisms) == CONTENT
    }
    return found


def _prefix_reads(decisions: Decisions, claim: Invariant, found: Reachable, *, backtracks: bool) -> None:
    """What the runs to goals at children of the prefix nodes do, followed tick by tick."""
    run = Follower(decisions)
    for goal in range(1, BRANCHING * claim.prefix + 1):
        _follow(run, Phase.SEARCH, found)
        end = run.copy()
        for _ in path(goal) if backtracks else [goal]:
            _follow(end, Phase.BACK, found)
    _follow(run, Phase.SEARCH, found)


def _follow(run: Follower, phase: Phase, found: Reachable) -> None:
    before = ControlState(phase, run.state.word, run.state.op)
    run.tick(phase)
    found.note(before, {run.state.word})
    if run.looked_up:
        found.lookups.add(before)


def _row(decisions: Decisions, state: ControlState, found: Reachable, kept: set[int]) -> Row:
    constrained, fresh = decisions.written(state)
    modes = decisions.network.at(state).interface["read.modes"]
    strength = modes.low + modes.high
    order = tuple(sorted(decisions.mechanisms, key=lambda m: (-strength[m], m)))
    read = found.reads[state]
    preference: list[int] = []
    left = kept | read | {constrained, fresh} if state in found.lookups else set()
    while left:
        preference.append(decisions.best_word(state, left))
        left.remove(preference[-1])
    ops = {word: decisions.op(state, word) for word in sorted(read)}
    return Row(constrained, fresh, order, tuple(preference), ops)
