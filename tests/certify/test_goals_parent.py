"""Some machines find the goal's parent by the word that the goal's tick left there, not by its link."""

import pytest

from nhc.certify.checker import NOP, Proof
from nhc.certify.goals import check_plan_end
from nhc.certify.induction import Obligation
from tests.certify.mutants import claim_of, decisions_of
from tests.certify.table_machines import MET, depth_machine
from tests.certify.test_checker_steps import FRESH, control_of
from tests.oracles.brute_force import BACK, CONTENT, USAGE_BACKWARD, USAGE_FORWARD, State


@pytest.mark.parametrize("spoilt", [None, "constrained", "fresh"])
def test_the_prover_lets_the_goals_parent_be_found_by_its_word(spoilt: str | None) -> None:
    """Unless the tick that looks for it writes that word elsewhere."""
    machine = depth_machine(3, "plan")
    state = State(BACK, 27, NOP)
    changes = {("winner", state): CONTENT, ("above", state, MET): 255}
    if spoilt is None:
        check_plan_end(decisions_of(machine, changes), claim_of(machine))
        return
    with pytest.raises(Obligation) as caught:
        check_plan_end(decisions_of(machine, changes | {(spoilt, state): MET}), claim_of(machine))
    assert caught.value.name == "back.parent"
    assert "another cell may hold" in str(caught.value)


@pytest.mark.parametrize("spoilt", [None, "winner", "rewritten", "made", "preferred"])
def test_the_checker_lets_the_goals_parent_be_found_by_its_word(
    monkeypatch: pytest.MonkeyPatch, spoilt: str | None
) -> None:
    """The goal's tick leaves a word of its own in the parent, and the next tick's key prefers it."""
    met, looking = 9, (BACK, FRESH, NOP)
    control = control_of("plan")
    written, winner, prefers, op = control.written, control.winner, control.prefers, control.op
    made = {"rewritten": (met, 7), "made": (7, met)}.get(str(spoilt), (6, 7))
    winners = {looking: USAGE_FORWARD if spoilt == "winner" else CONTENT, (BACK, met, NOP): USAGE_BACKWARD}

    def changed_written(state: tuple[int, int, int]) -> tuple[int, int]:
        arrival = state[0] == BACK and state[2] != NOP
        return (met, FRESH) if arrival else made if state == looking else written(state)

    def changed_preference(state: tuple[int, int, int], word: int, other: int) -> bool:
        return (spoilt, other) != ("preferred", 7) if state == looking else prefers(state, word, other)

    changes = {
        "written": changed_written,
        "prefers": changed_preference,
        "winner": lambda state, present: winners[state] if state in winners else winner(state, present),
        "op": lambda state, word: NOP if met in (state[1], word) else op(state, word),
    }
    for name, change in changes.items():
        setattr(control, name, change)
    monkeypatch.setattr(Proof, "follow", lambda proof: [FRESH] * 5)
    failing = Proof(control, 1, backtracks=True).failing
    assert {line.split(":")[0] for line in failing} == (set() if spoilt is None else {"back.parent"})


def test_the_checker_examines_only_decisions_that_the_proof_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the parent is found by its link, what the tick writes does not matter, and has no margin."""
    monkeypatch.setattr(Proof, "follow", lambda proof: [FRESH] * 5)
    control, asked = control_of("plan"), set()
    written = control.written
    control.written = lambda state: (asked.add(state), written(state))[1]  # type: ignore[method-assign]
    assert Proof(control, 1, backtracks=True).failing == []
    assert asked and (BACK, FRESH, NOP) not in asked
