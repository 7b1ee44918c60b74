"""The learning loop against one iteration after another in plain Python, whatever the look-ahead.

Most runs start from the breadth-first machine that fails at goals made by the last operation: its batches are
perfect or not by chance, so streaks break anywhere, and steps of learning are too small to change that.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.domains.free_tree import FreeTree
from nhc.domains.sokoban import Board, Sokoban
from nhc.evolve import loop, nes
from nhc.evolve.bad_memories import no_bad_memories
from nhc.evolve.bookkeeping import after_perfect, must_restart, restarted
from nhc.evolve.config import TrainConfig
from nhc.evolve.curriculum import draw_origins
from nhc.evolve.evaluate import capacity_for, evaluate
from nhc.evolve.fitness import FITNESSES
from nhc.evolve.loop import evolution, finite_fitness
from nhc.evolve.shaping import batch_fitness
from nhc.evolve.state import NOISE_STREAM, Record, TrainState, initial_train_state, lineage_parameters, stream
from nhc.machine.parameters import Parameters
from nhc.tasks.batch import Tasks, concatenate
from nhc.tasks.source import START, TaskSource
from tests.machine.runs import stacked
from tests.oracles.teacher import damaged, utilities

LOOKAHEADS = (12, 5, 1)
MOST_TAKEN = 500


@dataclass(frozen=True)
class Case:
    """A run: its first machine is a fault of the breadth-first machine, or random."""

    fault: str | None
    sokoban: bool
    values: dict[str, object]
    level: int = 1

    @property
    def config(self) -> TrainConfig:
        es = {"population": 3, "learning_rate": 1e-6, "weight_decay": 0.9999}
        return TrainConfig.model_validate({"batch": 2, "es": es, "seed": 5, **self.values})

    @property
    def source(self) -> TaskSource:
        world = Sokoban(Board(6, 6)) if self.sokoban else FreeTree()
        return TaskSource(world, self.config.algorithm, seed=21)

    @property
    def first(self) -> TrainState:
        state = replace(initial_train_state(self.config), level=self.level)
        if self.fault is None:
            return state
        return replace(state, parameters=Parameters.from_blocks(damaged(self.fault), self.config.machine))


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
            "seed": 8,
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


@dataclass
class Twin:
    """What the loop knows, as a list of things that happen; the design's section on learning."""

    theta: Parameters
    level: int
    ring: list[Tasks]
    oldest: int = 0
    began: int = 0
    reached: bool = False
    streak: int = 0
    learning_iterations: int = 0
    restarts: int = 0
    nonfinite: int = 0
    ticks: int = 0


def slow_run(case: Case) -> tuple[list[Record], Twin]:
    config, twin = case.config, Twin(case.first.parameters, case.level, [])
    supply, taken = {}, dict.fromkeys(range(1, config.curriculum.levels + 1), 0)
    for level in taken:
        supply[level] = case.source.take(level, MOST_TAKEN, START)[0]
    records: list[Record] = []
    for iteration in range(config.budget):
        origins = draw_origins(config, iteration, twin.level, len(twin.ring))
        rows = []
        for memory, level in zip(*(column.tolist() for column in origins), strict=True):
            if memory >= 0:
                rows.append(twin.ring[memory])
            else:
                rows.append(supply[level].rows(slice(taken[level], taken[level] + 1)))
                taken[level] += 1
        records.append(iterate(config, twin, iteration, rows))
        if records[-1].solved and records[-1].level == config.curriculum.levels + 1:
            break
    return records, twin


