"""The learning loop against one iteration after another in plain Python, whatever the look-ahead.

Most runs start from the breadth-first machine that fails at goals made by the last operation: its batches are
perfect or not by chance, so streaks break anywhere, and steps of learning are too small to change that.
"""

import itertools
import math
from dataclasses import fields, replace
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.algorithms.traces import trace_of
from nhc.evolve import loop
from nhc.evolve.evaluate import capacity_for
from nhc.evolve.loop import evolution, finite_fitness
from nhc.evolve.state import Record, TrainState, lineage_parameters
from tests.computer.machines import PLAN
from tests.evolve.plain_loop import Case, Twin, slow_run
from tests.machine.runs import stacked
from tests.oracles.teacher import damaged

LOOKAHEADS = (12, 5, 1)


def memories(**values: object) -> dict[str, object]:
    return {"capacity": 5, "share": 0.1, "cleared_after": 4, **values}


def short(solved_after: int, levels: int) -> dict[str, object]:
    return {"solved_after": solved_after, "levels": levels}


CASES = {
    "perfect": Case("none", True, {"budget": 60, "curriculum": short(13, 3), "bad_memories": memories()}),
    "lucky": Case(
        "last op wins",
        True,
        {
            "seed": 25,
            "budget": 250,
            "curriculum": short(5, 2),
            "bad_memories": memories(cleared_after=3),
            "restart": {"patience": 9},
        },
    ),
    "unsolved": Case(
        "last op wins",
        False,
        {
            "budget": 40,
            "curriculum": short(30, 2),
            "bad_memories": memories(),
            "restart": {"rule": "unsolved", "patience": 14},
        },
    ),
    "unreached": Case(
        "stays at start",
        False,
        {
            "budget": 40,
            "curriculum": short(6, 2),
            "bad_memories": memories(share=0.6),
            "restart": {"rule": "unreached", "patience": 6},
        },
    ),
    "random": Case(
        None,
        True,
        {
            "budget": 25,
            "curriculum": short(5, 3),
            "bad_memories": memories(share=0.5),
            "restart": {"patience": 6},
        },
    ),
    "never": Case(
        "last op wins",
        False,
        {
            "budget": 25,
            "curriculum": short(50, 1),
            "bad_memories": memories(enabled=False),
            "restart": {"rule": "never", "patience": 1},
        },
    ),
}
WIDE = Case(
    "last op wins",
    True,
    {"budget": 40, "curriculum": short(4, 4), "bad_memories": memories(capacity=11)},
    level=3,
)


Steps = list[tuple[TrainState, list[Record]]]


def run(case: Case, lookahead: int, state: TrainState | None = None) -> Steps:
    """All that `evolution` yields with this look-ahead."""
    before = loop.LOOKAHEAD
    try:
        loop.LOOKAHEAD = lookahead
        return list(evolution(case.course, case.first if state is None else state))
    finally:
        loop.LOOKAHEAD = before


@cache
def fast_run(name: str, lookahead: int) -> Steps:
    return run(CASES[name], lookahead)


@cache
def twin_run(name: str) -> tuple[list[Record], Twin]:
    return slow_run(CASES[name])


def records_of(steps: Steps) -> list[Record]:
    return [record for _, records in steps for record in records]


def assert_same_state(one: TrainState, other: TrainState) -> None:
    for field in fields(TrainState):
        left, right = getattr(one, field.name), getattr(other, field.name)
        if field.name in ("parameters", "bad", "novelty"):
            for a, b in zip(jax.tree.leaves(left), jax.tree.leaves(right), strict=True):
                np.testing.assert_array_equal(a, b)
        else:
            assert left == right, field.name


def assert_as_slow(steps: Steps, expected: list[Record], twin: Twin) -> None:
    assert records_of(steps) == expected
    end = steps[-1][0]
    for a, b in zip(jax.tree.leaves(end.parameters), jax.tree.leaves(twin.theta), strict=True):
        np.testing.assert_array_equal(a, b)
    assert end.ticks == twin.ticks
    held = end.bad.recalled(np.arange(end.bad.held))
    assert held.size == len(twin.ring)
    for row, task in enumerate(twin.ring):
        length = int(task.length[0])
        assert (held.main[row], held.length[row]) == (task.main[0], length)
        for found, wanted in zip(held[:4], task[:4], strict=True):
            np.testing.assert_array_equal(found[row, :length], wanted[0, :length])


@pytest.mark.parametrize("lookahead", LOOKAHEADS)
@pytest.mark.parametrize("name", CASES)
def test_the_run_is_that_of_the_plain_loop_for_every_look_ahead(name: str, lookahead: int) -> None:
    assert_as_slow(fast_run(name, lookahead), *twin_run(name))
    assert_same_state(fast_run(name, lookahead)[-1][0], fast_run(name, LOOKAHEADS[0])[-1][0])


def test_the_cases_hold_what_they_are_for() -> None:
    """Streaks that break anywhere, levels solved and mastered, memories cleared, restarts of both rules."""
    records = {name: twin_run(name)[0] for name in CASES}
    assert [r.iteration for r in records["perfect"] if r.solved] == [13, 26, 39, 52]
    assert records["perfect"][-1].level == 4
    assert not any(r.learned for r in records["perfect"])
    lucky = records["lucky"]
    assert [r.level for r in lucky if r.solved] == [1, 2, 3]
    broken = {a.streak for a, b in itertools.pairwise(lucky) if b.streak == 0 and not a.solved}
    assert broken >= {1, 2, 3, 4}
    assert not any(r.restarted for r in lucky)  # though each level outlasts the patience
    unsolved, unreached = records["unsolved"], records["unreached"]
    assert sum(r.restarted for r in unsolved) == 2
    assert any(r.streak > 0 for r in unsolved[:14])
    assert any(r.restarted and r.level == 2 for r in unreached)
    assert sum(r.restarted for r in records["random"]) == 3
    assert len(records["never"]) == 25
    assert not any(r.restarted for r in records["never"])


