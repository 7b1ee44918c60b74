"""Worlds of a few thousand states, from plain functions on texts: the short way to a world of one's own."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from nhc.domains.local import CellWorld, Numbers, WordForm, namespace, require
from nhc.domains.protocol import BRANCHING
from nhc.domains.tables import (
    LARGEST_NUMBER,
    MOST_STATES,
    Look,
    Step,
    Tables,
    is_text,
    number_of,
    places,
    tabulated,
)
from nhc.errors import InputError


class Cells(NamedTuple):
    """One state, or a batch of them: the symbol numbers of the cells as digits, the first cell's least."""

    number: NDArray[np.int32] | np.int32 | int


@dataclass(frozen=True, eq=False)
class SmallWorld(CellWorld[Cells]):
    """Made by `small_world`; two worlds are equal only if they are the same object.

    The protocols are `nhc.domains.local.FiniteWorld` and `nhc.domains.protocol.ReadableDomain`.
    """

    name: str
    family: str
    """One sentence that says which states there are."""
    ops: tuple[str, ...]
    """Names of the four operations."""
    tables: Tables

    @property
    def form(self) -> WordForm:
        """How words, views and changes are made of cells."""
        return self.tables.form

    @property
    def family_size(self) -> int:
        """Number of states, which was counted in two ways when the world was made."""
        return len(self.tables.numbers)

    def family_states(self) -> Iterator[Cells]:
        """Every state exactly once, in one batch."""
        yield Cells(self.tables.numbers)

    def sample(self, rng: np.random.Generator, count: int) -> Cells:
        """`count` independent states, uniform over all; consumes `rng`."""
        return Cells(self.tables.numbers[rng.integers(self.family_size, size=count)])

    def step(self, state: Cells, op: int) -> Cells:
        """The state after operation `op` in 0..3; plain integers stay plain."""
        after = self.tables.successors[op][self._rank(state)]
        return Cells(int(after) if isinstance(state.number, int) else after)

    def key(self, state: Cells) -> NDArray[np.uint64]:
        """The numbers themselves."""
        return np.asarray(state.number, np.uint64)

    def contents(self, state: Cells) -> NDArray[np.uint8]:
        """The symbol number of each cell, shape (..., cells)."""
        return self.tables.contents[self._rank(state)]

    def from_contents(self, contents: NDArray[np.uint8]) -> Cells:
        """The inverse of `contents`. Raises InputError (`word.invalid`) for no state of the family."""
        weights = places(len(self.form.symbols), self.form.cells)
        numbers = np.asarray(contents.astype(np.int32) @ weights)
        require(np.isin(numbers, self.tables.numbers), f"a state of {self.name}")
        return Cells(int(numbers) if contents.ndim == 1 else numbers)

    def cells_in_view(self, contents: Numbers) -> Numbers:
        """The cell that each slot of the view shows, -1 for none; shape (..., cells) -> (..., slots)."""
        rank = _found(contents, len(self.form.symbols), self.tables.numbers)
        cells: Numbers = namespace(contents).asarray(self.tables.seen)[rank]
        return cells

    def act(self, view: Numbers, op: Numbers) -> tuple[Numbers, Numbers]:
        """The rule on views of shape (..., slots) that states have, for operations of shape (...)."""
        xp, tables = namespace(view), self.tables
        rank = _found(view, self.form.view_symbols, tables.view_numbers)
        return xp.asarray(tables.changed)[rank, op], xp.asarray(tables.after)[rank, op]

    def views(self) -> NDArray[np.uint8]:
        """Every view that a state has, and no other."""
        return self.tables.views

    def draw(self, state: tuple[object, ...]) -> str:
        """The state as text, the inverse of `state_from_json`; takes states as tasks and plans hold them."""
        contents = self.contents(cast("Cells", state))
        return "".join(self.form.symbols[symbol] for symbol in contents.tolist())

    def plan_text(self, start: tuple[object, ...], ops: list[int]) -> str:
        """The names of the operations."""
        del start
        return " ".join(self.ops[op] for op in ops)

    def state_to_json(self, state: Cells) -> object:
        """The state as text."""
        return self.draw(state)

    def state_from_json(self, value: object) -> Cells:
        """The state of a text; raises InputError (code `task.json`) for what is no state of the family."""
        number = number_of(self.form, value) if is_text(value, self.form) else -1
        if number not in self.tables.numbers:
            raise InputError("task.json", f"expected a state of {self.name}, found {value!r}")
        return Cells(number)

    def _rank(self, state: Cells) -> NDArray[np.intp]:
        """The places of states in the tables."""
        return np.asarray(np.searchsorted(self.tables.numbers, np.asarray(state.number)))


