"""The paper's fitness of many members on listed tasks, compiled: what `evaluate` says, much sooner.

Control sees signals, the word read last and the operation chosen last. That is a finite table, of which a
member meets a few dozen entries: each is worked out once, and a tick looks up what it says. Tasks are sorted,
so that neighbours begin alike; of each the beginning that it shares with the one before is not run again,
since ticks can be taken back.

Sums are added in the order of their inputs, in float32. `nhc.machine` may add them in another one, so the two
can differ where a decision hangs on the last bit.
"""

from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array
from numpy.typing import NDArray

from nhc.algorithms.judge import Judge, Steps
from nhc.algorithms.traces import Traces
from nhc.evolve.evaluate import Scores
from nhc.evolve.native_loop import OLD_CHILD, RANKED, Known, Memory, Sorted, Weights, run_members
from nhc.jit import compiled
from nhc.machine.config import COMPILED, MachineConfig, options_unlike
from nhc.machine.layout import MECHANISMS, interface_blocks
from nhc.machine.parameters import Linear, Parameters
from nhc.shapes import NONE

MOST_STATES = 1 << 20
"""Control states that there is room for."""
STEERING = ("read.key", "read.modes", "write.word", "constrained.word", "write.gate")
"""Blocks of the interface that such a machine uses, in the order in which they are packed."""


def fits(config: MachineConfig, judge: Judge, tasks: Traces) -> bool:
    """Is there a compiled evaluation of such machines, of this fitness and these signals?"""
    small = config.word_size <= 8 and states_of(config) <= MOST_STATES
    bits = bool(np.isin(np.asarray(tasks.signals), (0, 1)).all())
    return type(judge) is Steps and small and bits and not options_unlike(config, COMPILED)


def states_of(config: MachineConfig) -> int:
    """Control states: values of the signals, words or none, operations or none."""
    return (1 << config.signals) * ((1 << config.word_size) + 1) * (config.ops + 1)


def evaluator(tasks: Traces, config: MachineConfig) -> Callable[[Parameters], Scores]:
    """The scores that `nhc.evolve.evaluate` gives members on these tasks with `Steps`; see `fits`.

    Ticks are those that were run: what tasks share counts once. Members that are not finite earn nothing.
    """
    ordered, order = in_order(tasks)
    ticks = int(ordered.length.max())
    entries = min(states_of(config), int(ordered.length.sum() - ordered.alike.sum()) + 1)
    codes = 1 << config.word_size

    def run(members: Parameters) -> Scores:
        weights = packed(members, config)
        count = len(weights.controller)
        entry, owner = np.zeros((2, states_of(config)), np.int32)
        known = Known(
            entry,
            owner,
            np.zeros((entries, config.ops + config.word_size), np.float32),
            np.zeros((entries, RANKED + len(MECHANISMS)), np.int32),
            np.zeros((entries, codes), np.int32),
            np.zeros(config.hidden, np.float32),
            np.zeros(weights.interface.shape[2], np.float32),
        )
        words, data, parent, child = np.zeros((4, ticks + 1), np.int32)
        memory = Memory(words, data, parent, child, np.zeros((ticks + 1, OLD_CHILD + 1), np.int32))
        scores = np.zeros((3, count, len(order)), np.int32)
        shape = config.signals, config.word_size, config.ops, config.write_gate == "learned"
        compiled(run_members)(weights, ordered, known, memory, scores, shape)
        found = np.empty_like(scores)
        found[:, :, order] = scores
        return Scores(*found)

    return run


def packed(members: Parameters, config: MachineConfig) -> Weights:
    """The weights of members, as the loop reads them."""
    return Weights(*map(np.asarray, _packed(members, config)))


@partial(jax.jit, static_argnums=1)
def _packed(members: Parameters, config: MachineConfig) -> list[Array]:
    blocks = interface_blocks(config)
    names = np.repeat([block.name for block in blocks], [block.rows for block in blocks])
    steering = np.concatenate([np.flatnonzero(names == f"interface.{name}") for name in STEERING])

    def turned(linear: Linear, rows: NDArray[np.intp] | slice = slice(None)) -> Array:
        w, b = linear.w[:, rows], linear.b[:, rows]
        return jnp.concatenate([w.transpose(0, 2, 1), b[:, None]], axis=1)

    return [turned(members.controller), turned(members.interface, steering), turned(members.transform_c)]


def in_order(tasks: Traces) -> tuple[Sorted, NDArray[np.intp]]:
    """The tasks sorted, and the number of each among those given."""
    signals = np.asarray(tasks.signals).astype(np.int32) @ (1 << np.arange(tasks.signals.shape[-1]))
    rows = np.stack([signals, *(np.asarray(column) for column in tasks[1:4])], axis=2).astype(np.int32)
    length = np.asarray(tasks.length, np.int32)
    within = np.arange(rows.shape[1]) < length[:, None]
    rows[~within] = NONE
    order = np.lexsort(rows.reshape(len(rows), -1).T[::-1])
    rows, length, within = rows[order], length[order], within[order]
    same = (rows[1:] == rows[:-1]).all(axis=2) & within[1:] & within[:-1]
    alike = np.concatenate([[0], np.cumprod(same, axis=1).sum(axis=1)]).astype(np.int32)
    main = np.asarray(tasks.main, np.int32)[order]
    return Sorted(np.ascontiguousarray(rows), length, main, alike), order