def test_a_look_ahead_ends_early_where_a_streak_breaks() -> None:
    steps = fast_run("lucky", 12)
    config = CASES["lucky"].config
    cut, state = [], CASES["lucky"].first
    for after, records in steps:
        if not state.doubtful and after.doubtful:
            marks = (config.bad_memories.cleared_after, config.curriculum.solved_after)
            ahead = min([mark - state.streak for mark in marks if mark > state.streak])
            cut.append((len(records), ahead))
        state = after
    assert (0, 3) in cut
    assert any(0 < done < ahead for done, ahead in cut)
    assert max(len(records) for _, records in fast_run("perfect", 12)) == 9
    assert max(len(records) for _, records in fast_run("perfect", 1)) == 1


@pytest.mark.parametrize("name", ["lucky", "unsolved"])
def test_a_run_goes_on_from_any_state_as_if_nothing_had_been(name: str) -> None:
    steps = fast_run(name, 12)
    for index in {len(steps) * share // 8 for share in (5, 6, 7)} | {len(steps) - 2}:
        resumed = run(CASES[name], 12, state=steps[index][0])
        assert records_of(resumed) == records_of(steps[index + 1 :])
        assert_same_state(resumed[-1][0], steps[-1][0])


def test_rows_widen_when_a_level_needs_more_ticks() -> None:
    records, twin = slow_run(WIDE)
    assert {record.level for record in records} >= {3, 4}
    assert_as_slow(run(WIDE, 5), records, twin)


@pytest.mark.parametrize(("share", "columns"), [(0.0, 16), (1.0, 128)])
def test_rows_are_as_wide_as_a_remembered_task_needs(share: float, columns: int) -> None:
    case = replace(CASES["lucky"], values={"bad_memories": {"share": share}})
    state, wide = case.first, trace_of(PLAN, 20)
    tasks, _ = case.course.sampled(0, 1, state.bad.remember(wide), state.positions)
    assert (tasks.size, tasks.ticks) == (2, columns)
    if share:
        assert tasks.main.tolist() == [20, 20]
        assert tasks.stored[:, :23].tolist() == [wide.stored[0].tolist()] * 2


def test_the_run_ends_with_the_budget_or_the_last_level() -> None:
    for name, case in CASES.items():
        end, records = fast_run(name, 5)[-1][0], records_of(fast_run(name, 5))
        assert [record.iteration for record in records] == list(range(1, len(records) + 1))
        assert end.iteration == len(records)
        assert end.mastered == (name in ("perfect", "lucky"))
        assert (len(records) == case.config.budget) or end.mastered
        assert run(case, 5, state=end) == []
    assert run(CASES["never"], 5, state=replace(CASES["never"].first, certified=True)) == []


@pytest.mark.parametrize("budget", [3, 17, 30])
def test_a_look_ahead_does_not_go_beyond_the_budget(budget: int) -> None:
    case = CASES["perfect"]
    steps = run(replace(case, values={**case.values, "budget": budget}), 12)
    assert records_of(steps) == twin_run("perfect")[0][:budget]
    assert steps[-1][0].iteration == budget


def test_a_restart_learns_nothing_and_begins_a_new_lineage_at_level_1() -> None:
    steps = fast_run("unreached", 12)
    state = CASES["unreached"].first
    found = 0
    for after, records in steps:
        if records and records[-1].restarted:
            found += 1
            assert not records[-1].learned
            assert after.learning_iterations == state.learning_iterations
            assert (after.level, after.streak, after.reached, after.bad.held) == (1, 0, False, 0)
            fresh = lineage_parameters(CASES["unreached"].config, found)
            for a, b in zip(jax.tree.leaves(after.parameters), jax.tree.leaves(fresh), strict=True):
                np.testing.assert_array_equal(a, b)
            assert after.iteration - state.level_began == 7
        state = after
    assert found >= 2


def test_weights_that_are_not_finite_rank_last_and_are_counted() -> None:
    """The weight belongs to a block that does nothing, so only its value can give the machine away."""
    case = CASES["random"]
    bias = case.first.parameters.interface.b.at[8].set(jnp.nan)
    broken = replace(case.first.parameters, interface=replace(case.first.parameters.interface, b=bias))
    steps = run(case, 12, state=replace(case.first, parameters=broken))
    records = records_of(steps)
    assert [record.nonfinite for record in records[:7]] == [3, 6, 9, 12, 15, 18, 18]
    assert all(math.isnan(record.fitness) for record in records[:7])
    assert records[6].restarted
    assert {record.nonfinite for record in records[7:]} == {18}


def test_fitness_of_members_with_a_weight_that_is_not_finite_is_nan() -> None:
    machines = [damaged("none") for _ in range(4)]
    machines[1]["transform_c.w"][4, 26] = math.inf
    machines[3]["controller.b"][15] = math.nan
    members = stacked(machines, CASES["perfect"].config.machine)
    found = finite_fitness(np.array([1.0, 2.0, 3.0, 4.0]), members)
    np.testing.assert_array_equal(found, [1.0, math.nan, 3.0, math.nan])


@pytest.mark.parametrize(
    ("ticks", "cells"), [(1, 16), (16, 16), (17, 128), (128, 128), (129, 1024), (8192, 8192)]
)
def test_capacities_cover_the_ticks(ticks: int, cells: int) -> None:
    assert capacity_for(ticks) == cells
    assert ticks <= capacity_for(ticks, "soft") <= max(16, 2 * (ticks - 1))
