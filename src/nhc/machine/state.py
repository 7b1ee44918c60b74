"""The run state of the machine: its memory and what the next tick needs of the last one."""

from collections.abc import Callable

import equinox as eqx
import jax.numpy as jnp

from nhc.errors import ConfigError
from nhc.machine.config import MachineConfig, refuse_ablations
from nhc.machine.memory.access import EMPTY, AnyMemory
from nhc.machine.memory.cells import DataWord
from nhc.machine.memory.indexed import indexed_words
from nhc.machine.memory.words import WordStore, scanned_words
from nhc.shapes import NONE, Address, Word


class MachineState(eqx.Module):
    """State between two ticks; primes in the paper's equations."""

    memory: AnyMemory
    word: Word
    """c_m': the control word read last, zero before the first tick."""
    op: Address
    """c_f': the operation chosen last, NONE before the first tick."""
    address: Address
    """r': the address read last, NONE before the first tick. Under soft attention the heaviest."""


def with_room(state: MachineState, cells: int) -> MachineState:
    """The same state with memory for `cells` cells, at least as many as before; no result depends on them."""
    return eqx.tree_at(lambda s: s.memory, state, state.memory.grown(cells))


StoreMaker = Callable[[MachineConfig, int], WordStore]
"""(configuration, capacity) -> an empty word store."""


def scanned(config: MachineConfig, capacity: int) -> WordStore:
    """Words for short episodes and whole batches: lookup compares every cell."""
    return scanned_words(config.word_size, capacity, config.words)


def indexed(config: MachineConfig, capacity: int) -> WordStore:
    """Words for long runs: lookup compares the words present.

    Raises ConfigError: `machine.index` for `real` words, `machine.ablation` for soft attention or two free
    heads.
    """
    refuse_ablations(config, "the word index")
    if config.words != "bits":
        raise ConfigError("machine.index", f"the word index needs words = bits, found words = {config.words}")
    return indexed_words(config.word_size, capacity)


def for_long_runs(config: MachineConfig, capacity: int) -> WordStore:
    """Words whose lookup does not slow down with the cells in use, where there are such; else `scanned`."""
    return (indexed if config.words == "bits" else scanned)(config, capacity)


def initial_state(
    config: MachineConfig, data_word: DataWord, capacity: int, store: StoreMaker = scanned
) -> MachineState:
    """The machine before its first tick, for data words like `data_word`, with room for `capacity` ticks.

    Each free head writes at most one new cell a tick.
    """
    words = store(config, capacity * config.free_heads)
    return MachineState(
        EMPTY[config.attention](words, data_word),
        jnp.zeros(config.word_size),
        jnp.int32(NONE),
        jnp.int32(NONE),
    )
