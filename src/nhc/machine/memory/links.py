"""Temporal and usage links between cells, as integer addresses.

Temporal (Graves et al. 2016, here hard): the order in which the free head wrote. Usage (the paper, section
"A Neural Computer Architecture"): the relation between the cell written and the cell read before.
"""

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, Int

from nhc.shapes import NONE, Address, Flag

Column = Int[Array, " cells"]


class Links(eqx.Module):
    """Per cell: the cells written after and before it, its origin, and the last cell it was origin of."""

    next: Column
    previous: Column
    parent: Column
    child: Column
    last: Address
    """The cell that the free head wrote last."""

    @property
    def capacity(self) -> int:
        """Cells that fit."""
        return self.next.shape[0]

    def grown(self, capacity: int) -> "Links":
        """The same links with room for more cells."""
        columns = (self.next, self.previous, self.parent, self.child)
        room = (0, capacity - self.capacity)
        next, previous, parent, child = (jnp.pad(c, room, constant_values=NONE) for c in columns)
        return Links(next, previous, parent, child, self.last)


def no_links(capacity: int) -> Links:
    """Links of an empty memory."""
    none = jnp.full(capacity, NONE, jnp.int32)
    return Links(none, none, none, none, jnp.int32(NONE))


def put(column: Column, address: Address, value: Address, enabled: Flag) -> Column:
    """`column` with `value` at `address`, if that address exists and `enabled`."""
    where = jnp.where(enabled & (address >= 0), address, column.shape[0])
    return column.at[where].set(value, mode="drop")


def get(column: Column, address: Address) -> Address:
    """The entry at `address`, NONE at NONE."""
    return jnp.where(address >= 0, column[jnp.maximum(address, 0)], NONE)


def append_temporal(links: Links, cell: Address, enabled: Flag) -> Links:
    """Link a cell that was never written before after the last one."""
    return Links(
        put(links.next, links.last, cell, enabled),
        put(links.previous, cell, links.last, enabled),
        links.parent,
        links.child,
        jnp.where(enabled, cell, links.last),
    )


def relink_temporal(links: Links, cell: Address, enabled: Flag) -> Links:
    """Take a cell out of the temporal list and link it as last.

    As in the DNC its neighbours lose their link to it and are not joined. The last cell stays as it is.
    """
    moved = enabled & (cell != links.last)
    before, after = get(links.previous, cell), get(links.next, cell)
    following = put(links.next, before, jnp.int32(NONE), moved)
    following = put(following, cell, jnp.int32(NONE), moved)
    preceding = put(links.previous, after, jnp.int32(NONE), moved)
    unlinked = Links(following, preceding, links.parent, links.child, links.last)
    return append_temporal(unlinked, cell, moved)


def link_usage(links: Links, cell: Address, source: Address, enabled: Flag) -> Links:
    """Note that `cell` was written while `source` was the cell read last (NONE at the first tick)."""
    return Links(
        links.next,
        links.previous,
        put(links.parent, cell, source, enabled),
        put(links.child, source, cell, enabled),
        links.last,
    )
