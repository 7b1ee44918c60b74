"""The invariant against runs, and each obligation of the proof by a machine that breaks that one alone."""

from functools import partial
from itertools import pairwise

import pytest

from nhc.algorithms.tree.algorithm import PLAN
from nhc.certify import prove as prover
from nhc.certify.certificate import certificate_json
from nhc.certify.decisions import MarginError, Margins
from nhc.certify.enclosure import Network
from nhc.certify.goals import (
    AHEAD,
    arrivals,
    content_reads,
    following_words,
    parent_words,
    possible_reads,
)
from nhc.certify.induction import Obligation, node_pattern
from nhc.certify.prove import Proof, Refutation, Undecided, attempt, prove
from nhc.machine.config import TABULAR, MachineConfig, options_unlike
from tests.certify.mutants import BASES, Overruled, base, claim_of, decisions_of, verdict
from tests.certify.simulated import ends, simulated
from tests.certify.table_machines import MET, depth_machine
from tests.computer.machines import hand_made, model_of
from tests.oracles.brute_force import (
    BACK,
    BACKWARD,
    CONTENT,
    FORWARD,
    USAGE_BACKWARD,
    USAGE_FORWARD,
    Changes,
    State,
    goals_to_try,
)
from tests.oracles.brute_force import SEARCH as SEARCHING
from tests.oracles.machine import NOP


@pytest.mark.parametrize("name", BASES)
def test_every_pair_of_neighbours_is_in_the_invariant_and_no_other(name: str) -> None:
    found, run = verdict(base(name)), simulated(name)
    assert isinstance(found, Proof)
    claim = found.invariant
    assert run.fresh[: 4 * claim.prefix + 1] == [*claim.prefix_words]
    assert {*pairwise(run.fresh[claim.prefix - 1 :])} == claim.pairs


@pytest.mark.parametrize("name", BASES)
def test_cells_hold_what_the_invariant_says(name: str) -> None:
    found, run = verdict(base(name)), simulated(name)
    assert isinstance(found, Proof)
    claim = found.invariant
    decisions = decisions_of(base(name))
    for node in range(claim.prefix, 999):
        assert run.earlier[node] <= claim.final
        assert run.later[node] <= claim.fresh
        pattern = node_pattern(decisions, run.fresh[node])
        assert [*pattern.words] == run.phases[node]
        assert pattern.final == run.final[node]
        if 4 * node + 4 < len(run.fresh):
            assert [*pattern.children] == run.fresh[4 * node + 1 : 4 * node + 5]
    assert set.union(*run.earlier[claim.prefix :]) == claim.final
    assert set.union(*run.later[claim.prefix :]) == claim.fresh


def test_the_words_of_followed_nodes_stay_in_memory() -> None:
    """The start is followed by itself, and no pair knows of it, but its last word may be found later."""
    claim = claim_of(depth_machine(3))
    assert claim.pairs == {(0, 10), (10, 10), (10, 20), (20, 20)}
    assert claim.final == {4, 14, 24}
    assert claim.fresh == {10, 20}


def test_cells_ahead_of_the_cursor_are_there_when_the_proof_counts_on_them() -> None:
    """At the goal of a child of node m >= 1 the cells 0 .. 4m were written before."""
    assert all(4 * m >= m + AHEAD for m in range(1, 9))


@pytest.mark.parametrize("name", BASES)
def test_what_follows_the_goal_is_as_the_proof_says(name: str) -> None:
    """Every arrival happens, and reads only what it may."""
    mutant = base(name)
    claim, decisions = claim_of(mutant), decisions_of(mutant)
    found: dict[State, set[int]] = {}
    for arrival in arrivals(decisions, claim):
        found.setdefault(arrival.state, set()).update(possible_reads(decisions, claim, arrival))
    met = {}
    for goal, state, word, op in ends(name):
        assert op == NOP
        if state.op != NOP:
            met.setdefault(state, set()).add(word)
            if goal > 4 * claim.prefix:  # Before that, each is followed by itself.
                assert word in found[state]
    assert met.keys() >= found.keys()


def test_arrivals_read_the_words_that_their_mechanism_names() -> None:
    """Words tell the depth of a node and, of a goal, its depth and number."""
    machine = depth_machine(4, "search")
    claim = claim_of(machine)
    state = State(BACK, 21, 1)  # the goal is child 2 of a node at depth 2
    for mechanism, expected in {
        USAGE_FORWARD: {26},
        FORWARD: {20, 30},
        BACKWARD: {14, 24},
        USAGE_BACKWARD: {14},
    }.items():
        decisions = decisions_of(machine, {("winner", state): mechanism})
        reads = [possible_reads(decisions, claim, a) for a in arrivals(decisions, claim) if a.state == state]
        assert set().union(*reads) == expected, mechanism
    assert parent_words(decisions_of(machine), claim, 30) == {24, 34}
    assert parent_words(decisions_of(machine), claim, 10) == {4}
    assert following_words(claim, 20, 3) == {(20, 20, 20), (20, 20, 30), (20, 30, 30), (30, 30, 30)}
    assert following_words(claim, 30, 2) == {(30, 30)}


