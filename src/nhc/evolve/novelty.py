"""NSRA-ES: novelty beside fitness, with a weight that adapts; after Conti et al. 2018.

The paper's supplement, section "Novelty and restarts": "we defined the behavior as the sequence of read
memory locations and applied ALU operations". It says no more; the rest is our reading.

* Behaviour b(θ): the machine runs on a fixed probe that the algorithm gives (`Algorithm.probe`; Search and
  Plan: three tasks of the free tree, 16 ticks each), fed with what it makes, also past mistakes and halting.
  Per tick it gives the address read and the operation chosen; once there was nothing to read, NONE twice.
  Batches differ from iteration to iteration; on a fixed probe, behaviours differ only if machines do.
* Distance of two behaviours: the share of entries that differ (normalised Hamming distance), 0..1.
* Novelty of a member: its mean distance to the nearest `neighbours` behaviours of the archive, or to all
  while there are fewer. The archive gets θ's behaviour in each learning iteration, before the offspring are
  compared with it; when it is full, the newest overwrites the oldest.
* Utility of a member: w u(fitness) + (1 - w) u(novelty), both ranked in the same way.
* Weight w: starts at `initial_weight`. Only learning iterations count, in which θ was not perfect on its
  batch. If θ's fitness is better than in all of them on its level, or its level is higher than in all of
  them, w grows by `step`, to 1 at most. After `patience` of them without that it falls by `step`, to 0 at
  least, and the count begins anew. A perfect iteration changes nothing: one lucky batch would set a best
  that nothing can exceed, and w could only fall until the next level. There is one θ, where Conti et al.
  also allow several.

A restart begins with the first weight and no best fitness; the archive stays, so that a new lineage is drawn
away from what the old ones did.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int
from numpy.typing import NDArray

from nhc.evolve.config import NoveltyConfig
from nhc.machine.config import MachineConfig
from nhc.machine.parameters import Parameters
from nhc.machine.rollout import Run, TaskEnvironment, recorded, step
from nhc.machine.state import initial_state
from nhc.shapes import NONE, Count, Flag

Behaviours = NDArray[np.int16]
"""One row a machine: address and operation of each tick of each task of the probe."""

Probe = tuple[TaskEnvironment, int]
"""Environments stacked on a leading axis, and the ticks that each is run for."""


class Novelty(NamedTuple):
    """The first `held` rows of the archive are behaviours; `next` is the row written next."""

    archive: Behaviours
    next: int
    held: int
    weight: float
    """w: the share of fitness in a utility, the rest is novelty's."""
    stale: int = 0
    """Learning iterations since θ was last better than ever, or since the weight last fell."""
    best_level: int = 0
    best_fitness: float = -np.inf
    """θ's best in a learning iteration, on the highest level of its lineage."""

    def remembered(self, behaviour: Behaviours) -> "Novelty":
        """The archive with one more behaviour."""
        archive = self.archive.copy()
        archive[self.next] = behaviour
        capacity = len(archive)
        return self._replace(
            archive=archive, next=(self.next + 1) % capacity, held=min(self.held + 1, capacity)
        )

    def adapted(self, config: NoveltyConfig, level: int, fitness: float) -> "Novelty":
        """The weight after a learning iteration in which θ had this fitness on this level."""
        known = fitness if np.isfinite(fitness) else -np.inf
        if (level, known) > (self.best_level, self.best_fitness):
            weight = min(1.0, self.weight + config.step)
            return self._replace(weight=weight, stale=0, best_level=level, best_fitness=known)
        stale = self.stale + 1
        if stale < config.patience:
            return self._replace(stale=stale)
        return self._replace(weight=max(0.0, self.weight - config.step), stale=0)

    def restarted(self, config: NoveltyConfig) -> "Novelty":
        """For a new lineage: the archive is all that stays."""
        return Novelty(self.archive, self.next, self.held, config.initial_weight)


def empty_novelty(config: NoveltyConfig, probe: Probe) -> Novelty:
    """An empty archive and the first weight."""
    environments, ticks = probe
    entries = 2 * ticks * len(jax.tree.leaves(environments)[0])
    return Novelty(np.full((config.capacity, entries), NONE, np.int16), 0, 0, config.initial_weight)


def novelties(behaviours: Behaviours, novelty: Novelty, neighbours: int) -> NDArray[np.float64]:
    """Mean distance of each behaviour to its nearest ones in the archive; all 0 if that is empty."""
    archive = novelty.archive[: novelty.held]
    count = min(neighbours, len(archive))
    if count == 0:
        return np.zeros(len(behaviours))
    # Whole numbers: equal distances are equal, whatever they are made of.
    differing = np.stack([(archive != behaviour).sum(axis=1) for behaviour in behaviours])
    nearest = np.partition(differing, count - 1, axis=1)[:, :count]
    return np.asarray(nearest.sum(axis=1) / (count * behaviours.shape[1]))


def behaviours_of(members: Parameters, config: MachineConfig, probe: Probe) -> Behaviours:
    """The behaviour of each member; `members` has a leading axis on each leaf."""
    return np.asarray(_probe(members, probe[0], config, probe[1])).astype(np.int16)


class _Probed(NamedTuple):
    run: Run
    alive: Flag
    """Was there always something to read?"""


@partial(jax.jit, static_argnums=(2, 3))
def _probe(
    members: Parameters, environments: TaskEnvironment, config: MachineConfig, ticks: int
) -> Int[Array, "members entries"]:
    def one(member: Parameters, environment: TaskEnvironment) -> Int[Array, "ticks entries"]:
        def advance(time: Count, probed: _Probed) -> tuple[_Probed, Int[Array, " entries"]]:
            del time
            run, made = step(member, config, environment, probed.run)
            alive = probed.alive & (made.reading.address >= 0)
            done = jnp.where(alive, jnp.stack([made.reading.address, made.op]), NONE)
            return _Probed(run, alive), done

        side = environment.begin()
        _, word = environment.observe(side)
        first = Run(initial_state(config, word, ticks), side)
        return recorded(advance, _Probed(first, jnp.bool_(True)), ticks)[1]

    runs = jax.vmap(jax.vmap(one, in_axes=(None, 0)), in_axes=(0, None))(members, environments)
    return runs.reshape(runs.shape[0], -1)
