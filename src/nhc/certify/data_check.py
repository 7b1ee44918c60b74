"""The exact data modules against the rules, on every state of a finite family and every operation.

Label *exhaustive*. The modules are compiled functions on data words; the rules are plain integers. Together
with the proof of the control this makes the whole computer right on every task of the family, as far as the
processor computes as it did in this run.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Int, UInt8

from nhc.data.registry import exact_modules
from nhc.domains.protocol import NOP
from nhc.domains.registry import any_domain
from nhc.domains.sokoban.rules import Board
from nhc.domains.sokoban.world import Sokoban
from nhc.domains.states import regrouped

ROWS = 1 << 15


class DataCheck(NamedTuple):
    """What an exhaustive check found."""

    domain: str
    states: int
    expected_states: int
    """By formula."""
    cases: int
    """States times operations, `nop` among them."""
    errors: int
    """Cases in which the composition is wrong, and states whose word does not decode to them."""
    modules: str = "exact data modules"
    """What was checked."""
    words: str = "no two states share a data word"
    """What is known about equality."""
    evidence: str = ""
    """How, where it was not by running everything just now."""
    label: str = "exhaustive"
    """Of the claim, if it holds."""

    @property
    def whole(self) -> str:
        """The evidence of a claim about whole tasks; its label is this one's, the weakest of its parts."""
        together = "the claims above together"
        return together if self.label == "proved" else f"{together}; of the data modules: {self.found}"

    @property
    def found(self) -> str:
        """How it is known, in a few words."""
        return self.evidence or f"{self.cases:,} cases, {self.errors} errors"

    @property
    def passed(self) -> bool:
        """Was the whole family seen, without an error?"""
        return self.errors == 0 and self.states == self.expected_states


def check_exact_modules(board: Board, on_progress: Callable[[float], None] = lambda share: None) -> DataCheck:
    """Compare Transform_D, ALU and Output in a row with the rules, on the whole family of a board."""
    domain = Sokoban(board)
    modules, expected = exact_modules(any_domain(domain)), domain.family_size

    @jax.jit
    def composed(op: Int[Array, ""], word: UInt8[Array, "rows word"]) -> UInt8[Array, "rows word"]:
        changed, change = modules.alu(jnp.full(word.shape[0], op), modules.view(word))
        return modules.insert(changed, change, word)

    states, errors = 0, 0
    for part in regrouped(domain.family_states(), ROWS):
        words = domain.encode(part)
        # Input compares words bit by bit; that equal words are equal states is what is to be checked.
        back = domain.decode(words)
        same = [np.asarray(found) == np.asarray(kept) for found, kept in zip(back, part, strict=True)]
        errors += int((~np.all(same, axis=0)).sum())
        padded = np.zeros((ROWS, domain.word_bits), np.uint8)
        padded[: len(words)] = words
        for op in range(NOP + 1):
            found = np.asarray(composed(jnp.int32(op), jnp.asarray(padded)))[: len(words)]
            wanted = words if op == NOP else domain.encode(domain.step(part, op))
            errors += int((found != wanted).any(axis=1).sum())
        states += len(words)
        on_progress(states / expected)
    return DataCheck(domain.name, states, expected, states * (NOP + 1), errors)
