"""What a planning world must offer: exact rules on plain integers, and its encoding as bits.

Four operations, a sampler of start states, a step, an identity for states, and the one-hot encoding that
data modules work on. Everything is pure. Rules are written once, with operators that mean the same for
Python integers (one state, boards of any size) and NumPy arrays (many states at once).
"""

from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

StateT = TypeVar("StateT", bound=tuple[object, ...])

OPS = ("up", "right", "down", "left", "nop")
"""The machine's operations, in index order; domains with other meanings keep the five indices."""

BRANCHING = 4
NOP = 4


@runtime_checkable
class Domain(Protocol[StateT]):
    """One planning world.

    `StateT` is a NamedTuple. Its fields are plain integers (a single state) or NumPy arrays with one
    common leading shape (a batch); `step` works on both, element by element.
    """

    @property
    def name(self) -> str:
        """Name on the command line, for example `sokoban-6x6`."""

    @property
    def family(self) -> str:
        """One sentence that says which states the sampler can draw."""

    @property
    def word_bits(self) -> int:
        """Length of an encoded data word."""

    def sample(self, rng: np.random.Generator, count: int) -> StateT:
        """A batch of `count` independent start states of the family; consumes `rng`."""

    def step(self, state: StateT, op: int) -> StateT:
        """The state after operation `op` in 0..3; an operation without effect returns an equal state."""

    def key(self, state: StateT) -> NDArray[np.uint64]:
        """Integers that are equal exactly if two states of one world are equal; batches only."""

    def encode(self, state: StateT) -> NDArray[np.uint8]:
        """One-hot data words of 0 and 1, shape (..., word_bits)."""

    def decode(self, words: NDArray[np.uint8]) -> StateT:
        """The inverse of `encode`; raises InputError (code `word.invalid`) on a word that is no state."""


@runtime_checkable
class ReadableDomain(Domain[StateT], Protocol[StateT]):
    """A domain whose states and plans people can read and write: what commands and task files need.

    All functions are about single states of plain integers.
    """

    def draw(self, state: StateT) -> str:
        """The state as text, in lines of equal width."""

    def plan_text(self, start: StateT, ops: list[int]) -> str:
        """A plan from `start` on, for people."""

    def state_to_json(self, state: StateT) -> object:
        """The state as what a JSON text can hold."""

    def state_from_json(self, value: object) -> StateT:
        """The inverse of `state_to_json`; raises InputError (`task.json`) for what is no state."""


@runtime_checkable
class DecidingDomain(Domain[StateT], Protocol[StateT]):
    """A domain that can tell, without any search, that some goals cannot be reached."""

    def unsolvable(self, start: StateT, goal: StateT) -> str | None:
        """The reason in a word or two, such as `parity`; None where nothing is known. Single states only."""