def iterate(config: TrainConfig, twin: Twin, iteration: int, rows: list[Tasks]) -> Record:
    level = twin.level
    tasks = concatenate([row.padded(128) for row in rows])
    longest = {1: 6, 2: 11, 3: 15, 4: 19}[min(level, config.curriculum.levels)]
    tasks = tasks.padded(16 if longest <= 16 else 128)
    judge = FITNESSES["steps"](config.algorithm)
    key = stream(config, NOISE_STREAM)
    members, noise = nes.offspring(
        twin.theta, key, jnp.int32(iteration), config=config.machine, es=config.es
    )
    scores = evaluate(members, tasks, config=config.machine, judge=judge)
    most = judge.most(tasks)
    fitness = batch_fitness(scores.points, most, 50.0).tolist()
    wrong = [
        row
        for number, row in enumerate(rows)
        if scores.search[0, number] != most.search[number] or scores.end[0, number] != most.end[number]
    ]
    found = {"learned": False, "restarted": False, "solved": False}
    streak = 0
    twin.ticks += int(scores.ticks[0].sum())
    if not wrong:
        assert fitness[0] == 150.0
        twin.streak += 1
        twin.reached = True
        streak = twin.streak
        if streak == config.bad_memories.cleared_after:
            twin.ring, twin.oldest = [], 0
        if streak == config.curriculum.solved_after:
            found["solved"] = True
            twin.level, twin.streak, twin.reached, twin.began = level + 1, 0, False, iteration + 1
    else:
        twin.streak = 0
        twin.ticks += int(scores.ticks[1:].sum())
        if config.bad_memories.enabled:
            remember(twin, wrong, config.bad_memories.capacity)
        rule, long = config.restart.rule, iteration + 1 - twin.began > config.restart.patience
        if long and (rule == "unsolved" or (rule == "unreached" and not twin.reached)):
            found["restarted"] = True
            twin.restarts += 1
            twin.theta = lineage_parameters(config, twin.restarts)
            twin.ring, twin.oldest, twin.level = [], 0, 1
            twin.reached, twin.began = False, iteration + 1
        else:
            found["learned"] = True
            twin.learning_iterations += 1
            shares = utilities(fitness[1:], config.es.gini, config.es.utility_scale)
            twin.theta = nes.update(twin.theta, noise, jnp.asarray(shares, jnp.float32), es=config.es)
    return Record(
        iteration + 1,
        level,
        round(fitness[0], 6),
        **found,
        learning_iterations=twin.learning_iterations,
        restarts=twin.restarts,
        streak=streak,
        nonfinite=twin.nonfinite,
    )


def remember(twin: Twin, wrong: list[Tasks], capacity: int) -> None:
    for task in wrong:
        if len(twin.ring) < capacity:
            twin.ring.append(task)
        else:
            twin.ring[twin.oldest] = task
            twin.oldest = (twin.oldest + 1) % capacity


Steps = list[tuple[TrainState, list[Record]]]


def run(case: Case, lookahead: int, state: TrainState | None = None) -> Steps:
    """All that `evolution` yields with this look-ahead."""
    before = loop.LOOKAHEAD
    try:
        loop.LOOKAHEAD = lookahead
        return list(evolution(case.config, case.first if state is None else state, case.source))
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
        if field.name in ("parameters", "bad"):
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
        shared = min(held.content.shape[1], task.content.shape[1])
        assert held.content[row, :shared].tolist() == task.content[0, :shared].tolist()
        assert (held.goal[row], held.end[row]) == (task.goal[0], task.end[0])


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
    broken = {a.streak for a, b in zip(lucky, lucky[1:], strict=False) if b.streak == 0 and not a.solved}
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


def test_the_run_ends_with_the_budget_or_the_last_level() -> None:
    for name, case in CASES.items():
        end, records = fast_run(name, 5)[-1][0], records_of(fast_run(name, 5))
        assert [record.iteration for record in records] == list(range(1, len(records) + 1))
        assert end.iteration == len(records)
        assert end.mastered == (name in ("perfect", "lucky"))
        assert (len(records) == case.config.budget) or end.mastered
        assert run(case, 5, state=end) == []


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


