"""Sokoban in another encoding: the same states and rules, with symbols and cells of its words permuted.

The paper's second representation (R2): the learned algorithm must not depend on how data look. The
permutation is stored here, so that it is the same wherever and whenever words are made.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nhc.domains.local import Numbers, WordForm, namespace
from nhc.domains.sokoban.rules import Board, State
from nhc.domains.sokoban.world import SokobanGame

BOARD = Board(6, 6)
SYMBOLS = np.array([3, 2, 1, 0], np.uint8)
"""The new number of each symbol: agent, box, wall and empty have the bits that were empty, wall, box and
agent."""
CELLS = np.array(
    [
        *(11, 27, 4, 24, 23, 2, 3, 34, 18, 1, 10, 22, 20, 26, 28, 30, 33, 15),
        *(17, 0, 21, 35, 9, 6, 32, 25, 19, 29, 8, 16, 13, 12, 7, 31, 5, 14),
    ],
    np.int32,
)
"""Where each cell of a 6x6 board stands in the word. Both were drawn once, with seed 0."""
OLD_SYMBOLS, OLD_CELLS = np.argsort(SYMBOLS).astype(np.uint8), np.argsort(CELLS)


@dataclass(frozen=True)
class PermutedSokoban(SokobanGame):
    """The world of 6x6 boards with its words, views and changes in the stored permutation."""

    board: Board = BOARD
    name = "sokoban-permuted"

    @property
    def family(self) -> str:
        """One sentence that says which states the sampler can draw."""
        return f"{super().family}; symbols and cells of the words of {super().name} permuted"

    @property
    def form(self) -> WordForm:
        """That of Sokoban, with symbols in their new places."""
        form = super().form
        symbols = tuple(form.symbols[old] for old in OLD_SYMBOLS)
        return replace(form, symbols=symbols, beyond=int(SYMBOLS[form.beyond]))

    def contents(self, state: State) -> NDArray[np.uint8]:
        """The new symbol number of each cell, in the new order of cells."""
        return SYMBOLS[super().contents(state)][..., OLD_CELLS]

    def from_contents(self, contents: NDArray[np.uint8]) -> State:
        """The inverse of `contents`; raises InputError (code `word.invalid`) for no state."""
        return super().from_contents(OLD_SYMBOLS[contents[..., CELLS]])

    def cells_in_view(self, contents: Numbers) -> Numbers:
        """The cells that Sokoban shows, by their new numbers."""
        xp = namespace(contents)
        cells = super().cells_in_view(xp.asarray(OLD_SYMBOLS)[contents[..., CELLS]])
        shown: Numbers = xp.where(xp.less(cells, 0), -1, xp.asarray(CELLS)[xp.maximum(cells, 0)])
        return shown

    def act(self, view: Numbers, op: Numbers) -> tuple[Numbers, Numbers]:
        """Sokoban's rule, on symbols by their new numbers."""
        xp = namespace(view)
        changed, after = super().act(xp.asarray(OLD_SYMBOLS)[view], op)
        return changed, xp.asarray(SYMBOLS)[after]

    def views(self) -> NDArray[np.uint8]:
        """The views of Sokoban in the new symbols."""
        return SYMBOLS[super().views()]
