"""The naive twin of evaluation: dense one-hot addresses and link matrices, every episode to the last tick.

What a direct transcription of the DNC's equations would do with hard attention. For the default options
only; tested to give the same points as `nhc.evolve.evaluate`.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from nhc.algorithms.judge import Episode, Judge
from nhc.algorithms.traces import Traces, on_device
from nhc.evolve.evaluate import Scores
from nhc.machine.config import MachineConfig
from nhc.machine.interface import memory_interface
from nhc.machine.memory.heads import Reading
from nhc.machine.parameters import Parameters
from nhc.machine.tick import Tick, controller, transform_c
from nhc.shapes import NONE, Address, Count, Signals, Word

OneHot = Float[Array, " cells"]
Matrix = Float[Array, "cells cells"]


class DenseState(NamedTuple):
    """Memory as matrices; row i of a link matrix is one-hot at the cell that i links to."""

    words: Float[Array, "cells word"]
    data: Float[Array, " cells"]
    after: Matrix
    parent: Matrix
    child: Matrix
    last: OneHot
    read: OneHot
    used: Count
    word: Word
    op: Address


def dense_tick(
    parameters: Parameters, config: MachineConfig, state: DenseState, data: Count, signals: Signals
) -> tuple[DenseState, Tick]:
    """One tick, with a dense product for every memory access."""
    hidden = controller(parameters.controller, signals, state.word, state.op, config)
    interface = memory_interface(parameters.interface, signals, hidden, config)

    def signs(values: Word) -> Word:
        return jnp.where(values > 0, 1.0, -1.0)

    cells = jnp.arange(state.data.shape[0])
    new = (cells == state.used).astype(jnp.float32)
    here = state.read
    words = state.words * (1 - here[:, None]) + jnp.outer(here, signs(interface.constrained.word))
    words = words * (1 - new[:, None]) + jnp.outer(new, signs(interface.write.word))
    stored = state.data * (1 - new) + new * data
    after = state.after + jnp.outer(state.last, new)
    parent = state.parent + jnp.outer(new, here)
    child = state.child * (1 - here[:, None]) + jnp.outer(here, new)

    similarity = jnp.where(cells <= state.used, words @ interface.read.key, -jnp.inf)
    content = (cells == jnp.argmax(similarity)).astype(jnp.float32)
    named = jnp.stack([content, here @ after, after @ here, here @ child, here @ parent])
    exists = named.sum(axis=1) > 0.5
    winner = jnp.argmax(jnp.where(exists, interface.read.modes, -jnp.inf))
    read = named[winner]
    word = read @ words
    op = transform_c(parameters.transform_c, hidden, word, signals)

    addresses = jnp.where(exists, named.argmax(axis=1), NONE)
    reading = Reading(addresses[winner], addresses, word, jnp.round(read @ stored).astype(jnp.int32))
    following = DenseState(words, stored, after, parent, child, new, read, state.used + 1, word, op)
    return following, Tick(op, signals, interface, (state.used,), reading)


def naive_evaluate(members: Parameters, tasks: Traces, *, config: MachineConfig, judge: Judge) -> Scores:
    """`nhc.evolve.evaluate.evaluate` without any of its care."""
    columns = _naive(members, on_device(tasks), config, judge)
    return Scores(*(np.asarray(column) for column in columns))


@partial(jax.jit, static_argnums=(2, 3))
def _naive(
    members: Parameters, tasks: Traces, config: MachineConfig, judge: Judge
) -> tuple[Array, Array, Array]:
    cells = tasks.ticks

    def one(member: Parameters, task: Traces) -> tuple[Count, Count, Count]:
        def advance(
            carry: tuple[DenseState, Episode, Count], time: Count
        ) -> tuple[tuple[DenseState, Episode, Count], None]:
            state, episode, lived = carry
            environment = judge.environment(task, time)
            signals, data = environment.observe(episode)
            lived = lived + episode.alive
            state, made = dense_tick(member, config, state, data, signals)
            return (state, environment.act(episode, made), lived), None

        first = (_empty(config, cells), judge.begin(task), jnp.int32(0))
        (_, episode, lived), _ = jax.lax.scan(advance, first, jnp.arange(1, cells + 1))
        return episode.main, episode.bonus, lived

    return jax.vmap(jax.vmap(one, in_axes=(None, 0)), in_axes=(0, None))(members, tasks)


def _empty(config: MachineConfig, cells: int) -> DenseState:
    vector, matrix = jnp.zeros(cells), jnp.zeros((cells, cells))
    return DenseState(
        words=jnp.zeros((cells, config.word_size)),
        data=vector,
        after=matrix,
        parent=matrix,
        child=matrix,
        last=vector,
        read=vector,
        used=jnp.int32(0),
        word=jnp.zeros(config.word_size),
        op=jnp.int32(NONE),
    )
