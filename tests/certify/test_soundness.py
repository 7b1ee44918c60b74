"""The prover against brute force: machines broken on purpose, at one place or a little everywhere.

A proof where brute force finds a wrong tick would be a lie, so none may occur. The long form, with several
hundred machines and goals at depth 10, is benchmarks/soundness.py.
"""

from collections import Counter
from collections.abc import Callable
from itertools import islice

import numpy as np
import pytest

from nhc.certify import prove as prover
from nhc.certify.certificate import failing_trace
from nhc.certify.prove import FAILURE_SEARCH, Proof, Refutation, Undecided, prove
from tests.certify.mutants import (
    BASES,
    Mutant,
    agrees,
    aimed_at,
    base,
    moved,
    near_border,
    random_flip,
    verdict,
    visited,
)
from tests.certify.table_machines import depth_machine, random_table_machine
from tests.computer.machines import free_task, hand_made, traced
from tests.oracles.brute_force import (
    BACK,
    BACKWARD,
    CONTENT,
    FORWARD,
    SEARCH,
    USAGE_FORWARD,
    Changes,
    State,
    goals_to_try,
    way_back,
)
from tests.oracles.machine import NOP
from tests.oracles.teacher import FAULTS

GOALS = goals_to_try(6)
DEEP = goals_to_try(8)


@pytest.fixture(autouse=True)
def short_prefixes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Longer ones prove none of these machines; they only take longer to say so."""
    monkeypatch.setattr(prover, "LONGEST_PREFIX", 5)


@pytest.mark.parametrize("name", BASES)
def test_what_is_proved_is_right_on_every_goal_tried(name: str) -> None:
    assert isinstance(verdict(base(name)), Proof)
    assert base(name).fault(DEEP) is None


def ticks_of(mutant: Mutant, goal: int = 30) -> list[tuple[State, int]]:
    """(control state, word read) of every tick of one run, the goal's tick and two more at its end."""
    return [(tick.state, tick.word) for tick, _ in islice(mutant.machine().ticks(goal), goal + 3)]


def finished_word(mutant: Mutant) -> int:
    """What stays in the cell of a node that is done with."""
    return [run for _, run in islice(mutant.machine().ticks(None), 26)][-1].words[3]


Places = list[tuple[State, int]]
SINGLE: dict[str, Callable[[Places, int], Changes]] = {
    "third operation of a node": lambda ticks, finished: {("op", *ticks[22]): 1},
    "fourth operation of a node": lambda ticks, finished: {("op", *ticks[23]): 0},
    "fourth operation becomes nop": lambda ticks, finished: {("op", *ticks[23]): NOP},
    "next node": lambda ticks, finished: {("winner", ticks[24][0]): BACKWARD},
    "second look at a node": lambda ticks, finished: {("winner", ticks[25][0]): FORWARD},
    "word at the third phase": lambda ticks, finished: {("constrained", ticks[26][0]): ticks[24][1]},
    "operation at the goal's tick": lambda ticks, finished: {("op", *ticks[30]): 2},
    "tie with finished cells": lambda ticks, finished: {("like", ticks[25][0], finished): ticks[25][1]},
}


@pytest.mark.parametrize("broken", SINGLE)
@pytest.mark.parametrize("name", BASES)
def test_one_wrong_decision_is_refused(name: str, broken: str) -> None:
    """Here the decision matters soon, so the smallest failing task is shown."""
    machine = base(name)
    mutant = machine.with_(SINGLE[broken](ticks_of(machine), finished_word(machine)), broken)
    fault = mutant.fault(GOALS)
    assert fault is not None
    found = verdict(mutant)
    assert not isinstance(found, Proof)
    if not broken.startswith("tie"):
        assert agrees(mutant, found, fault) == "refuted"


@pytest.mark.parametrize("name", ["zoo:plan", "plan"])
def test_one_wrong_decision_on_the_way_back_is_refused(name: str) -> None:
    machine = base(name)
    ticks = ticks_of(machine)
    for tick, goal_depths in ((31, 1), (32, 2)):
        state, word = ticks[tick]
        for change in ({("op", state, word): 3}, {("winner", state): USAGE_FORWARD}, {("winner", state): 0}):
            mutant = machine.with_(change)
            fault = mutant.fault(GOALS)
            assert fault is not None
            assert len(way_back(fault.goal)) > goal_depths
            assert agrees(mutant, verdict(mutant), fault) == "refuted"


def late(depth: int) -> tuple[int, ...]:
    """The words of a node at this depth of a depth machine: of its cell, then of its children as goals."""
    return tuple(range(10 * depth, 10 * depth + 9))


LAST = late(6)
DEEP_BREAKS: dict[str, tuple[str, Changes, dict[int, int]]] = {
    "search.op": ("plan", {("op", State(SEARCH, LAST[2], 2), LAST[3]): 0}, {}),
    "search.stay": ("search", {("winner", State(SEARCH, LAST[0], 0)): FORWARD}, {}),
    "search.stay: an earlier cell": ("plan", {}, {LAST[3]: late(5)[4]}),
    "search.advance": ("plan", {("winner", State(SEARCH, LAST[3], 3)): USAGE_FORWARD}, {}),
    "goal.read": ("plan", {("winner", State(BACK, LAST[2], 2)): CONTENT}, {LAST[7]: LAST[0]}),
    "goal.nop": ("plan", {("op", State(BACK, LAST[3], 3), LAST[8]): 3}, {}),
    "end.nop": ("search", {("op", State(BACK, LAST[1], 1), LAST[6]): 0}, {}),
    "back.parent": ("plan", {("winner", State(BACK, LAST[5], NOP)): FORWARD}, {}),
    "back.grandparent": ("plan", {("op", State(BACK, 254, NOP), LAST[4]): 1}, {}),
    "back.up": ("plan", {("winner", State(BACK, LAST[4], NOP)): BACKWARD}, {}),
}


