"""NSRA-ES against plain loops: behaviours by the oracle, distances cell by cell, the weight step by step."""

import math
from dataclasses import replace

import jax
import numpy as np
import pytest

from nhc.algorithms.tree.algorithm import PROBE_GOALS, PROBE_TICKS
from nhc.evolve import nes
from nhc.evolve.config import NoveltyConfig, TrainConfig
from nhc.evolve.course import Course
from nhc.evolve.loop import explored, learned
from nhc.evolve.novelty import Novelty, behaviours_of, empty_novelty, novelties
from nhc.evolve.state import after_perfect, initial_train_state
from nhc.machine.config import MachineConfig
from tests.computer.machines import PLAN, TREES
from tests.evolve.plain_loop import Case, slow_run
from tests.evolve.test_loop import assert_as_slow, assert_same_state, records_of, run
from tests.machine.runs import oracle_config, random_blocks, stacked
from tests.oracles.formulas import Phases
from tests.oracles.machine import NOP, Oracle
from tests.oracles.teacher import damaged, search_weights, utilities

GAP = 1e-5
ENTRIES = 96
PROBE = PLAN.probe()

CASE = Case(
    "last op wins",
    False,
    {
        "budget": 40,
        "curriculum": {"solved_after": 30, "levels": 2},
        "bad_memories": {"capacity": 5, "share": 0.1, "cleared_after": 4},
        "restart": {"rule": "unsolved", "patience": 14},
        "novelty": {"enabled": True, "neighbours": 3, "capacity": 5, "step": 0.25, "patience": 2},
        "es": {"population": 4},
    },
)


def plain_behaviour(weights: dict, config: MachineConfig) -> list[int | None]:
    """Addresses and ops in turn, goal by goal; None where rounding may decide."""
    entries: list[int | None] = []
    for goal in PROBE_GOALS:
        oracle, node, met, sure = Oracle(weights, oracle_config(config)), 0, False, True
        phases = Phases(config.signals)
        for _ in range(PROBE_TICKS):
            if oracle.ended:
                entries += [-1, -1] if sure else [None, None]
                continue
            equal = node == (0 if met else goal)
            made = oracle.tick(node, phases.signals(equal))
            met, sure = met or equal, sure and made.gap > GAP
            if made.read is None:
                entries += [-1, -1] if sure else [None, None]
                continue
            entries += [made.read, made.op] if sure else [None, None]
            node = made.data_read if made.op == NOP else 4 * made.data_read + 1 + made.op
    return entries


