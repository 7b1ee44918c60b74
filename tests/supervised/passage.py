"""A tiny world for tests: a walker in a passage of seven cells pushes nothing and may pick up a stone.

Cells hold walker, stone or floor. Right and left move the walker, over stones too, which vanish; up puts a
stone to the right where floor is; down does nothing. The view shows the walker's cell and its neighbours.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.domains.local import Numbers, WordForm, namespace, one_hot, slots_of

WALKER, STONE, FLOOR, BEYOND = range(4)


class Walk(NamedTuple):
    """The walker's cell, and the stones as bits."""

    walker: NDArray[np.int64]
    stones: NDArray[np.int64]


@dataclass(frozen=True)
class Passage:
    """Implements `FiniteWorld`."""

    cells: int = 7
    name: str = "passage"
    family: str = "a walker in a passage, stones anywhere else"

    @property
    def word_bits(self) -> int:
        return 3 * self.cells

    @property
    def form(self) -> WordForm:
        return WordForm(("walker", "stone", "floor"), self.cells, 3, BEYOND, ((0, 2), (0, 2), (0, 1), (0, 1)))

    def sample(self, rng: np.random.Generator, count: int) -> Walk:
        walker = rng.integers(0, self.cells, count)
        return Walk(walker, rng.integers(0, 2**self.cells, count) & ~(1 << walker))

    def step(self, state: Walk, op: int) -> Walk:
        walker, stones = state
        if op in (1, 3):
            target = np.clip(walker + (1 if op == 1 else -1), 0, self.cells - 1)
            return Walk(target, stones & ~(1 << target))
        beside = np.where((op == 0) & (walker + 1 < self.cells), 1 << (walker + 1), 0)
        return Walk(walker, stones | beside)

    def key(self, state: Walk) -> NDArray[np.uint64]:
        return (state.walker << self.cells | state.stones).astype(np.uint64)

    def encode(self, state: Walk) -> NDArray[np.uint8]:
        return one_hot(self.contents(state), 3)

    def decode(self, words: NDArray[np.uint8]) -> Walk:
        symbols = words.reshape(*words.shape[:-1], self.cells, 3).argmax(axis=-1)
        stones = ((symbols == STONE) << np.arange(self.cells)).sum(axis=-1)
        return Walk((symbols == WALKER).argmax(axis=-1), stones)

    def contents(self, state: Walk) -> NDArray[np.uint8]:
        cells = np.arange(self.cells)
        walker, stones = (np.asarray(field)[..., None] for field in state)
        held = np.where(stones >> cells & 1, STONE, FLOOR)
        return np.where(cells == walker, WALKER, held).astype(np.uint8)

    def cells_in_view(self, contents: Numbers) -> Numbers:
        xp = namespace(contents)
        walker = xp.argmax(xp.equal(contents, WALKER), axis=-1)[..., None]
        cells = walker + xp.asarray([0, -1, 1])
        inside = (cells >= 0) & (cells < self.cells)
        found: Numbers = xp.where(inside, cells, -1)
        return found

    def act(self, view: Numbers, op: Numbers) -> tuple[Numbers, Numbers]:
        xp = namespace(view)
        before = xp.take_along_axis(view, slots_of(self.form, op), axis=-1)
        target = before[..., 1]
        walks = (op % 2 == 1) & xp.not_equal(target, BEYOND)
        puts = xp.equal(op, 0) & xp.equal(target, FLOOR)
        after = xp.stack(
            [
                xp.where(walks, FLOOR, before[..., 0]),
                xp.where(walks, WALKER, xp.where(puts, STONE, target)),
            ],
            axis=-1,
        )
        return walks | puts, after.astype(before.dtype)

    @property
    def family_size(self) -> int:
        return self.cells * 2 ** (self.cells - 1)

    def family_states(self) -> Iterator[Walk]:
        stones = np.arange(2**self.cells)
        for walker in range(self.cells):
            free = stones[stones >> walker & 1 == 0]
            yield Walk(np.full(len(free), walker), free)

    def views(self) -> NDArray[np.uint8]:
        others = (STONE, FLOOR, BEYOND)
        return np.array([(WALKER, *beside) for beside in product(others, repeat=2)], np.uint8)