@pytest.mark.parametrize("broken", DEEP_BREAKS)
def test_what_goes_wrong_deep_in_the_tree_is_not_proved(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words tell a node's depth, and a decision at depth 6 is wrong: no goal that is tried shows it."""
    monkeypatch.setattr(prover, "FAILURE_SEARCH", 100)
    algorithm, changes, shared = DEEP_BREAKS[broken]
    mutant = depth_machine(7, algorithm, shared).with_(changes)
    fault = mutant.fault(DEEP)
    assert fault is not None
    assert fault.goal > FAILURE_SEARCH
    found = verdict(mutant)
    assert isinstance(found, Undecided)
    name, *part = broken.split(": ")
    assert found.reason.startswith(f"obligation {name}: ")
    assert all(word in found.reason for word in part)


def test_depth_machines_are_proved_if_nothing_is_wrong() -> None:
    for algorithm in ("plan", "search"):
        assert agrees(*judged(depth_machine(7, algorithm), DEEP)) == "proved"


def judged(mutant: Mutant, goals: list[int] = GOALS):
    return mutant, verdict(mutant), mutant.fault(goals)


@pytest.mark.parametrize("name", BASES)
def test_weights_near_the_border_of_right_and_wrong(name: str) -> None:
    rng = np.random.default_rng(BASES.index(name))
    found: Counter[str] = Counter()
    while found.total() < 6:
        for mutant in near_border(rng, base(name)):
            found[agrees(*judged(mutant))] += 1
    assert found["proved"] >= 1
    assert found["refuted"] >= 1


@pytest.mark.parametrize("name", BASES)
def test_single_decisions_flipped_at_random(name: str) -> None:
    rng = np.random.default_rng(100 + BASES.index(name))
    places = sorted(visited(base(name)))
    found = Counter(agrees(*judged(base(name).with_(random_flip(rng, base(name), places)))) for _ in range(8))
    assert found["refuted"] >= 2


@pytest.mark.parametrize("algorithm", ["plan", "search"])
def test_random_tables(algorithm: str) -> None:
    rng = np.random.default_rng(200)
    found: Counter[str] = Counter()
    for _ in range(8):
        machine = random_table_machine(rng, algorithm)
        found[agrees(*judged(machine))] += 1
        flipped = machine.with_(random_flip(rng, machine, sorted(visited(machine, (3, 30)))))
        found[agrees(*judged(flipped))] += 1
    assert found["proved"] >= 2
    assert found["refuted"] >= 2


@pytest.mark.parametrize("algorithm", ["plan", "search"])
def test_words_shared_between_depths(algorithm: str) -> None:
    """One word means two things at different depths, which matters or does not."""
    rng = np.random.default_rng(300)
    words = [word for depth in range(7) for word in late(depth)]
    found: Counter[str] = Counter()
    for _ in range(5):
        one, other = map(int, rng.choice(words, 2, replace=False))
        found[agrees(*judged(depth_machine(7, algorithm, {one: other})))] += 1
    assert found.total() == 5


@pytest.mark.parametrize("name", BASES)
def test_one_control_state_pushed_until_it_decides_otherwise(name: str) -> None:
    """A change of rank one raises one operation in one state; brute force says how far that is right."""
    machine = base(name)
    ticks = ticks_of(machine)
    where = sorted({*ticks} | {*visited(machine)})
    for tick in (23, 30):
        target = where.index(ticks[tick])
        direction = {key: np.zeros(array.shape) for key, array in machine.weights.items()}
        direction["transform_c.w"][1] = aimed_at(machine, "transform_c", where, target)
        scales = np.linspace(0.0, 12.0, 7)
        found = [agrees(*judged(moved(machine, direction, scale, "one state"))) for scale in scales]
        assert found[0] == "proved"
        assert found[-1] == "refuted"


@pytest.mark.parametrize("fault", [fault for fault in FAULTS if fault != "none"])
def test_a_refutation_is_the_smallest_task_on_which_the_network_fails(fault: str) -> None:
    model = hand_made(fault=fault)
    found = prove(model)
    assert isinstance(found, Refutation)
    goal, tick = found.failure.goal, found.failure.tick
    made = traced(model, free_task(goal))
    wanted = [divmod(t, 4) for t in range(goal)] + [(node, NOP) for node in way_back(goal)]
    ticks = list(zip(made.read.tolist(), made.op.tolist(), strict=True))
    assert ticks[: tick - 1] == wanted[: tick - 1]
    assert ticks[tick - 1] != wanted[tick - 1]
    assert Mutant(fault, model.parameters.named_blocks(model.config)).fault([*range(1, goal)]) is None
    for smaller in {1, goal // 2, goal - 1} - {0, goal}:
        right = traced(model, free_task(smaller))
        wanted = [divmod(t, 4) for t in range(smaller)] + [(node, NOP) for node in way_back(smaller)]
        assert list(zip(right.read.tolist(), right.op.tolist(), strict=True)) == wanted


def test_the_failing_trace_shows_the_failure() -> None:
    model = hand_made(fault="stops at 2")
    found = prove(model)
    assert isinstance(found, Refutation)
    assert found.failure == (9, 9, "read of cell 2 and up", "read of cell 2 and nop")
    made = failing_trace(model, found.failure)
    assert made.ticks == 9  # the machine stops
    assert (made.read[8], made.op[8]) == (2, NOP)
