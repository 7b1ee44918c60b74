"""Worlds whose operations look at, and change, a few cells only: what data modules can be learned for.

The paper, section "Data-dependent Modules": Transform_D extracts a local view, the ALU turns it into a local
change, Output inserts the change. A world says here how its configurations are cut into cells, which cells
the view shows, and what an operation does to them. Labels for learning, exhaustive checks and exact data
modules all follow from these few functions.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from types import EllipsisType, ModuleType
from typing import Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from nhc.domains.protocol import BRANCHING, NOP, Domain, StateT
from nhc.errors import InputError


@runtime_checkable
class Numbers(Protocol):
    """An array of integers or booleans, of NumPy or of JAX: `local` functions are written once for both."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    @property
    def dtype(self) -> np.dtype[np.generic]: ...

    def __array_namespace__(self) -> ModuleType: ...

    def __getitem__(
        self, index: tuple[int | slice | EllipsisType | NDArray[np.integer] | None, ...], /
    ) -> "Numbers": ...


NumbersT = TypeVar("NumbersT", bound=Numbers)


@dataclass(frozen=True)
class WordForm:
    """How data words, views and changes are cut into one-hot groups."""

    symbols: tuple[str, ...]
    """What a cell can hold."""
    cells: int
    """Cells of a word; bit `symbols * cell + symbol` is set if the cell holds that symbol."""
    slots: int
    """Cells that the view shows."""
    beyond: int
    """The symbol of a slot that shows no cell: one of `symbols`, or the number after the last."""
    reach: tuple[tuple[int, ...], ...]
    """Per operation 0..3 the slots that it may change, equally many for each."""

    @property
    def lacks(self) -> str | None:
        """What the parts of a form must have and these lack; None if they fit together."""
        slots = {slot for row in self.reach for slot in row}
        changes = {len(row) for row in self.reach}
        needs = {
            "at least two different symbols": len({*self.symbols}) == len(self.symbols) >= 2,
            "at least one cell and one slot": self.cells > 0 and self.slots > 0,
            "`beyond` among the symbols or next after them": 0 <= self.beyond <= len(self.symbols),
            "in `reach` four rows of equally many slots": len(self.reach) == BRANCHING and len(changes) == 1,
            f"in `reach` slots of 0..{self.slots - 1}": slots and slots <= {*range(self.slots)},
        }
        return next((need for need, fine in needs.items() if not fine), None)

    @property
    def word_bits(self) -> int:
        """Length of a data word."""
        return self.cells * len(self.symbols)

    @property
    def view_symbols(self) -> int:
        """Symbols that a slot of the view can show."""
        return max(len(self.symbols), self.beyond + 1)

    @property
    def view_bits(self) -> int:
        """Length of a view."""
        return self.slots * self.view_symbols

    @property
    def changes(self) -> int:
        """Slots that an operation may change."""
        return len(self.reach[0])

    @property
    def change_bits(self) -> int:
        """Length of a local change: the operation's direction, then what its slots hold after it."""
        return BRANCHING + self.changes * self.view_symbols


@runtime_checkable
class LocalWorld(Domain[StateT], Protocol[StateT]):
    """A domain with a local view. `contents`, `cells_in_view` and `act` accept leading batch axes.

    The last two are called with NumPy and with JAX arrays, so they compute with `namespace(...)` of their
    argument and never branch on values.
    """

    @property
    def form(self) -> WordForm:
        """How words, views and changes are made of cells."""

    def contents(self, state: StateT) -> NDArray[np.uint8]:
        """The symbol number of each cell, shape (..., cells)."""

    def cells_in_view(self, contents: Numbers) -> Numbers:
        """The cell that each slot of the view shows, -1 for none; shape (..., cells) -> (..., slots)."""

    def act(self, view: Numbers, op: Numbers) -> tuple[Numbers, Numbers]:
        """The rule on views of shape (..., slots): does `op` (..., 0..4) change anything, and what its slots
        hold after it, shape (..., changes).

        `nop` (4) changes nothing and reports the slots of operation 0. An operation without effect reports
        what its slots hold.
        """


@runtime_checkable
class FiniteWorld(LocalWorld[StateT], Protocol[StateT]):
    """A local world whose whole family can be enumerated."""

    @property
    def family_size(self) -> int:
        """Number of states by formula."""

    def family_states(self) -> Iterator[StateT]:
        """Every state exactly once, in batches, always in the same order."""

    def views(self) -> NDArray[np.uint8]:
        """Every local view once, shape (views, slots); it may hold some that no state has."""


class WordCase(NamedTuple):
    """Some words of a world: each cell holds any of its symbols, whatever the others hold.

    In all of them the view shows the same cells, no cell twice, and what it shows is among the world's views.
    """

    allowed: NDArray[np.bool_]
    """(cells, symbols)"""
    cells: NDArray[np.integer]
    """The cell that each slot of the view shows in all these words, -1 for none; (slots,)."""


@runtime_checkable
class CasedWorld(FiniteWorld[StateT], Protocol[StateT]):
    """A world whose words fall into few cases: what is too many states to enumerate can be proved by them."""

    def word_cases(self) -> Iterator[WordCase]:
        """Cases that contain every state's word, and words that no state has."""


