"""The supply of tasks: portions, seeds and levels do not disturb each other; an empty level is an error."""

import numpy as np
import pytest

from nhc.algorithms.supply import REFILL_INSTANCES, REFILLS_IN_VAIN, START, InstanceSupply, Position, take
from nhc.algorithms.traces import Traces, concatenate, stacked
from nhc.algorithms.tree.sampler import REFILL_WORLDS, WorldSupply
from nhc.domains.free_tree import FreeTree
from nhc.domains.sokoban import Board, Sokoban
from nhc.errors import InputError
from tests.algorithms.test_sampler import Tables, Where
from tests.computer.machines import TREES

PLAN, SEARCH = TREES["plan"], TREES["search"]


def sokoban(seed: int = 0) -> WorldSupply:
    return WorldSupply(Sokoban(Board(6, 6)), PLAN, seed=seed)


def assert_same(one: Traces, other: Traces) -> None:
    for left, right in zip(one, other, strict=True):
        np.testing.assert_array_equal(left, right)


class Rare(Tables):
    """A task of Level 1 is in one world of `rarity`; in the others nothing has an effect."""

    def __init__(self, rarity: int) -> None:
        super().__init__(1, rarity + 1, 0)
        self.tables[0] = np.arange(rarity + 1)[:, None]
        self.tables[0, 0, 2] = 1


def test_portions_do_not_matter() -> None:
    whole, after = take(sokoban(), 3, 13, START)
    source = sokoban()
    first, between = take(source, 3, 7, START)
    second, end = take(source, 3, 6, between)
    assert_same(concatenate([first, second]), whole)
    assert end == after == Position(0, 13)
    assert whole.size == 13
    assert_same(take(sokoban(), 3, 6, between)[0], second)


def test_neither_do_other_levels_and_portions_in_between() -> None:
    source, alone = sokoban(), sokoban()
    take(source, 2, 900, START)
    take(source, 3, 7, Position(1, 5))
    assert_same(take(source, 3, 9, START)[0], take(alone, 3, 9, START)[0])


def test_portions_do_not_matter_where_refills_meet() -> None:
    source = WorldSupply(FreeTree(), SEARCH, seed=4)
    whole, after = take(source, 2, 2 * REFILL_WORLDS + 9, START)
    assert after == Position(2, 9)
    parts, position = [], START
    for count in (REFILL_WORLDS - 1, 1, 5, REFILL_WORLDS, 4):
        part, position = take(source, 2, count, position)
        assert part.size == count
        parts.append(part)
    assert position == after
    assert_same(concatenate(parts), whole)


def test_a_refill_used_up_is_left_at_once() -> None:
    _, position = take(WorldSupply(FreeTree(), SEARCH, seed=4), 2, REFILL_WORLDS, START)
    assert position == Position(1, 0)


def test_tasks_do_not_repeat_from_refill_to_refill_and_level_to_level() -> None:
    source = WorldSupply(FreeTree(), SEARCH, seed=4)
    goals = [source.refill(level, index).main - 4 * level for level in (3, 4) for index in (0, 1)]
    for number, one in enumerate(goals):
        for other in goals[:number]:
            assert 0.15 < (one == other).mean() < 0.35


def test_seeds_decide() -> None:
    first, again, other = (take(sokoban(seed), 2, 40, START)[0] for seed in (1, 1, 2))
    assert_same(first, again)
    assert first.stored.tolist() != other.stored.tolist()


def test_every_task_is_of_its_level() -> None:
    for level in (1, 2, 7):
        tasks, _ = take(sokoban(), level, 50, START)
        assert set(tasks.main.tolist()) <= set(range(4 * level - 3, 4 * level + 1))
        assert tasks.longest <= tasks.ticks == PLAN.longest(level)


def test_acceptance_rates_are_the_share_of_worlds_with_a_task() -> None:
    source = sokoban()
    assert source.domain_name == "sokoban-6x6"
    for level in (1, 2, 9, 18):
        rate = source.acceptance_rate(level)
        assert 0 < rate <= 1
        assert rate == source.refill(level, 0).size / REFILL_WORLDS
    assert source.acceptance_rate(18) < 0.2
    assert WorldSupply(FreeTree(), SEARCH, seed=0).acceptance_rate(9) == 1