def test_a_lookup_at_the_goal_may_find_what_no_certain_word_beats() -> None:
    machine = depth_machine(4, "search")
    claim = claim_of(machine)
    (arrival,) = (
        a for a in arrivals(decisions_of(machine), claim) if (a.before, a.state) == (20, (BACK, 21, 1))
    )
    content: Changes = {("winner", arrival.state): CONTENT, ("above", arrival.state, 26): 0}

    def reads(best: int) -> set[int]:
        return content_reads(
            decisions_of(machine, {**content, ("above", arrival.state, best): 255}), claim, arrival
        )

    assert reads(MET) == {MET}  # in memory for sure: the goal's parent
    assert reads(4) == {4}  # the start's cell
    assert reads(30) == {30}  # the first child
    # Finished cells of depth 3 may be there or not; 254 is there, and beats all but 34.
    assert reads(34) == {34, MET}


def test_children_that_a_node_has_not_made_are_not_certain() -> None:
    """The first child of a first node at depth 2 is the goal: no cell of depth 3 may have been written."""
    machine = depth_machine(4, "search")
    state, claim = State(BACK, 20, 0), claim_of(machine)
    changes: Changes = {("winner", state): CONTENT, ("above", state, 25): 0, ("above", state, 30): 255}
    decisions = decisions_of(machine, changes)
    (arrival,) = (a for a in arrivals(decisions, claim) if (a.before, a.state) == (10, state))
    assert content_reads(decisions, claim, arrival) == {30, MET}


def test_pairs_are_closed_under_children() -> None:
    for name in BASES:
        claim, decisions = claim_of(base(name)), decisions_of(base(name))
        for before, here in claim.pairs:
            children = node_pattern(decisions, here).children
            assert (node_pattern(decisions, before).children[3], children[0]) in claim.pairs
            assert {*pairwise(children)} <= claim.pairs
            assert any(following[0] == here for following in claim.pairs)


@pytest.mark.parametrize(("shared", "prefix"), [({1: 54}, 1), ({11: 64}, 5), ({21: 74}, 21)])
def test_early_nodes_that_would_break_the_induction_are_followed_one_by_one(
    shared: dict[int, int], prefix: int
) -> None:
    """A word of nodes at depth 0, 1, 2 is what cells of much deeper nodes hold for good: no harm done."""
    found = verdict(depth_machine(8, "search", shared))
    assert isinstance(found, Proof)
    assert found.invariant.prefix == prefix
    assert len(found.invariant.prefix_words) == 4 * prefix + 1


def test_a_machine_that_needs_a_longer_prefix_is_left_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = depth_machine(8, "search", {31: 74})
    monkeypatch.setattr(prover, "FAILURE_SEARCH", 50)
    found = verdict(machine)
    assert isinstance(found, Undecided)
    assert found.reason.startswith("obligation search.stay")
    assert machine.fault(goals_to_try(8)) is None  # a limit of the prover: this machine is right


def test_a_failure_below_the_prefix_is_found_while_following() -> None:
    machine = depth_machine(8, "plan").with_({("op", State(SEARCHING, 12, 2), 13): 0})
    found = verdict(machine)
    assert isinstance(found, Refutation)
    assert found.failure == (8, 8, "read of cell 1 and left", "read of cell 1 and up")


def test_the_attempt_raises_what_prove_turns_into_a_reason() -> None:
    machine = depth_machine(7, "plan").with_({("op", State(SEARCHING, 62, 2), 63): 0})
    model = model_of(machine.weights, "plan")
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(prover, "Decisions", partial(Overruled, changes=machine.changes))
        with pytest.raises(Obligation):
            attempt(Network(model), PLAN, 1)
    with pytest.raises(MarginError):
        tied = Overruled(Network(model), Margins(), changes={("like", State(SEARCHING, 0, 0), 1): 7})
        tied.prefers(State(SEARCHING, 0, 0), 1, 7)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("words", "real"),
        ("mix", "sum"),
        ("constrained_head", False),
        ("constrained_gate", "learned"),
        ("write_gate", "learned"),
        ("allocation", "learned"),
    ],
)
def test_machines_that_the_proof_does_not_cover_are_left_undecided(option: str, value: object) -> None:
    found = prove(hand_made(**{option: value}))
    assert found == Undecided(f"unsupported options: {option} = {value}")


def test_options_without_effect_on_the_proof_are_covered() -> None:
    assert options_unlike(MachineConfig(), TABULAR) == ""
    assert options_unlike(MachineConfig(usage_link=False), TABULAR) == ""
    both = MachineConfig(words="real", mix="sum")
    assert options_unlike(both, TABULAR) == "words = real, mix = sum"


def test_without_usage_links_only_search_can_be_proved() -> None:
    assert isinstance(prove(hand_made("search", usage_link=False)), Proof)
    found = prove(hand_made("plan", usage_link=False))
    assert isinstance(found, Refutation)
    assert found.failure.goal == 1
    decisions = decisions_of(base("search")._replace(usage_link=False))
    assert decisions.mechanisms == {CONTENT, FORWARD, BACKWARD}
    assert decisions_of(base("search")).mechanisms == {*range(5)}


@pytest.mark.parametrize(("task", "end"), [("search", "Tick n+1"), ("plan", "up to the start")])
def test_claims_are_those_of_the_algorithm(task: str, end: str) -> None:
    """Both claim breadth-first search, and each what it does at its end."""
    model = hand_made(task)
    proof = prove(model)
    assert isinstance(proof, Proof)
    claims = certificate_json(model, proof)["claims"]
    assert isinstance(claims, list) and [claim["label"] for claim in claims] == ["proved", "proved"]
    assert "breadth-first search" in claims[0]["text"] and end in claims[1]["text"]
