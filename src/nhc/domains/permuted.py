"""A world in another encoding: the same states and rules, with symbols and cells of its words permuted.

The paper's second representation (R2): the learned algorithm must not depend on how data look. The
permutation is stored here, so that it is the same wherever and whenever words are made.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from nhc.domains.local import CellWorld, FiniteWorld, LocalStateT, Numbers, WordForm, namespace, one_hot
from nhc.domains.protocol import ReadableDomain
from nhc.domains.sokoban.rules import Board, State
from nhc.domains.sokoban.world import Sokoban

SYMBOLS = (3, 2, 1, 0)
"""Sokoban's agent, box, wall and empty have the bits that were empty, wall, box and agent."""
CELLS = (
    *(11, 27, 4, 24, 23, 2, 3, 34, 18, 1, 10, 22, 20, 26, 28, 30, 33, 15),
    *(17, 0, 21, 35, 9, 6, 32, 25, 19, 29, 8, 16, 13, 12, 7, 31, 5, 14),
)
"""Where each cell of a 6x6 board stands in the word. Both were drawn once, with seed 0."""


@runtime_checkable
class ReadableWorld(FiniteWorld[LocalStateT], ReadableDomain[LocalStateT], Protocol[LocalStateT]):
    """What can be put into another encoding."""


@dataclass(frozen=True)
class Permuted(CellWorld[LocalStateT]):
    """The world `inner` with its words, views and changes in another encoding."""

    inner: ReadableWorld[LocalStateT]
    name: str
    symbols: tuple[int, ...]
    """The new number of each symbol."""
    cells: tuple[int, ...]
    """The new number of each cell."""

    @property
    def family(self) -> str:
        """One sentence that says which states the sampler can draw."""
        return f"{self.inner.family}; symbols and cells of the words of {self.inner.name} permuted"

    @property
    def form(self) -> WordForm:
        """That of the inner world, with symbols in their new places."""
        inner = self.inner.form
        names = tuple(inner.symbols[old] for old in _inverse(self.symbols))
        return replace(inner, symbols=names, beyond=self._shown()[inner.beyond])

    def sample(self, rng: np.random.Generator, count: int) -> LocalStateT:
        """The inner world's sampler."""
        return self.inner.sample(rng, count)

    def step(self, state: LocalStateT, op: int) -> LocalStateT:
        """The inner world's rules."""
        return self.inner.step(state, op)

    def key(self, state: LocalStateT) -> NDArray[np.uint64]:
        """The inner world's keys."""
        return self.inner.key(state)

    def contents(self, state: LocalStateT) -> NDArray[np.uint8]:
        """The new symbol number of each cell, in the new order of cells."""
        return np.array(self.symbols, np.uint8)[self.inner.contents(state)][..., _inverse(self.cells)]

    def from_contents(self, contents: NDArray[np.uint8]) -> LocalStateT:
        """The inverse of `contents`; raises InputError (code `word.invalid`) for no state."""
        numbers = np.array(_inverse(self.symbols), np.uint8)[contents[..., list(self.cells)]]
        return self.inner.decode(one_hot(numbers, len(self.symbols)))

    def cells_in_view(self, contents: Numbers) -> Numbers:
        """The cells that the inner world shows, by their new numbers."""
        xp = namespace(contents)
        numbers = xp.asarray(_inverse(self.symbols), dtype=np.uint8)[contents[..., np.array(self.cells)]]
        cells = self.inner.cells_in_view(numbers)
        shown: Numbers = xp.where(
            xp.less(cells, 0), -1, xp.asarray(self.cells, dtype=np.int32)[xp.maximum(cells, 0)]
        )
        return shown

    def act(self, view: Numbers, op: Numbers) -> tuple[Numbers, Numbers]:
        """The inner world's rule, on symbols by their new numbers."""
        xp = namespace(view)
        changed, after = self.inner.act(xp.asarray(_inverse(self._shown()), dtype=np.uint8)[view], op)
        return changed, xp.asarray(self._shown(), dtype=np.uint8)[after]

    @property
    def family_size(self) -> int:
        """Number of states by the inner world's formula."""
        return self.inner.family_size

    def family_states(self) -> Iterator[LocalStateT]:
        """The states of the inner world."""
        return self.inner.family_states()

    def views(self) -> NDArray[np.uint8]:
        """The views of the inner world in the new symbols."""
        return np.array(self._shown(), np.uint8)[self.inner.views()]

    def draw(self, state: LocalStateT) -> str:
        """The inner world's drawing."""
        return self.inner.draw(state)

    def plan_text(self, start: LocalStateT, ops: list[int]) -> str:
        """The inner world's way to write plans."""
        return self.inner.plan_text(start, ops)

    def state_to_json(self, state: LocalStateT) -> object:
        """The inner world's form."""
        return self.inner.state_to_json(state)

    def state_from_json(self, value: object) -> LocalStateT:
        """The inverse of `state_to_json`; raises InputError (code `task.json`) for what is no state."""
        return self.inner.state_from_json(value)

    def _shown(self) -> tuple[int, ...]:
        """The new number of each symbol of a view: those beyond a cell's own keep theirs."""
        return (*self.symbols, *range(len(self.symbols), self.inner.form.view_symbols))


def permuted_sokoban() -> Permuted[State]:
    """`sokoban-permuted`: the 6x6 world in the stored permutation."""
    return Permuted(Sokoban(Board(6, 6)), "sokoban-permuted", SYMBOLS, CELLS)


def _inverse(permutation: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(permutation.index(number) for number in range(len(permutation)))
