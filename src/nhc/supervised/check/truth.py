"""What the rules of a world demand of its data modules, for batches of states."""

from typing import Generic, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from nhc.domains.local import FiniteWorld, LocalStateT, Numbers, view_of
from nhc.domains.protocol import BRANCHING, NOP, OPS
from nhc.domains.states import picked
from nhc.errors import ConfigError
from nhc.supervised.check.plain import Change, Symbols, change_bits, unchanged


class Demands(NamedTuple):
    """Of n states."""

    contents: Symbols
    """(n, cells)"""
    view: Symbols
    """(n, slots)"""
    changes: NDArray[np.intp]
    """(n, ops): number of the local change and c_a."""
    view_number: NDArray[np.intp]
    """(n,)"""
    after_step: Symbols
    """(n, ops, cells): the world's step, the state itself for `nop`."""


class Truth(Generic[LocalStateT]):
    """The rules of one world. All local changes that its views can lead to are numbered.

    Raises ConfigError (code `world.views`) for views too long to be numbered.
    """

    def __init__(self, world: FiniteWorld[LocalStateT]) -> None:
        self.world, self.form = world, world.form
        self.views = world.views()
        if self.form.view_symbols**self.form.slots >= 2**63:
            raise ConfigError("world.views", f"views of {self.form.slots} slots are too long to be numbered")
        self._base = self.form.view_symbols ** np.arange(self.form.slots, dtype=np.int64)
        codes = self.views @ self._base
        self._order = np.argsort(codes)
        self._codes = codes[self._order]
        ops = np.tile(np.arange(len(OPS)), len(self.views))
        views = np.repeat(self.views, len(OPS), axis=0)
        changed, after = world.act(cast(Numbers, views), cast(Numbers, ops))
        direction = unchanged(self.form, ops, views).direction
        self.case_ops, self.case_views = ops, views
        self.case_changes = Change(np.asarray(changed), direction, np.asarray(after).astype(np.uint8))
        """What the ALU has to say of each view and operation, operations fastest."""
        bits = change_bits(self.form, self.case_changes)
        _, first, numbers = np.unique(bits, axis=0, return_index=True, return_inverse=True)
        self.change_words = bits[first]
        self.changes = picked(self.case_changes, first)
        self._change_of = numbers.reshape(len(self.views), len(OPS))

    def of(self, states: LocalStateT) -> Demands:
        """Raises ConfigError (code `world.views`) for a state whose view is not among the world's views."""
        world, form = self.world, self.form
        contents = world.contents(states)
        numbers = cast(Numbers, contents)
        view = np.asarray(view_of(form, numbers, world.cells_in_view(numbers))).astype(np.uint8)
        codes = view @ self._base
        found = np.minimum(np.searchsorted(self._codes, codes), len(self._codes) - 1)
        if (self._codes[found] != codes).any():
            raise ConfigError(
                "world.views", f"a state of {world.name} has a view that is not among its views"
            )
        number = self._order[found]
        steps = [world.contents(world.step(states, op)) for op in range(BRANCHING)]
        assert len(steps) == NOP
        return Demands(contents, view, self._change_of[number], number, np.stack([*steps, contents], axis=1))
