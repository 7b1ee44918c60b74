"""The three heads under hard attention: constrained write, free write, read. Each names one cell."""

import equinox as eqx
import jax.numpy as jnp

from nhc.machine.config import MachineConfig
from nhc.machine.interface import ConstrainedInterface, ReadInterface, WriteInterface
from nhc.machine.memory.attention import MIXES, named_addresses
from nhc.machine.memory.cells import DataWord, Memory, put_data
from nhc.machine.memory.code import WORD_CODES
from nhc.machine.memory.gates import GATES
from nhc.machine.memory.links import append_temporal, link_usage, relink_temporal
from nhc.shapes import NONE, Address, Addresses, Word


class Reading(eqx.Module):
    """What the read head found; with nothing in memory `address` is NONE, `word` zero, `data` meaningless."""

    address: Address
    addresses: Addresses
    word: Word
    data: DataWord


def constrained_write(
    memory: Memory, interface: ConstrainedInterface, previous: Address, word: Word, config: MachineConfig
) -> Memory:
    """Rewrite the control word at the address read last, where `word` was read; data and links stay."""
    if not config.constrained_head:
        return memory
    enabled = (previous >= 0) & GATES[config.constrained_gate](interface.gate)
    new = WORD_CODES[config.words](word, interface.erase, interface.word)
    words = memory.words.replace(jnp.maximum(previous, 0), word, new, enabled)
    return Memory(words, memory.data, memory.links, memory.count)


def free_write(
    memory: Memory, interface: WriteInterface, previous: Address, data: DataWord, config: MachineConfig
) -> tuple[Memory, Address]:
    """Write data and a control word into a new cell or, if allocation is learned, one found by content.

    Returns the cell written, or NONE where the write gate is closed.
    """
    enabled = GATES[config.write_gate](interface.gate)
    if config.allocation == "always":
        memory, cell = _append(memory, interface, config, enabled)
    else:
        fresh = GATES[config.allocation](interface.allocation) | (memory.count == 0)
        memory, cell = _append_or_overwrite(memory, interface, config, enabled, fresh)
    links = link_usage(memory.links, cell, previous, enabled)
    memory = Memory(memory.words, put_data(memory.data, cell, data, enabled), links, memory.count)
    return memory, jnp.where(enabled, cell, NONE)


def _append(
    memory: Memory, interface: WriteInterface, config: MachineConfig, enabled: jnp.ndarray
) -> tuple[Memory, Address]:
    cell = memory.count
    new = WORD_CODES[config.words](jnp.zeros_like(interface.word), interface.erase, interface.word)
    words = memory.words.append(cell, new, enabled)
    links = append_temporal(memory.links, cell, enabled)
    return Memory(words, memory.data, links, memory.count + enabled), cell


def _append_or_overwrite(
    memory: Memory,
    interface: WriteInterface,
    config: MachineConfig,
    enabled: jnp.ndarray,
    fresh: jnp.ndarray,
) -> tuple[Memory, Address]:
    settled = memory.words.settled()
    found = jnp.maximum(settled.lookup(interface.key, memory.count), 0)
    old = settled.at(found)
    overwritten = WORD_CODES[config.words](old, interface.erase, interface.word)
    words = settled.replace(found, old, overwritten, enabled & ~fresh)
    links = relink_temporal(memory.links, found, enabled & ~fresh)
    memory = Memory(words, memory.data, links, memory.count)
    memory, appended = _append(memory, interface, config, enabled & fresh)
    return memory, jnp.where(fresh, appended, found)


def read(
    memory: Memory, interface: ReadInterface, previous: Address, config: MachineConfig
) -> tuple[Memory, Reading]:
    """Mix the five mechanisms into one address and fetch its words. The memory differs only in its index."""
    memory = Memory(memory.words.settled(), memory.data, memory.links, memory.count)
    addresses = named_addresses(memory, interface.key, previous, config.usage_link)
    address = MIXES[config.mix](interface.modes, addresses)
    cell = jnp.maximum(address, 0)
    word = jnp.where(address >= 0, memory.words.at(cell), 0.0)
    return memory, Reading(address, addresses, word, memory.data_at(cell))
