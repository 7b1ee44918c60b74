"""What a write leaves in a cell, and when it is made: the options of the write heads.

Gates are open at a value above zero, or always; soft ones open by degrees. Words have two readings of "word
size of 8 bit". `bits`: the signs of the eight linear values replace the word. `real`: the DNC's erase and
add. A soft write leaves M' (1 - w e) + w v in a cell of weight w, with e and v by the same two readings.
"""

from collections.abc import Callable

import jax
import jax.numpy as jnp

from nhc.shapes import Flag, Scalar, Word

GateRule = Callable[[Scalar], Flag]
GateDegree = Callable[[Scalar], Scalar]


def always(value: Scalar) -> Flag:
    """Open, whatever the interface says."""
    return jnp.ones_like(value, dtype=bool)


def learned(value: Scalar) -> Flag:
    """Open at > 0."""
    return value > 0


GATES: dict[str, GateRule] = {"always": always, "learned": learned}


SOFT_GATES: dict[str, GateDegree] = {"always": jnp.ones_like, "learned": jax.nn.sigmoid}
"""How far a gate is open, in 0..1; a learned one by more than a half where the hard gate is open."""

WordCode = Callable[[Word, Word, Word], Word]
"""(old word, erase values, word values) -> the word that is written; old is zero in a new cell."""


def sign_word(old: Word, erase: Word, values: Word) -> Word:
    """M_j = 1 if v_j > 0 else -1."""
    del old, erase
    return jnp.where(values > 0, 1.0, -1.0)


def real_word(old: Word, erase: Word, values: Word) -> Word:
    """M_j = M'_j (1 - sigmoid(e_j)) + v_j, as in Graves et al. 2016."""
    return old * (1.0 - jax.nn.sigmoid(erase)) + values


WORD_CODES: dict[str, WordCode] = {"bits": sign_word, "real": real_word}


EraseAndAdd = Callable[[Word, Word], tuple[Word, Word]]
"""(erase values, word values) -> e, what a write takes away in 0..1, and v, what it adds."""


def sign_parts(erase: Word, values: Word) -> tuple[Word, Word]:
    """e_j = 1 and v_j = ±1: at weight 1 the signs replace the word."""
    return jnp.ones_like(erase), sign_word(erase, erase, values)


def real_parts(erase: Word, values: Word) -> tuple[Word, Word]:
    """e = sigmoid of the erase values, v as it is."""
    return jax.nn.sigmoid(erase), values


ERASE_AND_ADD: dict[str, EraseAndAdd] = {"bits": sign_parts, "real": real_parts}
