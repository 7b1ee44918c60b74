"""The rules around an update: bad memories, streaks, levels; and that networks get better."""

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from nhc.baselines.learner import Descent, Learner, optimiser_of
from nhc.baselines.search import Trial
from nhc.baselines.search_training import (
    Recipe,
    Ring,
    Runs,
    after_iteration,
    cleared,
    mixed,
    next_levels,
    remember,
    widened,
)
from nhc.baselines.supply import Draws
from tests.baselines.scripted import FORM, NODES, Script, Scripted, one_hot, right_outputs, tree_words

RECIPE = Recipe(FORM, True, Descent("adam", 0.01, 1.0), True, cleared_after=3, solved_after=5)
BATCH = 4


def empty_ring(size: int) -> Ring:
    words = jnp.zeros((size, NODES, 2), jnp.uint8)
    return Ring(words, jnp.zeros(size, jnp.int32), jnp.int32(0), jnp.int32(0))


def trials(goals: list[int]) -> Trial:
    """Tasks that can be told apart by goal and by words."""
    words = np.zeros((len(goals), NODES, 2), np.uint8)
    words[:, 0, 0] = goals
    return Trial(jnp.asarray(words), jnp.asarray(goals, jnp.int32))


def test_the_newest_failures_are_remembered_in_order() -> None:
    ring, kept = empty_ring(5), []
    for start, failed in ((10, [1, 0, 1, 1]), (20, [0, 0, 0, 0]), (30, [1, 1, 1, 0]), (40, [1, 1, 0, 1])):
        goals = [start + k for k in range(BATCH)]
        ring = remember(ring, trials(goals), jnp.asarray(failed, bool))
        kept += [goal for goal, miss in zip(goals, failed, strict=True) if miss]
        held = int(ring.held)
        assert held == min(5, len(kept))
        newest = [int(ring.goal[(int(ring.next) - 1 - back) % 5]) for back in range(held)]
        assert newest == kept[::-1][:held]
        assert (ring.words[:, 0, 0] == ring.goal).all()
    assert int(cleared(ring, jnp.bool_(False)).held) == 5
    assert int(cleared(ring, jnp.bool_(True)).held) == 0 == int(cleared(ring, jnp.bool_(True)).next)


def test_bad_memories_take_their_places() -> None:
    fresh = trials([1, 2, 3, 4])
    share = np.array([0.0, 0.34, 0.99, 0.5], np.float32)
    drawn = Draws(np.asarray(fresh.words), np.asarray(fresh.goal), np.array([True, True, False, True]), share)
    assert mixed(empty_ring(5), drawn).goal.tolist() == [1, 2, 3, 4], "there is none yet"
    ring = remember(empty_ring(5), trials([7, 8, 9]), jnp.ones(3, bool))
    found = mixed(ring, drawn)
    assert found.goal.tolist() == [7, 8, 3, 8]
    assert found.words[:, 0, 0].tolist() == [7, 8, 3, 8]


def scripted_runs(script: Script) -> Runs[Script]:
    """One run of the scripted network."""
    learner = Learner(script, optimiser_of(RECIPE.descent).init(script))
    return Runs(learner, empty_ring(6), jnp.int32(0), jnp.bool_(False))


def scripted_draws(goal: int) -> tuple[Script, Draws]:
    """The same task four times, and a network that solves it."""
    symbols = tree_words(np.random.default_rng(1))
    words = np.broadcast_to(np.packbits(one_hot(symbols), axis=1), (BATCH, NODES, 2))
    draws = Draws(words, np.full(BATCH, goal, np.int32), np.zeros(BATCH, bool), np.zeros(BATCH, np.float32))
    table = jnp.asarray(right_outputs(symbols, goal), jnp.float32)
    return Script(table, jnp.zeros((FORM.outputs, FORM.inputs))), draws


@jax.jit
def iterated(runs: Runs[Script], draws: Draws) -> Runs[Script]:
    return partial(after_iteration, Scripted(), RECIPE)(runs, draws)[0]


def test_at_maximum_fitness_nothing_is_learned_and_streaks_count() -> None:
    script, draws = scripted_draws(goal=4)
    runs = scripted_runs(script)
    runs = replace(runs, ring=remember(runs.ring, trials([4, 5]), jnp.ones(2, bool)))
    for number in range(1, 8):
        runs = iterated(runs, draws)
        assert int(runs.streak) == number
        assert int(runs.ring.held) == (2 if number < RECIPE.cleared_after else 0)
        assert bool(runs.solved) == (number >= RECIPE.solved_after)
    same = jax.tree.map(lambda a, b: bool((a == b).all()), runs.learner, scripted_runs(script).learner)
    assert all(jax.tree.leaves(same)), "weights and moments stay"


def test_a_failure_ends_the_streak_teaches_and_is_remembered() -> None:
    script, draws = scripted_draws(goal=4)
    wrong = Script(script.table.at[2].set(0.0), script.w)
    runs = replace(scripted_runs(wrong), streak=jnp.int32(2), solved=jnp.bool_(True))
    after = iterated(runs, draws)
    assert (int(after.streak), int(after.ring.held), bool(after.solved)) == (0, BATCH, True)
    assert (after.learner.parameters.table[2] != 0.0).any()
    assert (after.learner.parameters.table[6] == script.table[6]).all(), "beyond T_e + 1 nothing counts"
    changed = after.learner.parameters.table[2, :-1].reshape(FORM.cells, FORM.symbols).argmax(axis=1)
    right = script.table[2, :-1].reshape(FORM.cells, FORM.symbols).argmax(axis=1)
    assert (changed == right).all(), "one step down the gradient of the right configuration"


def test_solved_runs_go_on_to_the_next_level() -> None:
    script, _ = scripted_draws(goal=4)
    runs = jax.tree.map(lambda leaf: jnp.stack([leaf, leaf]), scripted_runs(script))
    runs = replace(runs, solved=jnp.array([False, True]), streak=jnp.array([6, 7]))
    after, levels = next_levels(runs, np.array([3, 4]))
    assert levels.tolist() == [3, 5]
    assert after.streak.tolist() == [6, 0] and not after.solved.any()
    wide = widened(after, NODES + 4)
    assert wide.ring.words.shape == (2, 6, NODES + 4, 2)
