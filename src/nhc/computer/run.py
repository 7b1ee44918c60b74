"""Running one task as far as needed: in chunks of ticks, in memory that grows, within a budget.

The cost of a tick does not depend on how many cells are in use: sign words are looked up through the words
present. (Linear words are looked up cell by cell.) No result depends on chunk or capacity.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, UInt8
from numpy.typing import NDArray

from nhc.algorithms.tree.environment import Status
from nhc.computer.world import Computer, Problem
from nhc.machine.config import refuse_ablations
from nhc.machine.rollout import Run, rollout, step
from nhc.machine.state import for_long_runs, with_room
from nhc.shapes import Count, Flag

CHUNK = 1 << 16
"""Ticks of one call: progress is shown, and Ctrl-C taken, between calls."""
FIRST_CAPACITY = 1 << 20
GROWTH = 4
LINK_BYTES, CODE_BYTES, WORD_VALUE_BYTES = 16, 4, 4


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    status: Status
    """RUNNING means that the budget was exhausted."""
    ticks: int
    met_at: int | None
    """The tick that saw the goal: T_e + 1."""
    emitted: NDArray[np.uint8]
    """Data words read since the goal was met, ticks x word_bits: goal to start for Plan."""


class Log(NamedTuple):
    """Per tick of a chunk: was the goal met by then, and the data word read."""

    met: Bool[Array, " chunk"]
    words: UInt8[Array, "chunk bytes"]


def bytes_per_tick(computer: Computer) -> int:
    """Memory that each tick takes: data word, links, and control word or its code."""
    word = CODE_BYTES if computer.config.words == "bits" else WORD_VALUE_BYTES * computer.config.word_size
    return computer.packed_bytes + LINK_BYTES + word


def run(
    computer: Computer,
    problem: Problem,
    *,
    max_ticks: int,
    on_progress: Callable[[int], None] = lambda ticks: None,
) -> Outcome:
    """Run until the machine halts or `max_ticks` have passed; `on_progress` gets the ticks done so far.

    Raises ConfigError (`machine.ablation`) for soft attention or two free heads.
    """
    refuse_ablations(computer.config, "a long run")
    capacity = min(FIRST_CAPACITY, 1 << max(4, (max_ticks - 1).bit_length()))
    # Compiled, so that no two leaves share a buffer: the chunks reuse them in place.
    state = eqx.filter_jit(Computer.begin)(computer, problem, capacity, for_long_runs)
    ticks, met_at = 0, None
    emitted: list[NDArray[np.uint8]] = []
    while ticks < max_ticks and int(state.side.status) == Status.RUNNING:
        if ticks == capacity:
            capacity = min(capacity * GROWTH, 1 << (max_ticks - 1).bit_length())
            state = Run(with_room(state.machine, capacity), state.side)
        limit = min(CHUNK, max_ticks - ticks, capacity - ticks)
        state, done, log = _chunk((computer, problem), state, jnp.int32(limit))
        met = np.flatnonzero(np.asarray(log.met)[: int(done)])
        if len(met) and met_at is None:
            met_at = ticks + int(met[0]) + 1
        emitted.append(np.asarray(log.words)[met])
        ticks += int(done)
        on_progress(ticks)
    words = np.unpackbits(np.concatenate(emitted), axis=1, count=computer.modules.word_bits)
    return Outcome(Status(int(state.side.status)), ticks, met_at, words)


class _Chunk(NamedTuple):
    state: Run
    log: Log


@eqx.filter_jit(donate="all-except-first")
def _chunk(fixed: tuple[Computer, Problem], state: Run, limit: Count) -> tuple[Run, Count, Log]:
    computer, problem = fixed
    environment = computer.environment(problem)
    empty = Log(jnp.zeros(CHUNK, bool), jnp.zeros((CHUNK, computer.packed_bytes), jnp.uint8))

    def goes_on(chunk: _Chunk) -> Flag:
        return chunk.state.side.status == Status.RUNNING

    def advance(time: Count, chunk: _Chunk) -> _Chunk:
        state, made = step(computer.parameters, computer.config, environment, chunk.state)
        met, words = chunk.log
        row = time - 1
        return _Chunk(state, Log(met.at[row].set(state.side.met), words.at[row].set(made.reading.data)))

    time, (state, log) = rollout(advance, goes_on, _Chunk(state, empty), jnp.int32(1), limit)
    return state, time - 1, log
