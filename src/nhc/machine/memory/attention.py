"""Five read mechanisms, each naming at most one address, and how one address comes of them.

The paper: "While the final read memory location is determined by a weighted combination of these
attentions, each attention mechanism itself uses hard decisions". Both readings of "weighted combination"
are here; a mechanism without an address has no vote.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from nhc.machine.memory.cells import Memory
from nhc.machine.memory.links import get
from nhc.shapes import NONE, Address, Addresses, Strengths, Word

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
