"""The 3x3 sliding puzzle as a domain; the protocol is `nhc.domains.local.FiniteWorld`."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nhc.domains.local import Numbers, WordForm, one_hot
from nhc.domains.packed import pack, unpack
from nhc.domains.protocol import OPS
from nhc.domains.sliding import family, local, rules, text
from nhc.domains.sliding.rules import CELLS, Tiles
from nhc.domains.words import require, symbols_of


@dataclass(frozen=True)
class Sliding:
    """Eight tiles and a hole on 3x3 cells."""

    @property
    def name(self) -> str:
        """`sliding-3x3`."""
        return "sliding-3x3"

    @property
    def family(self) -> str:
        """One sentence that says which states the sampler can draw."""
        return "all boards of 3x3 cells with tiles 1 to 8 and a hole, of both parities"

    @property
    def form(self) -> WordForm:
        """How words, views and changes are made of cells."""
        return local.FORM

    @property
    def word_bits(self) -> int:
        """Length of an encoded data word: nine bits a cell."""
        return self.form.word_bits

    def sample(self, rng: np.random.Generator, count: int) -> Tiles:
        """`count` independent boards, uniform over all; consumes `rng`."""
        return family.sample(rng, count)

    def step(self, state: Tiles, op: int) -> Tiles:
        """The board after a tile slid up, right, down or left into the hole (`op` 0..3)."""
        return rules.step(state, op)

    def key(self, state: Tiles) -> NDArray[np.uint64]:
        """The codes themselves."""
        return np.asarray(state.code, np.uint64)

    def contents(self, state: Tiles) -> NDArray[np.uint8]:
        """The symbol number of each cell: 0 for the hole, else the tile's number."""
        return unpack(state.code, CELLS)

    def encode(self, state: Tiles) -> NDArray[np.uint8]:
        """One-hot data words of 0 and 1, shape (..., word_bits)."""
        return one_hot(self.contents(state), len(self.form.symbols))

    def decode(self, words: NDArray[np.uint8]) -> Tiles:
        """The inverse of `encode`: a single word gives a plain integer, a batch gives a uint64 array.

        Raises InputError (code `word.invalid`) for another length, a cell that is not one-hot, and unless
        every symbol occurs once.
        """
        contents = symbols_of(self.form, words)
        once = np.sort(contents, axis=-1) == np.arange(CELLS)
        require(once.all(axis=-1), "every tile once and one hole")
        codes = pack(contents)
        return Tiles(int(codes) if words.ndim == 1 else codes)

    def cells_in_view(self, contents: Numbers) -> Numbers:
        """The hole's cell and those around it, -1 off the board."""
        return local.cells_in_view(contents)

    def act(self, view: Numbers, op: Numbers) -> tuple[Numbers, Numbers]:
        """The rule on views."""
        return local.act(view, op)

    @property
    def family_size(self) -> int:
        """Number of boards by formula: 362,880."""
        return family.FAMILY_SIZE

    def family_states(self) -> Iterator[Tiles]:
        """Every board exactly once, in batches."""
        return family.family_states()

    def views(self) -> NDArray[np.uint8]:
        """Every local view: 3,248."""
        return local.all_views()

    def draw(self, state: Tiles) -> str:
        """Three rows of tiles, the hole as a point."""
        return text.draw(state)

    def plan_text(self, start: Tiles, ops: list[int]) -> str:
        """The names of the operations."""
        del start
        return " ".join(OPS[op] for op in ops)

    def state_to_json(self, state: Tiles) -> object:
        """Three rows of three numbers, 0 for the hole."""
        return text.to_json(state)

    def state_from_json(self, value: object) -> Tiles:
        """The inverse of `state_to_json`; raises InputError (code `task.json`) for what is no state."""
        return text.from_json(value)
