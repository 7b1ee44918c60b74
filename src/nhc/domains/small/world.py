"""A world in tables; the protocols are `nhc.domains.local.FiniteWorld` and `ReadableDomain`."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from nhc.domains.local import Numbers, WordForm, namespace, one_hot
from nhc.domains.small.tables import Tables, is_text, number_of, places
from nhc.domains.words import require, symbols_of
from nhc.errors import InputError


class Cells(NamedTuple):
    """One state, or a batch of them: the symbol numbers of the cells as digits, the first cell's least."""

    number: NDArray[np.int32] | np.int32 | int


@dataclass(frozen=True, eq=False)
class SmallWorld:
    """Made by `nhc.domains.small.small_world`; two worlds are equal only if they are the same object."""

    name: str
    family: str
    """One sentence that says which states there are."""
    form: WordForm
    ops: tuple[str, ...]
    """Names of the four operations."""
    tables: Tables

    @property
    def word_bits(self) -> int:
        """Length of an encoded data word."""
        return self.form.word_bits

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

    def encode(self, state: Cells) -> NDArray[np.uint8]:
        """One-hot data words of 0 and 1, shape (..., word_bits)."""
        return one_hot(self.contents(state), len(self.form.symbols))

    def decode(self, words: NDArray[np.uint8]) -> Cells:
        """The inverse of `encode`: a single word gives a plain integer, a batch gives an array.

        Raises InputError (code `word.invalid`) for a word that is no state of the family.
        """
        contents = symbols_of(self.form, words).astype(np.int32)
        numbers = np.asarray(contents @ places(len(self.form.symbols), self.form.cells))
        require(np.isin(numbers, self.tables.numbers), f"a state of {self.name}")
        return Cells(int(numbers) if words.ndim == 1 else numbers)

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