@pytest.mark.parametrize("write_gate", ["always", "learned"])
def test_behaviours_are_what_the_oracle_does_on_the_probe(write_gate: str) -> None:
    config = MachineConfig.model_validate({"write_gate": write_gate})
    rng = np.random.default_rng(6)
    machines = [damaged("none"), damaged("greedy"), *(random_blocks(rng, config, 1.0) for _ in range(9))]
    machines[0]["interface.write.gate.b"][:] = machines[1]["interface.write.gate.b"][:] = 1
    found = behaviours_of(stacked(machines, config), config, PROBE)
    assert found.shape == (11, ENTRIES) and found.dtype == np.int16
    compared = 0
    for weights, behaviour in zip(machines, found.tolist(), strict=True):
        for expected, entry in zip(plain_behaviour(weights, config), behaviour, strict=True):
            compared += expected is not None
            assert expected in (None, entry)
    assert compared > 0.9 * found.size
    # The breadth-first machine reads cell 0 for ops 0 to 3; the goal 1 is met by the first.
    third = found[0].reshape(3, PROBE_TICKS, 2)[2]
    assert third[:12].tolist() == [[time // 4, time % 4] for time in range(12)]
    assert third[12:15].tolist() == [[12, NOP], [2, NOP], [0, NOP]]
    assert (found == -1).any() == (write_gate == "learned")


def plain_novelty(behaviour: list[int], archive: list[list[int]], neighbours: int) -> float:
    distances = []
    for other in archive:
        distances.append(sum(a != b for a, b in zip(behaviour, other, strict=True)) / ENTRIES)
    nearest = sorted(distances)[:neighbours]
    return sum(nearest) / len(nearest) if nearest else 0.0


@pytest.mark.parametrize("written", [0, 1, 3, 5, 7, 12])
def test_novelty_is_the_mean_distance_to_the_nearest_of_the_archive(written: int) -> None:
    rng = np.random.default_rng(written)
    config = NoveltyConfig(capacity=7, neighbours=4)
    novelty, archive = empty_novelty(config, PROBE), []
    for _ in range(written):
        behaviour = rng.integers(0, 3, ENTRIES).astype(np.int16)
        novelty = novelty.remembered(behaviour)
        archive = [*archive, behaviour.tolist()][-7:]
    members = rng.integers(0, 3, (6, ENTRIES)).astype(np.int16)
    if archive:
        members[2] = archive[0]
    found = novelties(members, novelty, config.neighbours)
    expected = [plain_novelty(member, archive, 4) for member in members.tolist()]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert novelty.held == len(archive) == min(written, 7)
    rows = sorted(novelty.archive[: novelty.held].tolist())
    assert rows == sorted(archive)
    assert (novelty.archive[novelty.held :] == -1).all()


def test_the_archive_before_a_memory_is_not_changed() -> None:
    first = empty_novelty(NoveltyConfig(capacity=2), PROBE).remembered(np.full(ENTRIES, 5, np.int16))
    copy = first.archive.copy()
    first.remembered(np.zeros(ENTRIES, np.int16))
    np.testing.assert_array_equal(first.archive, copy)


CONFIG = NoveltyConfig(patience=3, step=0.25, initial_weight=0.5)
STORY = [  # of learning iterations: level, fitness; weight and count after it
    (1, 10.0, 0.75, 0),  # the first is the best so far
    (1, 10.0, 0.75, 1),  # as good is no progress
    (1, 9.0, 0.75, 2),
    (1, 9.5, 0.5, 0),  # the third in vain
    (1, 10.5, 0.75, 0),
    (1, 120.0, 1.0, 0),
    (1, 50.0, 1.0, 1),
    (1, math.nan, 1.0, 2),
    (2, 30.0, 1.0, 0),  # a higher level is progress, whatever the fitness; never beyond 1
    (2, 20.0, 1.0, 1),
    (2, 20.0, 1.0, 2),
    (2, 20.0, 0.75, 0),
    *[(2, 20.0, 0.75 - 0.25 * (n // 3), n % 3) for n in range(1, 10)],
    *[(2, 20.0, 0.0, n % 3) for n in range(1, 4)],  # never below 0
]


def test_the_weight_rises_with_progress_and_falls_without() -> None:
    novelty = empty_novelty(CONFIG, PROBE)
    assert (novelty.weight, novelty.held) == (0.5, 0)
    for number, (level, fitness, weight, stale) in enumerate(STORY):
        novelty = novelty.adapted(CONFIG, level, fitness)
        assert (novelty.weight, novelty.stale) == (weight, stale), number


def test_a_lucky_perfect_batch_sets_no_best_that_nothing_can_exceed() -> None:
    """After perfect batches by chance, what is better in learning still is progress, as without the luck."""
    config = TrainConfig.model_validate({"novelty": {**CONFIG.model_dump(), "enabled": True}})
    course = Course(config, config.algorithm)
    state = initial_train_state(course)
    assert state.novelty is not None
    for fitness in (10.0, 9.0):
        state = replace(state, novelty=state.novelty.adapted(CONFIG, 1, fitness))
    before = state.novelty
    for streak in (1, 2):
        state, record = after_perfect(course, replace(state, iteration=state.iteration + 1))
        assert (record.fitness, record.streak) == (150.0, streak)
        assert state.novelty is before and (before.weight, before.best_fitness) == (0.75, 10.0)
    weights = []
    for fitness in (9.0, 11.0, 10.0, 149.0):
        state = replace(state, novelty=state.novelty.adapted(CONFIG, 1, fitness))
        weights.append((state.novelty.weight, state.novelty.stale))
    assert weights == [(0.75, 2), (1.0, 0), (1.0, 1), (1.0, 0)]


def test_weights_that_are_not_finite_are_no_record_to_beat() -> None:
    novelty = empty_novelty(CONFIG, PROBE).adapted(CONFIG, 2, math.nan)
    assert novelty.adapted(CONFIG, 2, 1.0).best_fitness == 1.0


def test_a_new_lineage_keeps_the_archive_only() -> None:
    novelty = empty_novelty(CONFIG, PROBE).remembered(np.arange(ENTRIES, dtype=np.int16))
    novelty = novelty.adapted(CONFIG, 3, 70.0)._replace(stale=2)
    fresh = novelty.restarted(CONFIG)
    assert fresh.archive is novelty.archive
    assert fresh[1:] == Novelty(novelty.archive, 1, 1, 0.5)[1:]
    assert fresh.adapted(CONFIG, 1, 3.0).weight == 0.75


def test_a_run_with_novelty_is_that_of_the_plain_loop() -> None:
    (records, twin), steps = slow_run(CASE), run(CASE, 12)
    assert_as_slow(steps, records, twin)
    end = steps[-1][0].novelty
    assert end is not None
    assert (end.weight, end.stale) == (twin.weight, twin.stale)
    assert (end.best_level, end.best_fitness) == twin.best
    assert (end.held, sorted(end.archive.tolist())) == (5, sorted(twin.archive))
    assert sum(record.restarted for record in records) == 2 and any(record.streak for record in records)
    for state, _ in steps:
        assert state.novelty is not None
        assert state.iteration == 0 or state.novelty.weight == twin.weights[state.iteration - 1]
    assert {1.0, 0.75, 0.5} <= {*twin.weights}

    middle = steps[len(steps) // 2][0]
    resumed = run(CASE, 12, state=middle)
    assert records_of(resumed) == records[middle.iteration :]
    assert_same_state(resumed[-1][0], steps[-1][0])

    plain = run(replace(CASE, values={**CASE.values, "novelty": {}}), 12)[-1][0]
    assert plain.novelty is None
    pairs = zip(jax.tree.leaves(plain.parameters), jax.tree.leaves(steps[-1][0].parameters), strict=True)
    assert any((one != other).any() for one, other in pairs)


def test_search_has_a_probe_of_its_own() -> None:
    """With two signals, the breadth-first machine does the same until it ends, and there is no way back."""
    config, (environments, ticks) = MachineConfig(signals=2), TREES["search"].probe()
    members = stacked([search_weights(damaged("none"))], config)
    third = behaviours_of(members, config, (environments, ticks))[0].reshape(3, PROBE_TICKS, 2)[2]
    assert third[:12].tolist() == [[time // 4, time % 4] for time in range(12)]
    assert third[12, 1] == NOP


def test_offspring_that_are_not_finite_are_the_least_novel(monkeypatch: pytest.MonkeyPatch) -> None:
    """However far from all others they behave: they rank last by fitness and by novelty."""
    config = CASE.config
    course = Course(config, config.algorithm)
    state = replace(initial_train_state(course), iteration=1)
    state = replace(state, novelty=state.novelty._replace(weight=0.25))
    weights = [damaged(fault) for fault in ("none", "greedy", "none", "last op wins", "greedy")]
    weights[4]["interface.read.strength.b"][:] = math.nan  # a block that does nothing
    members = stacked(weights, config.machine)
    noise = jax.tree.map(lambda leaf: leaf[1:], members)
    fitness = np.array([50.0, 10.0, 30.0, 30.0, math.nan])

    after, novel = explored(course, state, members, fitness)
    assert math.isnan(novel[3]) and np.isfinite(novel[:3]).all()
    assert novel[0] > novel[2] > novel[1] == 0
    assert (after.held, after.stale, after.weight) == (1, 0, 0.5)

    told: list[list[float]] = []
    monkeypatch.setattr(
        nes, "update", lambda theta, _, utilities, es: told.append(utilities.tolist()) or theta
    )
    done, record = learned(course, state, members, noise, fitness)
    of = [utilities(column, 0.1, 3.0) for column in ([10.0, 30.0, 30.0, math.nan], novel.tolist())]
    expected = [0.5 * one + 0.5 * other for one, other in zip(*of, strict=True)]
    np.testing.assert_allclose(told[0], expected, rtol=1e-6)
    assert told[0][3] == min(told[0]) == 0
    assert (done.nonfinite, record.nonfinite, done.novelty.weight) == (1, 1, 0.5)
