"""A frozen machine over another world's curriculum: what is drawn, graded and counted."""

from collections import Counter

import jax.numpy as jnp
import numpy as np
import pytest

from nhc.data.exact_local import ExactLocal
from nhc.domains.sokoban import Board, Sokoban
from nhc.domains.states import picked
from nhc.evolve.config import TrainConfig
from nhc.evolve.curriculum import draw_origins
from nhc.evolve.evaluate import evaluate
from nhc.evolve.fitness import FITNESSES
from nhc.planning import evaluate as module
from nhc.planning.evaluate import draw_level, graded_ahead, graded_runs
from nhc.planning.states import computer_for
from nhc.planning.transfer import schedule, transfer
from nhc.streams import random_stream
from nhc.tasks.algorithm import ALGORITHMS, PLAN
from nhc.tasks.batch import Tasks
from nhc.tasks.sampler import content_numbers, grow_tree
from nhc.tasks.tree import depths
from tests.computer.machines import hand_made, stacked, world, zoo

FAULTS = ("none", "last op wins", "stops at 2", "never nop")


@pytest.fixture(autouse=True)
def few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AHEAD_AT_A_TIME", 16)


@pytest.mark.parametrize("kind", ["plan", "search"])
@pytest.mark.parametrize(("name", "grade"), [("sokoban-6x6", graded_runs), ("stacking", graded_ahead)])
def test_grades_are_the_points_that_training_gives(kind: str, name: str, grade) -> None:
    """The same tasks by content numbers, with the judge of the fitness `steps`."""
    algorithm, domain = ALGORITHMS[kind], world(name)
    models = [hand_made(kind, fault) for fault in FAULTS]
    for level in (1, 3, 4):
        drawn = draw_level(domain, level, algorithm, count=9, rng=random_stream(3, "test", level))
        keys = domain.key(grow_tree(domain, drawn.start, 4 * level + 1))
        tasks = Tasks(content_numbers(keys), drawn.node, algorithm.end_ticks(depths(drawn.node)))
        scores = evaluate(
            stacked(models), tasks.padded(32), config=models[0].config, judge=FITNESSES["steps"](algorithm)
        )
        most = FITNESSES["steps"](algorithm).most(tasks)
        for number, model in enumerate(models):
            grades = grade(computer_for(model, domain), domain, drawn, level)
            np.testing.assert_array_equal(grades.points.search, scores.search[number])
            np.testing.assert_array_equal(grades.points.end, scores.end[number])
            perfect = (scores.search[number] == most.search) & (scores.end[number] == most.end)
            np.testing.assert_array_equal(grades.right, perfect)


class Restless(ExactLocal):
    """Exact but for `nop`, which flips a word."""

    def insert(self, changed, change, word):
        after = super().insert(changed, change, word)
        return jnp.where(changed[..., None], after, jnp.flip(after, axis=-1))


class Forgetful(ExactLocal):
    """Exact but for pushes, which leave no box behind."""

    def insert(self, changed, change, word):
        return super().insert(changed, change.at[..., -4:].set(jnp.array([0, 0, 0, 1], jnp.uint8)), word)


@pytest.mark.parametrize("fault", [ExactLocal, Restless, Forgetful])
def test_modules_ahead_of_control_give_the_grades_of_data_in_the_loop(fault: type[ExactLocal]) -> None:
    """Also where the modules err: at the same tick, with the same points."""
    domain, model = world("sokoban-6x6"), zoo("plan")
    computer = computer_for(model, domain, fault(Sokoban(Board(6, 6))))
    for level in (2, 7):
        drawn = draw_level(domain, level, PLAN, count=40, rng=random_stream(5, "test", level))
        looped, ahead = (grade(computer, domain, drawn, level) for grade in (graded_runs, graded_ahead))
        for one, other in zip((*looped.points, looped.right), (*ahead.points, ahead.right), strict=True):
            np.testing.assert_array_equal(one, other)
        assert looped.right.all() == (fault is ExactLocal)


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
    assert found.fitness.tolist() == [ALGORITHMS[kind].maximum] * 4
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

    def noted(domain, level, algorithm, *, count, rng):
        found = draw_level(domain, level, algorithm, count=count, rng=rng)
        drawn.append(Counter(picked(found.start, slice(None)).code.tolist()))
        return found

    monkeypatch.setattr("nhc.planning.transfer.draw_level", noted)
    computer = computer_for(zoo("plan"), world("stacking"))
    for seed in (1, 1, 2):
        transfer(computer, world("stacking"), iterations=1, seed=seed)
    assert drawn[0] == drawn[1] != drawn[2]
