"""Where samples come from: the shares of the paper in large numbers, and each batch row by row."""

import numpy as np
import pytest

from nhc.algorithms.supply import START, Position, take
from nhc.algorithms.traces import stacked
from nhc.algorithms.tree import sampler
from nhc.domains.free_tree import FreeTree
from nhc.errors import ConfigError
from nhc.evolve import course as module
from nhc.evolve.bad_memories import empty_bad_memories
from nhc.evolve.config import TrainConfig
from nhc.evolve.course import Course, Origins, draw_origins
from nhc.streams import random_stream
from tests.computer.machines import PLAN, TREES

ITERATIONS = 2000
EARLIER, MEMORY = 0.2, 0.25  # of what is not a memory, and of all


def configured(**values: object) -> TrainConfig:
    return TrainConfig.model_validate({"seed": 8, **values})


def many(config: TrainConfig, level: int, remembered: int) -> Origins:
    """The origins of many iterations, iterations x batch."""
    drawn = [draw_origins(config, iteration, level, remembered) for iteration in range(ITERATIONS)]
    return Origins(*(np.stack(columns) for columns in zip(*drawn, strict=True)))


def assert_share(hits: np.ndarray, share: float) -> None:
    deviation = (share * (1 - share) / hits.size) ** 0.5
    assert abs(hits.mean() - share) <= 4.5 * deviation, (hits.mean(), share)


@pytest.mark.parametrize(("level", "remembered"), [(1, 0), (1, 7), (2, 200), (5, 7), (21, 33)])
def test_shares_below_the_last_level(level: int, remembered: int) -> None:
    origins = many(configured(), level, remembered)
    repeated = origins.memory >= 0
    memory_share = MEMORY if remembered else 0.0
    earlier_share = (1 - memory_share) * EARLIER if level > 1 else 0.0
    assert_share(repeated, memory_share)
    assert_share(~repeated & (origins.level == level), 1 - memory_share - earlier_share)
    for earlier in range(1, level):
        assert_share(~repeated & (origins.level == earlier), earlier_share / (level - 1))
    for row in range(remembered):
        assert_share(origins.memory == row, memory_share / remembered)
    if level > 1 and remembered:  # the figures of the paper, as we read them
        assert memory_share == 0.25
        assert earlier_share == pytest.approx(0.15)


@pytest.mark.parametrize("remembered", [0, 4])
def test_the_last_level_draws_from_all_levels_alike(remembered: int) -> None:
    origins = many(configured(), 22, remembered)
    memory_share = MEMORY if remembered else 0.0
    repeated = origins.memory >= 0
    assert_share(repeated, memory_share)
    for level in range(1, 22):
        assert_share(~repeated & (origins.level == level), (1 - memory_share) / 21)
    assert set(np.unique(origins.level[~repeated])) == set(range(1, 22))


def test_samples_of_a_batch_are_drawn_one_by_one() -> None:
    """Their number varies as that of independent draws does: it is not a quota of each batch."""
    origins = many(configured(), 5, 9)
    for hits, share in ((origins.memory >= 0, 0.25), ((origins.memory < 0) & (origins.level < 5), 0.15)):
        expected = 20 * share * (1 - share)
        assert abs(hits.sum(axis=1).var() - expected) < 5 * expected * (2 / ITERATIONS) ** 0.5


def test_other_shares_and_sizes_are_kept() -> None:
    values = {"batch": 7, "bad_memories": {"share": 0.6}, "curriculum": {"earlier_share": 0.5, "levels": 4}}
    origins = many(configured(**values), 3, 11)
    assert origins.memory.shape == origins.level.shape == (ITERATIONS, 7)
    assert_share(origins.memory >= 0, 0.6)
    assert_share((origins.memory < 0) & (origins.level == 2), 0.1)
    assert set(np.unique(many(configured(**values), 5, 0).level)) == {1, 2, 3, 4}


def test_an_iteration_has_its_own_draws_whenever_it_comes() -> None:
    config = configured()
    forth = [draw_origins(config, iteration, 6, 50) for iteration in range(30)]
    back = [draw_origins(config, iteration, 6, 50) for iteration in reversed(range(30))][::-1]
    for one, other in zip(forth, back, strict=True):
        np.testing.assert_array_equal(np.stack(one), np.stack(other))
    assert len({str(one) for one in forth}) == 30
    other_seed = [draw_origins(configured(seed=9), iteration, 6, 50) for iteration in range(30)]
    assert not {str(one) for one in forth} & {str(one) for one in other_seed}