class CellWorld(ABC, Generic[StateT]):
    """What worlds made of cells share: data words follow from the contents of cells."""

    @property
    @abstractmethod
    def form(self) -> WordForm:
        """How words, views and changes are made of cells."""

    @abstractmethod
    def contents(self, state: StateT) -> NDArray[np.uint8]:
        """The symbol number of each cell, shape (..., cells)."""

    @abstractmethod
    def from_contents(self, contents: NDArray[np.uint8]) -> StateT:
        """The inverse of `contents`: shape (cells,) gives plain integers, a batch gives arrays.

        Raises InputError (code `word.invalid`) for contents of no state.
        """

    @property
    def word_bits(self) -> int:
        """Length of an encoded data word: one bit a cell and symbol."""
        return self.form.word_bits

    def encode(self, state: StateT) -> NDArray[np.uint8]:
        """One-hot data words of 0 and 1, shape (..., word_bits)."""
        return one_hot(self.contents(state), len(self.form.symbols))

    def decode(self, words: NDArray[np.uint8]) -> StateT:
        """The inverse of `encode`: a single word gives plain integers, a batch gives arrays.

        Raises InputError (code `word.invalid`) for another length, a cell that is not one-hot, and contents
        of no state.
        """
        return self.from_contents(symbols_of(self.form, words))


def namespace(array: Numbers) -> ModuleType:
    """The library that computes with this array: NumPy or jax.numpy."""
    return array.__array_namespace__()


def view_of(form: WordForm, contents: NumbersT, cells: Numbers) -> NumbersT:
    """What the cells in view hold: shape (..., cells) and (..., slots) -> (..., slots)."""
    xp = namespace(contents)
    held = xp.take_along_axis(contents, xp.maximum(cells, 0), axis=-1)
    seen: NumbersT = xp.where(xp.less(cells, 0), xp.asarray(form.beyond, dtype=held.dtype), held)
    return seen


def views_of(world: LocalWorld[StateT], contents: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """What the slots of each word show: (..., cells) -> (..., slots)."""
    return view_of(world.form, contents, world.cells_in_view(contents))


def direction_of(op: NumbersT) -> NumbersT:
    """The direction of each operation; `nop` has that of operation 0."""
    xp = namespace(op)
    direction: NumbersT = xp.where(xp.equal(op, NOP), 0, op)
    return direction


def slots_of(form: WordForm, op: NumbersT) -> NumbersT:
    """The slots that each operation may change, (...) -> (..., changes); `nop` names those of operation 0."""
    slots: NumbersT = namespace(op).asarray(form.reach)[direction_of(op)]
    return slots


def held_in(form: WordForm, view: NumbersT, op: Numbers) -> NumbersT:
    """What the operation's slots hold before it: shape (..., slots) and (...) -> (..., changes)."""
    held: NumbersT = namespace(view).take_along_axis(view, slots_of(form, op), axis=-1)
    return held


def inserted(
    form: WordForm, contents: NumbersT, cells: Numbers, op: Numbers, changed: Numbers, after: Numbers
) -> NumbersT:
    """Insert a change: what the slots of `op` hold after it goes to the cells that they show.

    contents (..., cells), cells in view (..., slots), op and changed (...), after (..., changes). Where
    nothing changed the contents stay.
    """
    places = namespace(contents).where(changed[..., None], held_in(form, cells, op), -1)
    return put(form, contents, places, after)


def put(form: WordForm, contents: NumbersT, places: Numbers, after: Numbers) -> NumbersT:
    """The contents with the symbols `after` in the cells `places`, both (..., changes), one after the other.

    Places that are no cell, and symbols that no cell can hold, are dropped.
    """
    xp = namespace(contents)
    numbers = xp.broadcast_to(xp.arange(form.cells), contents.shape)
    for change in range(form.changes):
        symbol = after[..., change, None]
        here = xp.equal(numbers, places[..., change, None]) & xp.less(symbol, len(form.symbols))
        contents = xp.where(here, symbol, contents)
    return contents


def one_hot(numbers: NDArray[np.uint8], symbols: int) -> NDArray[np.uint8]:
    """One-hot groups in a row: shape (..., n) -> (..., n * symbols); numbers past the last give no bit."""
    groups = np.empty((*numbers.shape, symbols), np.bool_)
    for symbol in range(symbols):  # several times faster than one comparison by broadcasting
        np.equal(numbers, symbol, out=groups[..., symbol])
    return groups.view(np.uint8).reshape(*numbers.shape[:-1], numbers.shape[-1] * symbols)


def symbols_of(form: WordForm, words: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The symbol number of each cell, shape (..., word_bits) -> (..., cells).

    Raises InputError (code `word.invalid`) for another length and for cells that are not one-hot.
    """
    if words.ndim == 0 or words.shape[-1] != form.word_bits:
        raise InputError("word.invalid", f"a word has {form.word_bits} bits, these have shape {words.shape}")
    cells = words.reshape(*words.shape[:-1], form.cells, len(form.symbols))
    total, numbers = np.zeros(cells.shape[:-1], np.uint16), np.zeros(cells.shape[:-1], np.uint8)
    for symbol in range(len(form.symbols)):
        total += cells[..., symbol]
        numbers += cells[..., symbol] * np.uint8(symbol)
    wrong = total != 1
    if wrong.any():
        where = tuple(int(i) for i in np.argwhere(wrong)[0])
        of_word = f" of word {list(where[:-1])}" if len(where) > 1 else ""
        raise InputError(
            "word.invalid",
            f"cell {where[-1]}{of_word} must have exactly one of its bits {', '.join(form.symbols)} set, "
            f"found {cells[where].tolist()}",
        )
    return numbers


def require(fine: NDArray[np.bool_] | np.bool_, expected: str) -> None:
    """Raises InputError (code `word.invalid`) unless all words are fine; names the first that is not."""
    if not np.all(fine):
        where = [int(i) for i in np.argwhere(~np.asarray(fine))[0]]
        raise InputError("word.invalid", f"expected {expected}" + (f" in word {where}" if where else ""))
