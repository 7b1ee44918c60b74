"""The three heads under hard attention: constrained write, free write, read. Each names one cell.

Five read mechanisms name at most one address each. The paper: "While the final read memory location is
determined by a weighted combination of these attentions, each attention mechanism itself uses hard
decisions". Both readings of "weighted combination" are here; a mechanism without an address has no vote.
"""

from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from nhc.machine.config import MachineConfig
from nhc.machine.interface import ConstrainedInterface, ReadInterface, WriteInterface
from nhc.machine.memory.cells import DataWord, Memory, put_data
from nhc.machine.memory.links import append_temporal, get, link_usage, relink_temporal
from nhc.machine.memory.writing import GATES, WORD_CODES
from nhc.shapes import NONE, Address, Addresses, Strengths, Word


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


Mix = Callable[[Strengths, Addresses], Address]
"""(mode strengths, addresses or NONE) -> the address that is read, NONE if there is none."""


def named_addresses(memory: Memory, key: Word, previous: Address, usage_link: bool) -> Addresses:
    """What each mechanism names relative to the address read last, in the order of `MECHANISMS`."""
    links = memory.links
    usage = (get(links.child, previous), get(links.parent, previous)) if usage_link else (NONE, NONE)
    content = memory.words.lookup(key, memory.count)
    return jnp.stack(
        [content, get(links.next, previous), get(links.previous, previous), *map(jnp.int32, usage)]
    )


def strongest_mechanism(strengths: Strengths, addresses: Addresses) -> Address:
    """`winner`: the address of the strongest mechanism that has one, the earlier on ties."""
    return addresses[jnp.argmax(jnp.where(addresses >= 0, strengths, -jnp.inf))]


def largest_sum(strengths: Strengths, addresses: Addresses) -> Address:
    """`sum`: the address with the largest summed softmax weight, the lowest on ties."""
    weights = jnp.where(addresses >= 0, jax.nn.softmax(strengths), 0.0)
    same = addresses[:, None] == addresses[None, :]
    votes = jnp.where(addresses >= 0, summed_in_order(jnp.where(same, weights[None, :], 0.0)), -jnp.inf)
    lowest = jnp.where(votes == votes.max(), addresses, np.iinfo(np.int32).max).min()
    return jnp.where((addresses >= 0).any(), lowest, NONE)


def summed_in_order(rows: Float[Array, "mechanisms others"]) -> Strengths:
    """Row sums added left to right, so that equal votes are equal bits."""
    total = rows[:, 0]
    for j in range(1, rows.shape[1]):
        total = total + rows[:, j]
    return total


MIXES: dict[str, Mix] = {"winner": strongest_mechanism, "sum": largest_sum}


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