def perfect_for(iterations: int, config: TrainConfig, state: TrainState, watch: Callable[[TrainState], None]):
    """States and records of perfect iterations in a row."""
    records = []
    for _ in range(iterations):
        state, record = after_perfect(config, replace(state, iteration=state.iteration + 1))
        records.append(record)
        watch(state)
    return state, records


def remembering(state: TrainState) -> TrainState:
    one = Tasks(np.ones((1, 16), np.int32), np.ones(1, np.int32), np.ones(1, np.int32))
    return replace(state, bad=no_bad_memories(9, 128).remember(one))


def test_bad_memories_are_cleared_at_exactly_10_perfect_iterations_and_not_again() -> None:
    config = TrainConfig()
    held: list[int] = []
    state = remembering(initial_train_state(config))
    state, _ = perfect_for(10, config, state, lambda state: held.append(state.bad.held))
    assert held == [1] * 9 + [0]
    later = remembering(state)
    held.clear()
    perfect_for(239, config, later, lambda state: held.append(state.bad.held))
    assert held == [1] * 239


def test_250_perfect_iterations_in_a_row_solve_a_level() -> None:
    config = TrainConfig()
    state = replace(initial_train_state(config), iteration=1000, level=4, level_began=700, doubtful=True)
    state, records = perfect_for(249, config, state, lambda state: None)
    assert (state.level, state.streak, state.reached, state.level_began) == (4, 249, True, 700)
    assert not any(record.solved for record in records)
    assert {record.fitness for record in records} == {150.0}
    assert [record.streak for record in records] == list(range(1, 250))
    state, (record,) = perfect_for(1, config, state, lambda state: None)
    assert (record.level, record.solved, record.streak, record.iteration) == (4, True, 250, 1250)
    assert (state.level, state.streak, state.reached, state.level_began) == (5, 0, False, 1250)
    assert not state.doubtful
    assert not state.mastered


def test_the_run_is_mastered_when_the_additional_level_is_solved() -> None:
    config = TrainConfig.model_validate({"task": "search", "machine": {"signals": 2}})
    for level, mastered in ((20, False), (21, False), (22, True)):
        state = replace(initial_train_state(TrainConfig()), level=level, streak=249)
        after, record = after_perfect(config, state)
        assert after.mastered == mastered
        assert record.fitness == 120.0


@pytest.mark.parametrize("rule", ["unreached", "unsolved", "never"])
@pytest.mark.parametrize("reached", [False, True])
def test_restarts_come_after_the_patience_of_the_level(rule: str, reached: bool) -> None:
    config = TrainConfig.model_validate({"restart": {"rule": rule}})
    state = replace(initial_train_state(config), level_began=300, reached=reached)
    given_up = {"unreached": not reached, "unsolved": True, "never": False}[rule]
    for iteration, patient in ((301, True), (2800, True), (2801, False), (2802, False), (9000, False)):
        assert must_restart(config, replace(state, iteration=iteration)) == (given_up and not patient)


def test_learning_iterations_count_on_across_restarts() -> None:
    config = TrainConfig()
    state = remembering(replace(initial_train_state(config), iteration=5000, level=7, level_began=2000))
    state = replace(state, learning_iterations=432, restarts=2, nonfinite=6, reached=True)
    after, record = restarted(config, state, 81.25)
    assert (record.iteration, record.level, record.fitness) == (5000, 7, 81.25)
    assert (record.restarted, record.learned, record.solved) == (True, False, False)
    assert (record.restarts, record.learning_iterations, record.nonfinite) == (3, 432, 6)
    assert (after.restarts, after.learning_iterations, after.nonfinite) == (3, 432, 6)
    assert (after.level, after.level_began, after.reached, after.bad.held) == (1, 5000, False, 0)


@pytest.mark.parametrize(("ticks", "cells"), [(1, 16), (16, 16), (17, 128), (128, 128), (129, 1024), (8192, 8192)])
def test_capacities_cover_the_ticks(ticks: int, cells: int) -> None:
    assert capacity_for(ticks) == cells
