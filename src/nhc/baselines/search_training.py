"""Learning the search task by gradient descent: a round of iterations of all runs in one compiled call.

Each iteration of a run takes a batch, its bad memories among it. At maximum fitness nothing is learned;
else the failures become bad memories and the weights are updated: the rules of learning by evolution.
"""

from dataclasses import replace
from functools import partial
from typing import Generic, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, UInt8
from numpy.typing import NDArray

from nhc.baselines.config import BaselineConfig
from nhc.baselines.learner import Descent, Learner, descent_of, updated
from nhc.baselines.network import Network, ParametersT, StateT
from nhc.baselines.search import Batch, Form, Trial, episode, judged
from nhc.baselines.supply import Draws
from nhc.shapes import Flag


class Ring(NamedTuple):
    """Bad memories: the newest failure overwrites the oldest, and a task that is solved stays."""

    words: UInt8[Array, "*runs memories nodes bytes"]
    goal: Int[Array, "*runs memories"]
    next: Int[Array, "*runs"]
    held: Int[Array, "*runs"]


class Runs(eqx.Module, Generic[ParametersT]):
    """All that iterations change; each leaf has a first axis of runs."""

    learner: Learner[ParametersT]
    ring: Ring
    streak: Int[Array, "*runs"]
    """Perfect iterations in a row."""
    solved: Bool[Array, "*runs"]
    """Was the streak long enough on this level?"""


class Recipe(NamedTuple):
    """The settings that a round is compiled for."""

    form: Form
    teacher: bool
    descent: Descent
    memories: bool
    cleared_after: int
    solved_after: int


def recipe_of(config: BaselineConfig, form: Form) -> Recipe:
    """The settings of a round."""
    return Recipe(
        form=form,
        teacher=config.feedback == "teacher",
        descent=descent_of(config),
        memories=config.bad_memories.enabled,
        cleared_after=config.bad_memories.cleared_after,
        solved_after=config.curriculum.solved_after,
    )


def new_runs(
    recipe: Recipe, learners: Learner[ParametersT], *, runs: int, capacity: int, nodes: int
) -> Runs[ParametersT]:
    """Every run before its first iteration, with an empty ring for tasks of `nodes` nodes."""
    words = jnp.zeros((runs, capacity, nodes, (recipe.form.bits + 7) // 8), jnp.uint8)
    zero = jnp.zeros(runs, jnp.int32)
    ring = Ring(words, jnp.zeros((runs, capacity), jnp.int32), zero, zero)
    return Runs(learners, ring, zero, jnp.zeros(runs, bool))


@partial(jax.jit, static_argnames=("network", "recipe"))
def round_of_updates(
    network: Network[ParametersT, StateT], recipe: Recipe, runs: Runs[ParametersT], draws: Draws
) -> tuple[Runs[ParametersT], Batch]:
    """All runs after one iteration for each batch of `draws`; what they came to has axes updates, runs."""
    return jax.lax.scan(jax.vmap(partial(after_iteration, network, recipe)), runs, draws)


def after_iteration(
    network: Network[ParametersT, StateT], recipe: Recipe, before: Runs[ParametersT], drawn: Draws
) -> tuple[Runs[ParametersT], Batch]:
    """One iteration of one run."""
    trials = mixed(before.ring, drawn)

    def loss(parameters: ParametersT) -> tuple[Float[Array, ""], Batch]:
        run = partial(episode, network, parameters, form=recipe.form, teacher=recipe.teacher)
        found = judged(jax.vmap(run)(trials), trials.goal)
        return found.loss, found

    (_, found), gradient = jax.value_and_grad(loss, has_aux=True)(before.learner.parameters)
    imperfect = found.failed.any()
    streak = jnp.where(imperfect, 0, before.streak + 1)
    ring = remember(before.ring, trials, found.failed) if recipe.memories else before.ring
    after = Runs(
        updated(recipe.descent, before.learner, gradient, imperfect),
        cleared(ring, streak == recipe.cleared_after),
        streak,
        before.solved | (streak >= recipe.solved_after),
    )
    return after, found


def mixed(ring: Ring, drawn: Draws) -> Trial:
    """A batch: fresh tasks, and bad memories in the places that are theirs if there are any."""
    words, goal, repeats, share = (jnp.asarray(column) for column in drawn)
    remembered = repeats & (ring.held > 0)
    place = jnp.clip((share * ring.held).astype(jnp.int32), 0, jnp.maximum(ring.held - 1, 0))
    return Trial(
        jnp.where(remembered[:, None, None], ring.words[place], words),
        jnp.where(remembered, ring.goal[place], goal),
    )


def remember(ring: Ring, trials: Trial, failed: Bool[Array, " batch"]) -> Ring:
    """Put the failed tasks into the ring, in order."""
    size = len(ring.goal)
    places = (ring.next + jnp.cumsum(failed) - 1) % size
    # A place past the end is dropped.
    places = jnp.where(failed, places, size)
    count = failed.sum()
    return Ring(
        ring.words.at[places].set(trials.words, mode="drop"),
        ring.goal.at[places].set(trials.goal, mode="drop"),
        (ring.next + count) % size,
        jnp.minimum(ring.held + count, size),
    )


def cleared(ring: Ring, empty: Flag) -> Ring:
    """The ring, emptied if `empty`."""
    return ring._replace(next=jnp.where(empty, 0, ring.next), held=jnp.where(empty, 0, ring.held))


def widened(runs: Runs[ParametersT], nodes: int) -> Runs[ParametersT]:
    """The runs with rings for tasks of `nodes` nodes, at least as many as before."""
    words = runs.ring.words
    missing = nodes - words.shape[-2]
    padded = jnp.pad(words, ((0, 0), (0, 0), (0, missing), (0, 0)))
    return replace(runs, ring=runs.ring._replace(words=padded))


def next_levels(
    runs: Runs[ParametersT], levels: NDArray[np.int64]
) -> tuple[Runs[ParametersT], NDArray[np.int64]]:
    """Runs that solved their level go on to the next, with a streak of 0."""
    solved = np.asarray(runs.solved)
    after = replace(runs, streak=jnp.where(runs.solved, 0, runs.streak), solved=jnp.zeros_like(runs.solved))
    return after, levels + solved
