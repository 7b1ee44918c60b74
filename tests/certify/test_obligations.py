"""Each obligation of the proof, by a machine that breaks that one alone."""

import pytest

from nhc.certify.goals import check_plan_end, check_search_end
from nhc.certify.induction import Obligation, check_search
from tests.certify.mutants import claim_of, decisions_of
from tests.certify.table_machines import MET, depth_machine
from tests.oracles.brute_force import BACK, CONTENT, FORWARD, USAGE_BACKWARD, USAGE_FORWARD, State
from tests.oracles.brute_force import SEARCH as SEARCHING
from tests.oracles.machine import NOP

NAMES = {
    "search.stay": ("plan", {("winner", State(SEARCHING, 20, 0)): FORWARD}),
    "search.stay: prefers": ("plan", {("above", State(SEARCHING, 20, 0), 21): 0}),
    "search.stay: prefers 00011000": ("plan", {("above", State(SEARCHING, 20, 0), 21): 22}),
    "search.stay: prefers 00001010": (
        "plan",
        {
            ("above", State(SEARCHING, 20, 0), 21): 5,
            ("above", State(SEARCHING, 20, 0), 14): 1,
            ("above", State(SEARCHING, 20, 0), 24): 2,
        },
    ),
    "search.advance": ("plan", {("winner", State(SEARCHING, 23, 3)): USAGE_BACKWARD}),
    "search.advance: prefers": (
        "plan",
        {("winner", State(SEARCHING, 23, 3)): CONTENT, ("above", State(SEARCHING, 23, 3), 20): 3},
    ),
    "search.op": ("plan", {("op", State(SEARCHING, 22, 2), 23): 2}),
    "search.op: instead of 0": ("plan", {("op", State(SEARCHING, 23, 3), 20): 1}),
    "end.nop": ("search", {("op", State(BACK, 22, 2), 27): 2}),
    "goal.read": ("plan", {("winner", State(BACK, 22, 2)): FORWARD}),
    "goal.read: prefers": (
        "plan",
        {("winner", State(BACK, 22, 2)): CONTENT, ("above", State(BACK, 22, 2), 27): 0},
    ),
    "goal.nop": ("plan", {("op", State(BACK, 22, 2), 27): 0}),
    "back.parent": ("plan", {("winner", State(BACK, 27, NOP)): FORWARD}),
    "back.parent: prefers": (
        "plan",
        {("winner", State(BACK, 27, NOP)): CONTENT, ("above", State(BACK, 27, NOP), MET): 0},
    ),
    "back.parent: instead of nop ": (
        "plan",
        {
            ("winner", State(BACK, 27, NOP)): CONTENT,
            ("above", State(BACK, 27, NOP), MET): 255,
            ("op", State(BACK, 27, NOP), MET): 3,
        },
    ),
    "back.parent: instead of nop": ("plan", {("op", State(BACK, 27, NOP), MET): 3}),
    "back.grandparent": ("plan", {("winner", State(BACK, MET, NOP)): CONTENT}),
    "back.grandparent: instead of nop": ("plan", {("op", State(BACK, MET, NOP), 24): 3}),
    "back.up": ("plan", {("winner", State(BACK, 24, NOP)): USAGE_FORWARD}),
    "back.up: instead of nop": ("plan", {("op", State(BACK, 24, NOP), 14): 3}),
}


@pytest.mark.parametrize("case", NAMES)
def test_each_obligation_fails_by_itself(case: str) -> None:
    """The machine's words tell depths 0, 1, and 2 or more; one decision is another."""
    algorithm, changes = NAMES[case]
    machine = depth_machine(3, algorithm)
    claim = claim_of(machine)
    check_end = check_plan_end if algorithm == "plan" else check_search_end
    checks = {"search": check_search, "end": check_end}
    for check in checks.values():
        check(decisions_of(machine), claim)
    name, *part = case.split(": ")
    of = "search" if name.startswith("search.") else "end"
    checks.pop("end" if of == "search" else "search")(decisions_of(machine, changes), claim)
    with pytest.raises(Obligation) as caught:
        checks[of](decisions_of(machine, changes), claim)
    assert caught.value.name == name
    assert str(caught.value).startswith(f"{name}: ")
    assert all(text.strip() in str(caught.value) for text in part)


SHARED = {
    "search.stay ": ({22: 4}, "an earlier cell may hold"),
    "search.stay": ({22: 14}, "an earlier cell may hold"),
    "search.advance": ({20: 14}, "an earlier cell may hold"),
    "goal.read": ({28: 20}, "another cell may hold"),
    "goal.read ": ({28: MET}, "another cell may hold"),
}


@pytest.mark.parametrize("case", SHARED)
def test_a_word_with_two_meanings_fails_the_lookup_that_needs_it(case: str) -> None:
    shared, message = SHARED[case]
    name = case.strip()
    state = {"search.advance": State(SEARCHING, 23, 3), "goal.read": State(BACK, 23, 3)}.get(name)
    wanted = shared.get(28, shared.get(20))
    machine = depth_machine(3, "plan", shared)
    if state is not None:
        machine = machine.with_({("winner", state): CONTENT, ("above", state, wanted): 255})
    check = check_plan_end if name == "goal.read" else check_search
    with pytest.raises(Obligation) as caught:
        check(decisions_of(machine), claim_of(machine))
    assert caught.value.name == name
    assert message in str(caught.value)
