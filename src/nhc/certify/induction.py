"""The proof that the search phase is breadth-first search, for trees of any size.

Claim: at tick 4n + p (p = 1..4, n >= 0) the machine reads cell n and chooses operation p - 1. Cell c is
written at tick c + 1, so cell n holds node n.

What a node's four ticks do depends on one word only: b = F_n, the word with which cell n was written. The
ticks read b, P2(b), P3(b), P4(b); the next node's first tick then leaves G(b) in cell n for good. The words
of cells 4n+1 .. 4n+4 are f1(b), f2(b), f3(b), f0(b). So the pairs (F_{n-1}, F_n) of all nodes from some n0 on
lie in a finite set Q that is closed under "pairs of the children". For each pair of Q the obligations below
are checked against every word that cells can hold then: `final` in cells before n, `fresh` in cells after.
Nodes before n0 are followed one by one.
"""

from itertools import pairwise
from typing import NamedTuple

from nhc.certify.decisions import Decisions
from nhc.domains.protocol import BRANCHING, NOP
from nhc.program.compiled import CONTENT, FORWARD
from nhc.program.table import ControlState, Phase

Pair = tuple[int, int]


class Obligation(Exception):
    """A step of the proof that does not hold: its name, and where."""

    def __init__(self, name: str, where: str) -> None:
        super().__init__(f"{name}: {where}")
        self.name, self.where = name, where


class NodePattern(NamedTuple):
    """What the four ticks of a node do."""

    states: tuple[ControlState, ...]
    """The states of ticks 2, 3, 4 of the node, and of the next node's first."""
    words: tuple[int, ...]
    """The words of the node's cell at its four ticks."""
    final: int
    """The word that stays in the cell."""
    children: tuple[int, ...]
    """The fresh words of children 1..4: f1, f2, f3, f0."""


class Invariant(NamedTuple):
    """The proof as data. Holds for every node n >= `prefix`."""

    prefix: int
    prefix_words: tuple[int, ...]
    """F_n of the nodes up to 4 prefix."""
    pairs: frozenset[Pair]
    """Q: what (F_{n-1}, F_n) can be."""
    final: frozenset[int]
    """Words that cells before n can hold."""
    fresh: frozenset[int]
    """Words that cells after n can hold."""


def node_pattern(decisions: Decisions, fresh: int) -> NodePattern:
    """What a node does whose cell was written with `fresh`, given that reads and operations are right."""
    words, states, children = [fresh], [], []
    for op in range(BRANCHING):
        state = ControlState(Phase.SEARCH, words[-1], op)
        constrained, child = decisions.written(state)
        states.append(state)
        children.append(child)
        words.append(constrained)
    return NodePattern(tuple(states), tuple(words[:BRANCHING]), words[BRANCHING], tuple(children))


def invariant(decisions: Decisions, prefix_words: tuple[int, ...], prefix: int) -> Invariant:
    """Q and the word sets for nodes from `prefix` >= 1 on, from F_0 .. F_{4 prefix}."""
    pairs = {(prefix_words[n - 1], prefix_words[n]) for n in range(prefix, BRANCHING * prefix + 1)}
    open_pairs = list(pairs)
    while open_pairs:
        before, here = open_pairs.pop()
        own = node_pattern(decisions, here).children
        row = (node_pattern(decisions, before).children[3], *own)
        for pair in pairwise(row):
            if pair not in pairs:
                pairs.add(pair)
                open_pairs.append(pair)
    finals = {node_pattern(decisions, word).final for word in prefix_words[:prefix]}
    finals |= {node_pattern(decisions, here).final for _, here in pairs}
    fresh = {here for _, here in pairs}
    return Invariant(prefix, prefix_words, frozenset(pairs), frozenset(finals), frozenset(fresh))


def check_search(decisions: Decisions, claim: Invariant) -> None:
    """Every obligation of the search phase from node `claim.prefix` on. Raises Obligation, MarginError."""
    for before, here in sorted(claim.pairs):
        pattern = node_pattern(decisions, here)
        first = node_pattern(decisions, before).states[3]
        winner = decisions.winner(first, decisions.mechanisms)
        if winner == CONTENT:
            _check_lookup(decisions, claim, first, here, "search.advance")
        elif winner != FORWARD:
            raise Obligation("search.advance", f"{first} reads neither by content nor by temporal forward")
        for tick in range(1, BRANCHING):
            state, word = pattern.states[tick - 1], pattern.words[tick]
            if decisions.winner(state, decisions.mechanisms) != CONTENT:
                raise Obligation("search.stay", f"{state} does not read by content")
            _check_lookup(decisions, claim, state, word, "search.stay")
            check_op(decisions, state, word, tick, "search.op")
        check_op(decisions, first, here, 0, "search.op")


def _check_lookup(decisions: Decisions, claim: Invariant, state: ControlState, word: int, name: str) -> None:
    """Looking up by content finds cell n: no earlier cell has its word, and every other word matches less."""
    if word in claim.final:
        raise Obligation(name, f"{state}: an earlier cell may hold the word {word:08b} too")
    for other in sorted((claim.final | claim.fresh) - {word}):
        if not decisions.prefers(state, word, other):
            raise Obligation(name, f"{state}: the key prefers {other:08b} to {word:08b}")


def check_op(decisions: Decisions, state: ControlState, word: int, expected: int, name: str) -> None:
    """The operation after `word` was read. Raises Obligation, MarginError."""
    found = decisions.op(state, word)
    if found != expected:
        wanted = "nop" if expected == NOP else expected
        raise Obligation(name, f"{state}, read {word:08b}: operation {found} instead of {wanted}")