def test_batches_and_tasks_draw_from_different_streams(monkeypatch) -> None:
    """One seed serves both, so no stream of numbers may be used by both."""
    seeds: dict[str, set[tuple[int, ...]]] = {"batches": set(), "tasks": set()}

    def watched(name: str):
        def stream(*path):
            seeds[name].add(tuple(random_stream(*path).integers(2**63, size=4).tolist()))
            return random_stream(*path)

        return stream

    monkeypatch.setattr(module, "random_stream", watched("batches"))
    for iteration in range(12):
        draw_origins(configured(), iteration, 3, 5)
    monkeypatch.setattr(sampler, "random_stream", watched("tasks"))
    source = sampler.WorldSupply(FreeTree(), TREES["plan"], seed=8)
    for level in range(1, 22):
        for index in range(3):
            source.refill(level, index)
    # Beside the refills of each level, one stream a level tells whether it has any task.
    assert (len(seeds["batches"]), len(seeds["tasks"])) == (12, 63 + 21)
    assert not seeds["batches"] & seeds["tasks"]


def course_with(**values: object) -> Course:
    config = configured(**values)
    return Course(config, config.algorithm)


def test_a_batch_holds_the_memories_and_the_next_tasks_of_each_level(monkeypatch: pytest.MonkeyPatch) -> None:
    course = course_with(domain="sokoban-6x6", seed=2)
    failed, _ = take(course.supply, 2, 6, Position(0, 100))
    bad = empty_bad_memories(9, 31, 3).remember(failed)
    before = bad.tasks.stored.copy()
    positions = (Position(0, 4), START, Position(1, 2), Position(0, 9))
    origins = Origins(np.array([-1, 5, -1, -1, 0, -1, -1, 5]), np.array([3, 1, 1, 3, 4, 3, 4, 3]))
    monkeypatch.setattr(module, "draw_origins", lambda *_: origins)
    tasks, after = course.sampled(7, 3, bad, positions)

    assert (tasks.size, tasks.ticks) == (8, 128 if tasks.longest > 16 else 16)
    for row, memory in ((1, 5), (4, 0), (7, 5)):
        for found, expected in zip(tasks, failed.padded(tasks.ticks), strict=True):
            np.testing.assert_array_equal(found[row], expected[memory])
    expected_after = list(positions)
    for level, rows in ((1, [2]), (3, [0, 3, 5]), (4, [6])):
        fresh, expected_after[level - 1] = take(course.supply, level, len(rows), positions[level - 1])
        for one, other in zip(tasks.rows(np.array(rows)), fresh.padded(tasks.ticks), strict=True):
            np.testing.assert_array_equal(one, other)
    assert after == tuple(expected_after)
    assert after[1] == START
    np.testing.assert_array_equal(bad.tasks.stored, before)


def test_ticks_at_a_level_and_on_the_last() -> None:
    assert [course_with().ticks_at(level) for level in (1, 3, 21, 22)] == [6, 15, 88, 88]
    search = course_with(task="search", machine={"signals": 2}, curriculum={"levels": 3})
    assert [search.ticks_at(level) for level in (1, 3, 4)] == [5, 13, 13]


def exact(**values: object) -> Course:
    return course_with(**{"sampling": "exact", "domain": "", "curriculum": {"levels": 4}, **values})


def test_an_exact_batch_is_each_task_so_far_once_and_then_the_memories() -> None:
    course = exact()
    assert course.config.last_level == 4 == course_with(curriculum={"levels": 3}).config.last_level
    empty = empty_bad_memories(5, 6, 3)
    bad = empty.remember(stacked(PLAN, [30, 7]))
    for level in (1, 2, 4):
        goals = [*range(1, 4 * level + 1)]
        for memories, more in ((empty, []), (bad, [30, 7])):
            batch = course.upto(level, memories)
            assert batch.tasks.main.tolist() == [*goals, *more]
            wanted = stacked(PLAN, [*goals, *more])
            for one, other in zip(batch.tasks, wanted.padded(wanted.longest), strict=True):
                np.testing.assert_array_equal(one, other)
            assert batch.most.main.tolist() == [3 * goal for goal in [*goals, *more]]
    assert course.upto(2, bad) is course.upto(2, bad)
    # What is remembered later is another batch, also where there are as many as before.
    full = empty_bad_memories(1, 6, 3).remember(stacked(PLAN, [30]))
    for goal in (31, 32):
        full = full.remember(stacked(PLAN, [goal]))
        assert course.upto(1, full).tasks.main.tolist() == [1, 2, 3, 4, goal]


def test_levels_without_a_task_cannot_be_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(PLAN), "tasks", lambda self, level: None if level == 2 else [level])
    course = exact()
    assert course.listed(3).main.tolist() == [3]
    with pytest.raises(ConfigError, match="plan lists no tasks of level 2") as caught:
        course.upto(3, empty_bad_memories(1, 6, 3))
    assert caught.value.code == "algorithm.tasks"