def test_an_empty_level_is_an_error_after_10_000_worlds() -> None:
    domain = Rare(10)
    domain.tables[0, 0, 2] = 0
    with pytest.raises(InputError) as error:
        take(WorldSupply(domain, PLAN, seed=0), 1, 1, START)
    assert error.value.code == "task.level"
    assert domain.drawn == 10_000


def test_the_nearest_lower_level_takes_the_place_of_an_empty_one() -> None:
    """Node 1 takes everything back, so Level 2 is empty while Level 1 and Level 3 are not."""
    domain = Tables(1, 4, 0)
    domain.tables[0] = [[1, 2, 0, 0], [0, 0, 1, 1], [3, 3, 3, 3], [3, 3, 3, 3]]
    domain.sample = lambda rng, count: Where(np.zeros(count, int), np.zeros(count, int))
    source = WorldSupply(domain, PLAN, seed=0)
    assert [source.level_behind(level) for level in (1, 2, 3, 4)] == [1, 1, 3, 3]
    taken, _ = take(source, 2, 5, START)
    assert set(taken.main.tolist()) <= {1, 2, 3, 4}
    tasks, _ = take(source, 3, 400, START)
    assert set(tasks.main.tolist()) == {9}


def test_worlds_in_vain_count_from_the_last_task_on() -> None:
    """Refills without a task are many in sum here, but never five in a row."""
    domain = Rare(2500)
    source = WorldSupply(domain, PLAN, seed=3)
    sizes = [source.refill(1, index).size for index in range(40)]
    empty = [size == 0 for size in sizes]
    assert sum(empty) >= 10
    assert not any(all(empty[index : index + 5]) for index in range(36))
    tasks, position = take(source, 1, sum(sizes[:39]), START)
    assert tasks.size == sum(sizes[:39])
    assert set(tasks.main.tolist()) == {3}
    parts = [take(source, 1, 1, START)]
    while len(parts) < tasks.size:
        parts.append(take(source, 1, 1, parts[-1][1]))
    assert parts[-1][1] == position
    assert_same(concatenate([part for part, _ in parts]), tasks)


def test_instances_are_drawn_by_the_algorithm_refill_by_refill() -> None:
    """A refill under a seed is always the same, in whatever order refills are asked for."""
    supply, again = InstanceSupply(PLAN, 5), InstanceSupply(PLAN, 5)
    found = {(level, index): supply.refill(level, index) for level in (1, 3) for index in (0, 1)}
    assert supply.refill(3, 1) is found[3, 1]
    for level, index in reversed(found):
        assert_same(again.refill(level, index), found[level, index])
    for (level, _), tasks in found.items():
        assert tasks.size == REFILL_INSTANCES
        assert set(tasks.main.tolist()) == {*PLAN.tasks(level)}
    assert found[3, 0].main.tolist() != found[3, 1].main.tolist()
    other = InstanceSupply(PLAN, 6).refill(3, 0)
    assert other.main.tolist() != found[3, 0].main.tolist()
    goals = found[1, 0].main.tolist()
    assert_same(found[1, 0], stacked(PLAN, goals))


class Sparse:
    """Refill `index` holds as many tasks as told, and none beyond what is told."""

    def __init__(self, *sizes: int) -> None:
        self.sizes = sizes

    def refill(self, level: int, index: int) -> Traces:
        size = self.sizes[index] if index < len(self.sizes) else 0
        return stacked(PLAN, [4 * index + 1 + number for number in range(4)]).rows(slice(0, size))


def test_refills_in_vain_end_the_search_for_tasks() -> None:
    empty = (0,) * (REFILLS_IN_VAIN - 1)
    tasks, position = take(Sparse(2, *empty, 3), 1, 4, START)
    assert tasks.main.tolist() == [1, 2, 21, 22]
    assert position == Position(REFILLS_IN_VAIN, 2)
    with pytest.raises(InputError, match="level 7: 5 refills in a row") as error:
        take(Sparse(2, *empty, 3), 7, 6, START)
    assert error.value.code == "task.level"
