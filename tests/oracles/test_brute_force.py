"""Brute force against the plain machine, which keeps every cell and link and knows no shortcuts."""

from itertools import islice

import numpy as np
import pytest

from tests.oracles.brute_force import BruteForce, Fault, State, goals_to_try, way_back
from tests.oracles.formulas import Phases
from tests.oracles.free_tree import breadth_first_weights, run_free_tree
from tests.oracles.machine import NOP, Oracle, OracleConfig, random_weights
from tests.oracles.teacher import FAULTS, damaged, search_weights


def double(weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: array.astype(np.float64) for name, array in weights.items()}


def oracle_ticks(weights, goal: int, ticks: int, **options: object) -> list[tuple[int, int, int]]:
    """Cell, word and operation of each tick, with the goal's signals from tick goal + 1 on."""
    signals = weights["controller.w"].shape[1] - 13
    oracle = Oracle(double(weights), OracleConfig(signals=signals, **options))
    told, phases = [], Phases(signals)
    for tick in range(ticks):
        made = oracle.tick(tick, phases.signals(tick == goal))
        code = sum(1 << j for j, value in enumerate(made.word_read) if value > 0)
        told.append((made.read, code, made.op))
    return told


@pytest.mark.parametrize("seed", range(30))
def test_ticks_are_those_of_the_plain_machine(seed: int) -> None:
    rng = np.random.default_rng(seed)
    signals, usage = (2, 3)[seed % 2], seed % 5 > 0
    weights = random_weights(rng, signals, (0.3, 1.0, 2.0)[seed % 3])
    if seed % 7 == 0:
        weights["interface.read.key.w"][::2] = weights["interface.read.key.b"][::2] = 0  # many words tie
    goal = int(rng.integers(1, 60))
    machine = BruteForce(weights, plan=signals == 3, usage_link=usage)
    found = [(tick.cell, tick.word, tick.op) for tick, _ in islice(machine.ticks(goal), 120)]
    assert found == oracle_ticks(weights, goal, 120, usage_link=usage)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("plan", [True, False])
def test_the_fault_is_the_first_that_the_plain_machine_makes(fault: str, plan: bool) -> None:
    weights = damaged(fault) if plan else search_weights(damaged(fault))
    expected = None
    for goal in range(1, 30):
        nodes = way_back(goal) if plan else [goal]
        wanted = [divmod(t, 4) for t in range(goal)] + [(node, NOP) for node in nodes]
        ticks = [(cell, op) for cell, _, op in oracle_ticks(weights, goal, len(wanted))]
        if not plan:
            wanted[-1] = (ticks[-1][0], NOP)
        wrong = [t for t, pair in enumerate(wanted) if ticks[t] != pair]
        if wrong:
            t = wrong[0]
            expected = (goal, t + 1, ticks[t])
            break
    found = BruteForce(weights, plan=plan).first_fault(range(1, 30))
    assert (found and (found.goal, found.tick, found.found)) == expected
    assert (fault == "none") <= (found is None)


def test_the_free_tree_feeds_what_the_ticks_assume() -> None:
    """On the free tree the goal node is fed at tick goal + 1, and the start never on the way back."""
    ticks = run_free_tree(Oracle(breadth_first_weights(), OracleConfig()), 50, 54)
    found = [
        (tick.cell, tick.op)
        for tick, _ in islice(BruteForce(breadth_first_weights(), plan=True).ticks(50), 54)
    ]
    assert [(tick.read, tick.op) for tick in ticks] == found


def test_a_branch_leaves_no_trace_in_the_search() -> None:
    machine = BruteForce(breadth_first_weights(), plan=True)
    with_branches = [run for _, run in islice(machine.ticks(None), 300)][-1]
    plain = [run for _, run in islice(machine.ticks(None), 300)][-1]
    for goal in (300, 300):
        assert with_branches.branch(goal) is None
    for name in ("words", "parents", "held", "lowest", "present", "last", "word", "op"):
        assert getattr(with_branches, name) == getattr(plain, name), name
    assert with_branches.end(300) is None  # the same, without going back
    assert with_branches.words[:300] != plain.words


def test_a_goal_that_is_not_asked_for_is_not_tried() -> None:
    """The way back fails from node 1 on, the search never."""
    machine = BruteForce(damaged("no way back"), plan=True)
    assert machine.first_fault([7, 9]) == Fault(7, 9, (1, NOP), (8, NOP))


def test_decisions_can_be_overruled() -> None:
    state = State(0, 0b11111111, 2)  # a cell read for the second time; CURRENT everywhere
    weights = breadth_first_weights()

    def fault(changes) -> Fault | None:
        return BruteForce(weights, plan=True, changes=changes).first_fault(range(1, 90))

    assert fault({}) is None
    assert fault({("op", state, 0b11111111): 1}) == Fault(4, 4, (0, 3), (0, 1))
    assert fault({("winner", state): 1}) == Fault(4, 4, (0, 3), (1, 3))
    assert fault({("constrained", state): 0b1111}) == Fault(8, 8, (1, 3), (0, 3))
    assert fault({("above", state, 0): 0b11111111}) == Fault(4, 4, (0, 3), (1, 3))
    assert fault({("like", state, 0): 0b11111111}) is None  # a tie: the cursor's cell is the lowest
    assert fault({("like", state, 0b1111): 0b11111111}) == Fault(8, 8, (1, 3), (0, 3))
    machine = BruteForce(weights, plan=True, changes={("fresh", state): 0b1111})
    assert [run for _, run in islice(machine.ticks(None), 4)][-1].words == [0b11111111, 0, 0, 0b1111]


def test_goals_cover_what_they_should() -> None:
    goals = goals_to_try(8)
    assert goals[:1500] == [*range(1, 1501)]
    assert goals == sorted({*goals})
    depth = [len(way_back(goal)) - 1 for goal in goals]
    assert depth[-1] == 8
    assert 190 < depth.count(7) <= 200
    assert 190 < depth.count(8) <= 200
