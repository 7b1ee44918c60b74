"""Tasks for a round: those of the shared source, with the configurations that their trees have."""

import numpy as np
import pytest

from nhc.algorithms.supply import START, Position, take
from nhc.algorithms.tree.algorithm import SEARCH
from nhc.algorithms.tree.sampler import WorldSupply
from nhc.baselines.config import BaselineConfig
from nhc.baselines.supply import Draws, Supply, nodes_at, taken, top_level
from nhc.domains.registry import make_domain
from nhc.domains.states import picked
from nhc.evolve.config import BadMemoriesConfig, CurriculumConfig

CONFIG = BaselineConfig(runs=3, round=5, iterations=10, batch=7, curriculum=CurriculumConfig(levels=4))
DOMAIN = make_domain("sokoban-6x6")
FIRST = np.zeros((3, 4, 2), np.int64)


def draws(levels: list[int], index: int = 0, config: BaselineConfig = CONFIG) -> tuple[Draws, np.ndarray]:
    return Supply(config, DOMAIN).draws(np.array(levels), FIRST, index)


def test_words_are_those_of_the_sources_tasks() -> None:
    drawn, _ = draws([1, 2, 1])
    assert drawn.words.shape == (5, 3, 7, nodes_at(2), 18) and drawn.goal.shape == (5, 3, 7)
    source = WorldSupply(DOMAIN, SEARCH, seed=CONFIG.seed + 2)
    tasks, _ = take(source, 1, 35, START)
    assert (drawn.goal[:, 2].ravel() == tasks.main).all()
    words = drawn.words[:, 2].reshape(35, nodes_at(2), 18)[:, :5]
    _, numbers = np.unique(words.reshape(-1, 18), axis=0, return_inverse=True)
    columns = (numbers.reshape(35, 5), np.asarray(tasks.padded(5).stored))
    equal, expected = (same[:, :, None] == same[:, None] for same in columns)
    met = np.arange(5) <= tasks.main[:, None]
    both = met[:, :, None] & met[:, None]
    assert (equal == expected)[both].all(), "words are equal exactly where the source says that states are"


def test_each_word_follows_from_its_parent_by_its_operation() -> None:
    drawn, _ = draws([3, 3, 3])
    words = np.unpackbits(drawn.words[0, 1, 0], axis=-1, count=144)
    states = DOMAIN.decode(words)
    for node in range(1, nodes_at(3)):
        parent = picked(states, np.array([(node - 1) // 4]))
        stepped = DOMAIN.encode(DOMAIN.step(parent, (node - 1) % 4))[0]
        assert (stepped == words[node]).all()


def test_supplies_go_on_where_they_stopped() -> None:
    supply = Supply(CONFIG, DOMAIN)
    first, after = supply.draws(np.array([1, 1, 2]), FIRST, 0)
    assert (after[:2, 0, 1] == 35).all() and (after[:2, 1:] == 0).all()
    second, _ = supply.draws(np.array([1, 1, 2]), after, 1)
    assert not np.array_equal(first.words, second.words)
    again, _ = Supply(CONFIG, DOMAIN).draws(np.array([1, 1, 2]), after, 1)
    assert all((one == other).all() for one, other in zip(second, again, strict=True))


def test_taken_crosses_refills_as_the_source_does() -> None:
    source = WorldSupply(DOMAIN, SEARCH, seed=4)
    first = source.refill(2, 0).size
    tasks, end = take(source, 2, first + 3, START)
    starts, goals, stop = taken(source, 2, first + 3, START)
    assert np.array_equal(goals, tasks.main) and stop == end == Position(1, 3)
    expected = [
        *DOMAIN.encode(source.sample(2, 0).start_state),
        *DOMAIN.encode(source.sample(2, 1).start_state)[:3],
    ]
    assert np.array_equal(DOMAIN.encode(starts), np.array(expected))


def test_shares_of_origins() -> None:
    config = CONFIG.model_copy(update={"round": 100, "batch": 30, "runs": 1})
    drawn, after = Supply(config, DOMAIN).draws(np.array([3]), FIRST[:1], 0)
    assert drawn.repeats.mean() == pytest.approx(0.25, abs=0.04)
    earlier = (drawn.goal <= 8).mean()
    assert earlier == pytest.approx(0.2, abs=0.04) and after[0, 3].sum() == 0
    last, _ = Supply(config, DOMAIN).draws(np.array([5]), FIRST[:1], 0)
    by_level = np.bincount((last.goal.ravel() - 1) // 4, minlength=4) / last.goal.size
    assert by_level.tolist() == pytest.approx([0.25] * 4, abs=0.05)


def test_runs_differ_and_do_not_depend_on_each_other() -> None:
    drawn, _ = draws([1, 1, 1])
    assert (drawn.words[:, 0] != drawn.words[:, 1]).any()
    alone, _ = draws([1], config=CONFIG.model_copy(update={"runs": 1, "seed": 1}))
    assert (alone.words[:, 0] == drawn.words[:, 1]).all()
    assert (alone.memory[:, 0] == drawn.memory[:, 1]).all()


def test_the_top_level() -> None:
    assert top_level(CONFIG, np.array([1, 3, 2])) == 3
    assert top_level(CONFIG, np.array([5, 3])) == 4, "the level after the last draws from all"
    assert BadMemoriesConfig().capacity == 200 and BaselineConfig().bad_memories.share == 0.25
