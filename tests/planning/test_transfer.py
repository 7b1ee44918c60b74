"""A frozen machine over another world's curriculum: what is drawn, graded and counted."""

from collections import Counter

import numpy as np
import pytest

from nhc.algorithms.judge import Steps
from nhc.algorithms.tree.sampler import content_numbers, grow_tree, tree_traces
from nhc.domains.states import picked
from nhc.evolve.config import TrainConfig
from nhc.evolve.course import draw_origins
from nhc.evolve.evaluate import evaluate
from nhc.planning import evaluate as module
from nhc.planning.evaluate import draw_level, graded
from nhc.planning.states import computer_for
from nhc.planning.transfer import most_points, schedule, transfer
from nhc.streams import random_stream
from tests.computer.machines import TREES, hand_made, stacked, world, zoo

FAULTS = ("none", "last op wins", "stops at 2", "never nop")


@pytest.fixture(autouse=True)
def few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "RUNS_AT_A_TIME", 16)


@pytest.mark.parametrize(("kind", "name", "level"), [("plan", "stacking", 4), ("search", "sokoban-6x6", 1)])
def test_grades_are_the_points_that_training_gives(kind: str, name: str, level: int) -> None:
    """The same tasks by content numbers, with the judge of the fitness `steps`."""
    algorithm, domain = TREES[kind], world(name)
    models = [hand_made(kind, fault) for fault in FAULTS]
    drawn = draw_level(domain, level, count=9, rng=random_stream(3, "test", level))
    keys = domain.key(grow_tree(domain, drawn.start, 4 * level + 1))
    tasks = tree_traces(content_numbers(keys), drawn.node, algorithm)
    scores = evaluate(stacked(models), tasks.padded(32), config=models[0].config, judge=Steps())
    most = Steps().most(tasks)
    for found, expected in zip(most_points(algorithm, drawn.node), most, strict=True):
        np.testing.assert_array_equal(found, expected)
    for number, model in enumerate(models):
        grades = graded(computer_for(model, domain), domain, drawn, level)
        np.testing.assert_array_equal(grades.points.main, scores.main[number])
        np.testing.assert_array_equal(grades.points.bonus, scores.bonus[number])
        perfect = (scores.main[number] == most.main) & (scores.bonus[number] == most.bonus)
        np.testing.assert_array_equal(grades.right, perfect)


def test_the_curriculum_is_that_of_perfect_batches() -> None:
    computer = computer_for(zoo("plan"), world("stacking"))
    level, source = schedule(computer, 5700, seed=6)
    assert level.tolist() == [min(1 + at // 250, 22) for at in range(5700)]
    config = TrainConfig(seed=6)
    for at in (0, 249, 250, 3333, 5600):
        wanted = draw_origins(config, at, int(level[at]), remembered=0).level
        np.testing.assert_array_equal(source[at], wanted)
    assert source.shape == (5700, 20)


@pytest.mark.parametrize("kind", ["plan", "search"])
def test_the_zoo_makes_no_mistake_in_other_worlds(kind: str) -> None:
    seen: list[tuple[int, int]] = []
    found = transfer(
        computer_for(zoo(kind), world("stacking")),
        world("stacking"),
        iterations=4,
        seed=1,
        on_progress=lambda samples, mistakes: seen.append((samples, mistakes)),
    )
    assert (found.samples, found.mistakes, found.task) == (80, 0, kind)
    assert found.fitness.tolist() == [TREES[kind].maximum] * 4
    assert seen[-1] == (80, 0) and seen == sorted(seen)
    assert found.behind == {}


def test_mistakes_are_counted_and_lower_the_fitness_of_their_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that stops at node 2 errs on goals after it; Level 6 of stacking is empty."""
    monkeypatch.setattr(
        "nhc.planning.transfer.schedule", lambda *_: (np.array([1, 6]), np.array([[1, 1, 1], [6, 1, 6]]))
    )
    found = transfer(
        computer_for(hand_made("plan", "stops at 2"), world("stacking")),
        world("stacking"),
        iterations=2,
        seed=0,
    )
    assert (found.samples, found.mistakes) == (6, 2)
    assert found.fitness[0] == 150.0
    assert 0 < found.fitness[1] < 100.0
    assert found.behind == {6: 5}


def test_seeds_decide_the_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Counter[int]] = []

    def noted(domain, level, *, count, rng):
        found = draw_level(domain, level, count=count, rng=rng)
        drawn.append(Counter(picked(found.start, slice(None)).code.tolist()))
        return found

    monkeypatch.setattr("nhc.planning.transfer.draw_level", noted)
    computer = computer_for(zoo("plan"), world("stacking"))
    for seed in (1, 1, 2):
        transfer(computer, world("stacking"), iterations=1, seed=seed)
    assert drawn[0] == drawn[1] != drawn[2]
