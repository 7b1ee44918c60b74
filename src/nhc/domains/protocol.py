"""What a planning world must offer: exact rules on plain integers, and its encoding as bits.

`design` of a domain: four operations, a sampler of start states, a step, an identity for states, and the
one-hot encoding that data modules work on. Everything is pure. Rules are written once, with operators
that mean the same for Python integers (one state, any size) and NumPy arrays (many states at once).
"""

from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

StateT = TypeVar("StateT")

OPS = ("up", "right", "down", "left", "nop")
"""The machine's operations, in index order; domains with other meanings keep the four indices."""

BRANCHING = 4
NOP = 4


class Domain(Protocol[StateT]):
    """One planning world. `StateT` is the domain's state, either a single state or a batch of them."""

    @property
    def name(self) -> str:
        """Name on the command line, for example `sokoban-6x6`."""
        ...

    @property
    def family(self) -> str:
        """One sentence that says which states the sampler can draw."""
        ...

    def sample(self, rng: np.random.Generator, count: int) -> StateT:
        """`count` independent start states of the family; consumes `rng`."""
        ...

    def step(self, states: StateT, op: int) -> StateT:
        """The states after operation `op` in 0..3; an operation without effect returns the state itself."""
        ...

    def key(self, states: StateT) -> NDArray[np.uint64]:
        """Integers that are equal exactly if two states of one world are equal."""
        ...

    def take(self, states: StateT, index: NDArray[np.intp]) -> StateT:
        """The states of a batch at `index`, in that order."""
        ...

    def stack(self, states: list[StateT]) -> StateT:
        """Batches of equal length side by side: entry [i, j] is state i of batch j."""
        ...

    def encode(self, states: StateT) -> NDArray[np.uint8]:
        """One-hot data words of 0 and 1, shape (..., word_bits)."""
        ...

    def decode(self, words: NDArray[np.uint8]) -> StateT:
        """The inverse of `encode`; raises InputError on a word that is not a state."""
        ...
