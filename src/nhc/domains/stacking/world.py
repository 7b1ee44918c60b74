"""Stacking as a domain; the protocol is `nhc.domains.local.FiniteWorld`."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nhc.domains.local import Numbers, WordForm, one_hot
from nhc.domains.packed import pack, unpack
from nhc.domains.stacking import family, local, rules, text
from nhc.domains.stacking.rules import CELLS, EMPTY, GRIPPER, HEIGHT, PLACES, Stacks
from nhc.domains.words import require, symbols_of
from nhc.errors import ConfigError

MOST_BOXES = 9
USUAL_BOXES = 5


@dataclass(frozen=True)
class Stacking:
    """`boxes` distinct boxes on four places of height three, and a gripper.

    Raises ConfigError (code `stacking.boxes`) unless there are 1 to 9 boxes.
    """

    boxes: int = USUAL_BOXES

    def __post_init__(self) -> None:
        if not 1 <= self.boxes <= MOST_BOXES:
            raise ConfigError("stacking.boxes", f"expected 1 to {MOST_BOXES} boxes, found {self.boxes}")

    @property
    def name(self) -> str:
        """`stacking` for 5 boxes, else `stacking-BOXES`."""
        return "stacking" if self.boxes == USUAL_BOXES else f"stacking-{self.boxes}"

    @property
    def family(self) -> str:
        """One sentence that says which states the sampler can draw."""
        return (
            f"all arrangements of {self.boxes} distinct boxes on {PLACES} places of height {HEIGHT} without "
            f"gaps, the gripper empty or holding one of them"
        )

    @property
    def form(self) -> WordForm:
        """How words, views and changes are made of cells."""
        return local.word_form(self.boxes)

    @property
    def word_bits(self) -> int:
        """Length of an encoded data word: one bit a symbol of each of the 13 cells."""
        return self.form.word_bits

    def sample(self, rng: np.random.Generator, count: int) -> Stacks:
        """`count` independent arrangements, uniform over the family; consumes `rng`."""
        return family.sample(self.boxes, rng, count)

    def step(self, state: Stacks, op: int) -> Stacks:
        """The arrangement after putting down on, or picking up from, place `op` (0..3)."""
        return rules.step(state, op)

    def key(self, state: Stacks) -> NDArray[np.uint64]:
        """The codes themselves."""
        return np.asarray(state.code, np.uint64)

    def contents(self, state: Stacks) -> NDArray[np.uint8]:
        """The symbol number of each cell: 0 if it is empty, else the box's number."""
        return unpack(state.code, CELLS)

    def encode(self, state: Stacks) -> NDArray[np.uint8]:
        """One-hot data words of 0 and 1, shape (..., word_bits)."""
        return one_hot(self.contents(state), len(self.form.symbols))

    def decode(self, words: NDArray[np.uint8]) -> Stacks:
        """The inverse of `encode`: a single word gives a plain integer, a batch gives a uint64 array.

        Raises InputError (code `word.invalid`) for another length, a cell that is not one-hot, a box that
        is missing or occurs twice, and a gap below a box.
        """
        contents = symbols_of(self.form, words)
        there = np.sort(contents, axis=-1)[..., CELLS - self.boxes :] == np.arange(1, self.boxes + 1)
        filled = (contents != EMPTY).sum(axis=-1) == self.boxes
        require(there.all(axis=-1) & filled, "every box once")
        places = contents[..., :GRIPPER].reshape(*contents.shape[:-1], PLACES, HEIGHT)
        gaps = (places[..., :-1] == EMPTY) & (places[..., 1:] != EMPTY)
        require(~gaps.any(axis=(-2, -1)), "no empty cell below a box")
        codes = pack(contents)
        return Stacks(int(codes) if words.ndim == 1 else codes)

    def cells_in_view(self, contents: Numbers) -> Numbers:
        """The gripper, top boxes and lowest free cells, -1 for none."""
        return local.cells_in_view(contents)

    def act(self, view: Numbers, op: Numbers) -> tuple[Numbers, Numbers]:
        """The rule on views."""
        return local.act(self.form, view, op)

    @property
    def family_size(self) -> int:
        """Number of arrangements by formula: 8,520 for 5 boxes."""
        return family.family_size(self.boxes)

    def family_states(self) -> Iterator[Stacks]:
        """Every arrangement exactly once, in batches."""
        return family.family_states(self.boxes)

    def views(self) -> NDArray[np.uint8]:
        """Every local view."""
        return local.all_views(self.boxes)

    def draw(self, state: Stacks) -> str:
        """The gripper, and the places side by side."""
        return text.draw(state)

    def plan_text(self, start: Stacks, ops: list[int]) -> str:
        """The places that the gripper goes to, such as `place-0 place-3`."""
        del start
        return " ".join(f"place-{op}" for op in ops)

    def state_to_json(self, state: Stacks) -> object:
        """An object of `places`, lists of boxes from below, and `held`, a box or null."""
        return text.to_json(state)

    def state_from_json(self, value: object) -> Stacks:
        """The inverse of `state_to_json`; raises InputError (code `task.json`) for what is no state."""
        return text.from_json(value, self.boxes)