def _found(digits: Numbers, base: int, numbers: NDArray[np.int32]) -> Numbers:
    """The places, among ascending numbers, of those with these digits, shape (..., n) -> (...).

    Digits of no number there give some place.
    """
    xp = namespace(digits)
    weights = xp.asarray(places(base, digits.shape[-1]))
    wanted = xp.matmul(xp.asarray(digits, dtype=np.int32), weights)
    place: Numbers = xp.minimum(xp.searchsorted(xp.asarray(numbers), wanted), len(numbers) - 1)
    return place


def small_world(
    *,
    name: str,
    family: str,
    symbols: str,
    size: int,
    states: Iterable[str],
    step: Step,
    look: Look,
    ops: Mapping[str, Sequence[int]],
) -> SmallWorld:
    """A world whose states are texts of one length, one sign of `symbols` a cell.

    `states` are all of them, `size` is their number by a count of its own, and `family` says in a sentence
    which they are. `step(state, op)` is the state after operation 0..3, an equal one where it has no effect.
    `look(state)` names the cells that the local view shows, slot by slot, None where a slot shows none. `ops`
    names the four operations, each with the slots whose cells it may change, equally many for each.

    The local rule, what an operation makes of a view, follows from `step`: where the view does not decide
    what happens, or another cell changes, the world is refused. Raises InputError: `world.symbols`,
    `world.states`, `world.size`, `world.large`, `world.view`, `world.reach`, `world.act`.
    """
    texts = list(states)
    form = form_of(symbols, texts, look, ops)
    if len(texts) != size:
        raise InputError("world.size", f"{name}: expected {size:,} states, found {len(texts):,}")
    words, views = len(symbols) ** form.cells, form.view_symbols**form.slots
    if len(texts) > MOST_STATES or max(words, views) > LARGEST_NUMBER:
        expected = f"at most {MOST_STATES:,} states and {LARGEST_NUMBER:,} possible words and views"
        found = f"{len(texts):,}, {words:,} and {views:,}"
        raise InputError("world.large", f"{name}: expected {expected}; found {found}")
    return SmallWorld(name, family, tuple(ops), tabulated(form, texts, step, look))


def form_of(symbols: str, texts: list[str], look: Look, ops: Mapping[str, Sequence[int]]) -> WordForm:
    """How words and views are made of cells. Raises InputError: `world.symbols`, `world.states`,
    `world.reach`."""
    if not 2 <= len({*symbols}) == len(symbols) < 255:
        raise InputError("world.symbols", f"expected 2 to 254 different signs, found {symbols!r}")
    if not texts or not texts[0]:
        raise InputError("world.states", "expected states of one cell or more, found none")
    slots, reach = len(look(texts[0])), tuple(map(tuple, ops.values()))
    counts = {len(row) for row in reach}
    inside = all(slot in range(slots) for row in reach for slot in row)
    if len(reach) != BRANCHING or len(counts) != 1 or counts == {0} or not inside:
        expected = f"4 operations, each with equally many slots of 0..{slots - 1}"
        raise InputError("world.reach", f"expected {expected}; found {dict(ops)}")
    return WordForm(tuple(symbols), len(texts[0]), slots, len(symbols), reach)
