"""Evaluation: many members on many tasks, tick by tick, until the last episode is done.

`evaluate` runs every task from its start. `evaluate_shared` runs what tasks have in common once a member, and
gives the same scores.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int
from numpy.typing import NDArray

from nhc.algorithms.judge import Judge, Points, SharingJudge
from nhc.algorithms.traces import Shared, Traces, on_device
from nhc.machine.config import MachineConfig
from nhc.machine.parameters import Parameters
from nhc.machine.rollout import Run, RunsT, rollout, step
from nhc.machine.state import initial_state, with_room
from nhc.shapes import Count, Flag

CAPACITIES = (16, 128, 1024, 8192)
"""Few sizes, since each is compiled anew: the first serves the levels where learning happens."""
SOFT_CAPACITIES = (16, 32, 64, 96, 128, 256, 512, 1024, 2048, 4096, 8192)
"""More of them where a tick costs the square of the cells: there the memory grows while episodes run."""
SHARED_SIZES = (32, 128, 512, 2048, 8192)
"""Numbers of tasks, of rows and of cells that exact evaluation is compiled for."""
REST_SIZES = (8, 32, 128, 512, 2048, 8192)
"""Numbers of rows after the trunk."""


class Scores(NamedTuple):
    """Points and ticks per member and task."""

    main: NDArray[np.int32]
    bonus: NDArray[np.int32]
    ticks: NDArray[np.int32]

    @property
    def points(self) -> Points:
        """The points without the ticks."""
        return Points(self.main, self.bonus)


class Lived(NamedTuple):
    """One episode in flight, and the ticks that it lived."""

    run: Run
    ticks: Count


def capacity_for(ticks: int, attention: str = "hard") -> int:
    """The size, in ticks, made for an episode of `ticks`. Each free head has one cell for each of them."""
    return size_for(ticks, SOFT_CAPACITIES if attention == "soft" else CAPACITIES)


def size_for(count: int, sizes: tuple[int, ...]) -> int:
    """The smallest of the sizes that is enough; beyond them, the next power of two."""
    return next((size for size in sizes if size >= count), 1 << (count - 1).bit_length())


def evaluate(members: Parameters, tasks: Traces, *, config: MachineConfig, judge: Judge) -> Scores:
    """Run every member on every task; `members` has a leading axis on each leaf.

    The columns of `tasks` bound the ticks of an episode, and each free head has one memory cell for each.
    """
    return Scores(*map(np.asarray, _evaluate(members, on_device(tasks), config, judge)))


@partial(jax.jit, static_argnums=(2, 3))
def _evaluate(
    members: Parameters, tasks: Traces, config: MachineConfig, judge: Judge
) -> tuple[Int[Array, "members tasks"], ...]:
    sizes = growth(tasks.ticks, config.attention)

    def begin(task: Traces) -> Lived:
        return Lived(Run(initial_state(config, jnp.int32(0), sizes[0]), judge.begin(task)), jnp.int32(0))

    def advance(time: Count, runs: Lived) -> Lived:
        def one(member: Parameters, task: Traces, lived: Lived) -> Lived:
            after, _ = step(member, config, judge.environment(task, time), lived.run)
            return Lived(after, lived.ticks + lived.run.side.alive)

        over_tasks = jax.vmap(one, in_axes=(None, 0, 0))
        return jax.vmap(over_tasks, in_axes=(0, None, 0))(members, tasks, runs)

    runs = _for_each(members, jax.vmap(begin)(tasks))
    time = jnp.int32(1)
    for number, size in enumerate(sizes):
        if number:
            larger = partial(with_room, cells=size * config.free_heads)
            grown = jax.vmap(jax.vmap(larger))(runs.run.machine)
            runs = Lived(Run(grown, runs.run.side), runs.ticks)
        time, runs = rollout(advance, _somebody_lives, runs, time, jnp.int32(size))
    return runs.run.side.main, runs.run.side.bonus, runs.ticks


def growth(capacity: int, attention: str) -> tuple[int, ...]:
    """The sizes, in ticks, that a memory has in turn; no result depends on them."""
    if attention == "hard":
        return (capacity,)
    return (*(size for size in SOFT_CAPACITIES if size < capacity), capacity)


class Prepared(NamedTuple):
    """Shared tasks on the device, in one of few shapes; made once and run by many members."""

    tasks: Shared
    tasks_before_padding: int
    """Tasks; those beyond them are padding without length."""
    cells: int
    """Memory that the longest task needs."""


def prepared(tasks: Shared) -> Prepared:
    """The same tasks, padded with rows that are never reached and tasks of no length."""
    count = tasks.rest.size
    rows = size_for(max(tasks.trunk.ticks, count), SHARED_SIZES)
    trunk = padded_tasks(Traces(*(np.asarray(column)[None] for column in tasks.trunk)).padded(rows), 1)
    rest = padded_tasks(tasks.rest.padded(size_for(tasks.rest.ticks, REST_SIZES)), rows)
    fork = jnp.asarray(np.pad(tasks.fork, (0, rows - count)))
    longest = int(np.max(tasks.rest.length))
    one = Traces(*(column[0] for column in trunk))
    return Prepared(Shared(on_device(one), fork, on_device(rest)), count, size_for(longest, SHARED_SIZES))


def padded_tasks(tasks: Traces, count: int) -> Traces:
    """The tasks with as many of no length after them that there are `count`."""
    more = count - tasks.size
    return Traces(*(np.pad(column, [(0, more)] + [(0, 0)] * (np.ndim(column) - 1)) for column in tasks))


def evaluate_shared(
    members: Parameters, batch: Prepared, *, config: MachineConfig, judge: SharingJudge
) -> Scores:
    """The scores that `evaluate` gives, and fewer ticks: trunk first, then all branches at once."""
    columns = _evaluate_shared(members, batch.tasks, config, judge, batch.cells)
    return Scores(*(np.asarray(column)[:, : batch.tasks_before_padding] for column in columns))


class Trunk(NamedTuple):
    """The run that tasks have in common, with what it was after each tick."""

    run: Run
    kept: Run
    """ticks + 1 x members x ...; entry 0 is the start."""


@partial(jax.jit, static_argnums=(2, 3, 4))
def _evaluate_shared(
    members: Parameters, tasks: Shared, config: MachineConfig, judge: SharingJudge, cells: int
) -> tuple[Int[Array, "members tasks"], ...]:
    start = _for_each(members, Run(initial_state(config, jnp.int32(0), cells), judge.begin_trunk(tasks)))

    def on_trunk(time: Count, state: Trunk) -> Trunk:
        def one(member: Parameters, run: Run) -> Run:
            return step(member, config, judge.on_trunk(tasks, time), run)[0]

        run = jax.vmap(one)(members, state.run)
        return Trunk(run, jax.tree.map(lambda kept, leaf: kept.at[time].set(leaf), state.kept, run))

    def room(leaf: Array) -> Array:
        """Room for what comes after each tick; where nobody lives to it, the start."""
        return jnp.broadcast_to(leaf, (tasks.trunk.op.shape[0] + 1, *leaf.shape))

    begun = Trunk(start, jax.tree.map(room, start))
    last = judge.trunk_ticks(tasks)
    done, (_, kept) = rollout(on_trunk, _trunk_lives, begun, jnp.int32(1), last)

    # After everybody's death nothing changes any more.
    tick = jnp.minimum(jnp.arange(tasks.trunk.op.shape[0] + 1), done - 1)
    sides = jax.tree.map(lambda leaf: jnp.moveaxis(leaf[tick], 0, 1), kept.side)
    fork, episodes = jax.vmap(partial(judge.forked, tasks))(sides)
    member = jnp.arange(fork.shape[0])[:, None]
    machines = jax.tree.map(lambda leaf: leaf[jnp.minimum(fork, done - 1), member], kept.machine)
    runs = Lived(Run(machines, episodes), jnp.zeros_like(fork))

    def advance(time: Count, runs: Lived) -> Lived:
        def one(member: Parameters, task: Traces, begin: Count, lived: Lived) -> Lived:
            after, _ = step(member, config, judge.on_branch(task, begin, time), lived.run)
            return Lived(after, lived.ticks + lived.run.side.alive)

        over_tasks = jax.vmap(one, in_axes=(None, 0, 0, 0))
        return jax.vmap(over_tasks, in_axes=(0, None, 0, 0))(members, tasks.rest, fork, runs)

    _, runs = rollout(advance, _somebody_lives, runs, jnp.int32(1), jnp.int32(tasks.rest.op.shape[1]))
    # The ticks of the trunk count for the first task.
    lived = (kept.side.alive & (jnp.arange(tasks.trunk.op.shape[0] + 1) < done - 1)[:, None]).sum(axis=0)
    return runs.run.side.main, runs.run.side.bonus, runs.ticks.at[:, 0].add(lived)


def _trunk_lives(state: Trunk) -> Flag:
    return state.run.side.alive.any()


def _somebody_lives(runs: Lived) -> Flag:
    return runs.run.side.alive.any()


def _for_each(members: Parameters, runs: RunsT) -> RunsT:
    """The same runs for each member, on a new leading axis."""
    count = jax.tree.leaves(members)[0].shape[0]
    return jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (count, *jnp.shape(leaf))), runs)
