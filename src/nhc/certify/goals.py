"""The proof of what follows the goal, for goals at every node n = 4m + p with m >= prefix.

At tick n + 1 the goal's signals arrive for the first time, in the state that tick n left: the cursor stands
on cell m and was read p times. Search must choose `nop`. Plan must read cell n, which this very tick writes,
then its parent m, then m's ancestors up to cell 0, by usage backward links, choosing `nop` each time. Parents
never change, since each cell is written by the free head once, and links run to lower cells, so cells that
the constrained head rewrites on the way are never read again.
"""

from typing import NamedTuple

from nhc.certify.decisions import Decisions
from nhc.certify.induction import Invariant, Obligation, check_op, node_pattern
from nhc.domains.protocol import NOP
from nhc.program.compiled import BACKWARD, CONTENT, FORWARD, USAGE_BACKWARD, USAGE_FORWARD
from nhc.program.table import ControlState, Phase

AHEAD = 3
"""Cells after the cursor that surely exist: 4m >= m + 3."""


class Arrival(NamedTuple):
    """The goal's tick for a goal that is a child of a node with the pair (before, here)."""

    before: int
    here: int
    state: ControlState


def arrivals(decisions: Decisions, claim: Invariant) -> list[Arrival]:
    """Every way in which the goal's signals can arrive."""
    return [
        Arrival(before, here, ControlState(Phase.BACK, word, op))
        for before, here in sorted(claim.pairs)
        for op, word in enumerate(node_pattern(decisions, here).words)
    ]


def check_search_end(decisions: Decisions, claim: Invariant) -> None:
    """Search chooses `nop` when the goal is met, whatever it reads. Raises Obligation, MarginError."""
    for arrival in arrivals(decisions, claim):
        for word in sorted(possible_reads(decisions, claim, arrival)):
            check_op(decisions, arrival.state, word, NOP, "end.nop")


def possible_reads(decisions: Decisions, claim: Invariant, arrival: Arrival) -> set[int]:
    """Every word that the read at the goal's tick may find; the cursor stands on cell m."""
    state = arrival.state
    _, fresh = decisions.written(state)
    winner = decisions.winner(state, decisions.mechanisms)
    if winner == USAGE_FORWARD:
        return {fresh}
    if winner == FORWARD:
        return {following for here, following in claim.pairs if here == arrival.here}
    if winner == BACKWARD:
        return {node_pattern(decisions, arrival.before).final}
    if winner == USAGE_BACKWARD:
        return parent_words(decisions, claim, arrival.here)
    return content_reads(decisions, claim, arrival)


def parent_words(decisions: Decisions, claim: Invariant, here: int) -> set[int]:
    """The words that the parent of a node whose cell was written with `here` can hold for good."""
    candidates = set(claim.prefix_words[: claim.prefix]) | {word for _, word in claim.pairs}
    patterns = [node_pattern(decisions, word) for word in candidates]
    return {pattern.final for pattern in patterns if here in pattern.children}


def content_reads(decisions: Decisions, claim: Invariant, arrival: Arrival) -> set[int]:
    """What a lookup may find: nothing that matches less than a word that is surely in memory.

    Surely there are the two words of this tick, the words that nodes of the prefix hold for good, the words
    of the children that this node has made so far, and those of the next `AHEAD` cells: since m >= 1 they
    are among the 4m + 1 cells that were written before this node's turn. Which words the next cells hold
    depends on the path through the pairs; the result joins all paths.
    """
    constrained, fresh = decisions.written(arrival.state)
    made = node_pattern(decisions, arrival.here).children[: arrival.state.op]
    first = node_pattern(decisions, arrival.before).children[3]
    kept = {node_pattern(decisions, word).final for word in claim.prefix_words[: claim.prefix]}
    sure = {constrained, fresh, first, *made, *kept}
    possible = claim.final | claim.fresh
    found: set[int] = set()
    for path in following_words(claim, arrival.here, AHEAD):
        best = decisions.best_word(arrival.state, sure.union(path))
        better = {word for word in possible - {best} if not decisions.prefers(arrival.state, best, word)}
        found |= {best} | better
    return found


def following_words(claim: Invariant, here: int, count: int) -> set[tuple[int, ...]]:
    """What the `count` cells after a cell written with `here` can have been written with."""
    paths: set[tuple[int, ...]] = {()}
    for _ in range(count):
        paths = {
            (*path, after)
            for path in paths
            for before, after in claim.pairs
            if before == (path or (here,))[-1]
        }
    return paths


def check_plan_end(decisions: Decisions, claim: Invariant) -> None:
    """Plan reads the goal and walks back to the start. Raises Obligation, MarginError."""
    for state in sorted({arrival.state for arrival in arrivals(decisions, claim)}):
        _check_goal(decisions, claim, state)
    for word in sorted(claim.final):
        _check_step_back(decisions, ControlState(Phase.BACK, word, NOP), claim.final, "back.up")


def _check_goal(decisions: Decisions, claim: Invariant, state: ControlState) -> None:
    """The goal's tick reads the new cell, the next its parent, the one after that a grandparent."""
    constrained, fresh = decisions.written(state)
    winner = decisions.winner(state, decisions.mechanisms)
    if winner == CONTENT:
        _check_lookup(decisions, claim, state, fresh, {constrained}, "goal.read")
    elif winner != USAGE_FORWARD:
        raise Obligation("goal.read", f"{state} reads neither by usage forward nor by content")
    check_op(decisions, state, fresh, NOP, "goal.nop")
    _check_parent(decisions, claim, constrained, fresh)
    _check_step_back(decisions, ControlState(Phase.BACK, constrained, NOP), claim.final, "back.grandparent")


def _check_parent(decisions: Decisions, claim: Invariant, constrained: int, fresh: int) -> None:
    """After the goal's tick its parent is read, by its link or by the word that the goal's tick left there.

    By now the goal's cell was rewritten and one more cell was made; neither may be taken for the parent.
    """
    state = ControlState(Phase.BACK, fresh, NOP)
    if decisions.winner(state, decisions.mechanisms) == CONTENT:
        _check_lookup(decisions, claim, state, constrained, {*decisions.written(state)}, "back.parent")
        check_op(decisions, state, constrained, NOP, "back.parent")
    else:
        _check_step_back(decisions, state, {constrained}, "back.parent")


def _check_lookup(
    decisions: Decisions, claim: Invariant, state: ControlState, word: int, made: set[int], name: str
) -> None:
    """By content the cell with `word` is found only if no other has it and all others match less.

    Other cells hold final words, fresh words, or one of `made`, the words of cells that are neither.
    """
    others = claim.final | claim.fresh | made
    if word in others:
        raise Obligation(name, f"{state}: another cell may hold the word {word:08b} too")
    for other in sorted(others):
        if not decisions.prefers(state, word, other):
            raise Obligation(name, f"{state}: the key prefers {other:08b} to {word:08b}")


def _check_step_back(
    decisions: Decisions, state: ControlState, words: frozenset[int] | set[int], name: str
) -> None:
    """A tick on the way back reads by usage backward and chooses `nop`, whichever of `words` it finds."""
    if decisions.winner(state, decisions.mechanisms) != USAGE_BACKWARD:
        raise Obligation(name, f"{state} does not read by usage backward")
    for word in sorted(words):
        check_op(decisions, state, word, NOP, name)
