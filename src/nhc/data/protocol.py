"""The data half of the machine as a protocol: Input's equality, Transform_D, ALU and Output.

The paper, section "Data-dependent Modules". Exact and learned modules both implement it; the algorithmic
half never sees a data word. All functions are pure, traceable by JAX and accept leading batch axes.
"""

from typing import Protocol, runtime_checkable

from jaxtyping import Array, Bool, Int, UInt8


@runtime_checkable
class DataModules(Protocol):
    """Functions on encoded words; words, views and changes are arrays of the integers 0 and 1."""

    @property
    def name(self) -> str:
        """What the modules are, for example `exact sokoban-6x6`."""
        ...

    @property
    def word_bits(self) -> int:
        """Length of a data word."""
        ...

    def equal(self, left: UInt8[Array, "*b word"], right: UInt8[Array, "*b word"]) -> Bool[Array, "*b"]:
        """Input: are the two configurations the same?  I_e in the paper."""
        ...

    def view(self, word: UInt8[Array, "*b word"]) -> UInt8[Array, "*b view"]:
        """Transform_D: d_m -> d_f, the part of the word an operation can look at or change."""
        ...

    def alu(
        self, op: Int[Array, "*b"], view: UInt8[Array, "*b view"]
    ) -> tuple[Bool[Array, "*b"], UInt8[Array, "*b change"]]:
        """ALU: (c_f, d_f) -> (c_a, d_a), whether the operation changes anything, and the local change."""
        ...

    def insert(
        self, changed: Bool[Array, "*b"], change: UInt8[Array, "*b change"], word: UInt8[Array, "*b word"]
    ) -> UInt8[Array, "*b word"]:
        """Output: (c_a, d_a, d_m) -> d_o, the word with the change inserted where it belongs."""
        ...
