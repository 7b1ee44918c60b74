"""The exact data modules of Sokoban: what the learned ones must become, for boards of any size.

The paper, section "Data-dependent Modules", with our reading of what it leaves open: the view is the
agent's cell and the two next cells in each direction, cells beyond the board's edge are walls, and the
change is a direction and the three cells along it. Each function is written for one word and mapped over
leading axes.
"""

from functools import lru_cache, partial
from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Int, UInt8
from numpy.typing import NDArray

from nhc.domains.sokoban.board import Board
from nhc.domains.sokoban.encoding import AGENT, BOX, EMPTY, SYMBOLS, WALL, word_bits
from nhc.domains.sokoban.local import SLOTS, slot_table

BITS = len(SYMBOLS)
VIEW_BITS = SLOTS * BITS


class _Tables(NamedTuple):
    """Where the parts of a view lie, for every cell the agent can stand on; built once a board."""

    slots: NDArray[np.int32]
    """[cell, slot] -> cell in view: agent, up 1, up 2, right 1, ..., left 2; -1 if off the board."""

    bits: NDArray[np.int32]
    """[cell, view bit] -> bit of the word; past the word's end if off the board."""

    beyond: NDArray[np.uint8]
    """[cell, view bit] -> 1 for the wall bits of slots off the board."""


@lru_cache(maxsize=64)
def _tables(board: Board) -> _Tables:
    slots = slot_table(board)
    off = slots[:, :, None] < 0
    bits = np.where(off, word_bits(board), BITS * slots[:, :, None] + np.arange(BITS))
    beyond = off & (np.arange(BITS) == WALL)
    return _Tables(
        slots,
        bits.astype(np.int32).reshape(board.cells, VIEW_BITS),
        beyond.astype(np.uint8).reshape(board.cells, VIEW_BITS),
    )


class ExactSokoban(eqx.Module):
    """Input, Transform_D, ALU and Output of Sokoban by rule, for every board of the given size.

    Implements `nhc.data.protocol.DataModules`. It has no arrays, so it is hashable and may be a static
    argument; the words must hold exactly one agent.
    """

    board: Board = eqx.field(static=True)

    @property
    def name(self) -> str:
        """`exact sokoban-WIDTHxHEIGHT`."""
        return f"exact sokoban-{self.board.width}x{self.board.height}"

    @property
    def word_bits(self) -> int:
        """Length of a data word."""
        return word_bits(self.board)

    def equal(self, left: UInt8[Array, "*b word"], right: UInt8[Array, "*b word"]) -> Bool[Array, "*b"]:
        """Input: are the two configurations the same?"""
        return jnp.all(left == right, axis=-1)

    def view(self, word: UInt8[Array, "*b word"]) -> UInt8[Array, "*b view"]:
        """Transform_D: nine cells of four bits: agent, up 1, up 2, right 1, ..., left 2."""
        view: Array = jnp.vectorize(partial(_view, _tables(self.board)), signature="(w)->(v)")(word)
        return view

    def alu(
        self, op: Int[Array, "*b"], view: UInt8[Array, "*b view"]
    ) -> tuple[Bool[Array, "*b"], UInt8[Array, "*b change"]]:
        """ALU: does the operation change anything, and the direction (four bits) and three cells after it.

        `nop` (4) changes nothing and looks up. Without a change the three cells are those of the view.
        """
        changed, change = jnp.vectorize(_alu, signature="(),(v)->(),(c)")(op, view)
        return changed, change

    def insert(
        self, changed: Bool[Array, "*b"], change: UInt8[Array, "*b change"], word: UInt8[Array, "*b word"]
    ) -> UInt8[Array, "*b word"]:
        """Output: the word with the three cells put at the agent and the two cells in the direction.

        Cells beyond the board's edge are dropped. Without a change the word returns as it is.
        """
        insert = partial(_insert, _tables(self.board))
        result: Array = jnp.vectorize(insert, signature="(),(c),(w)->(w)")(changed, change, word)
        return result


def _agent_cell(word: UInt8[Array, " word"]) -> Int[Array, ""]:
    return jnp.argmax(word[AGENT::BITS])


def _view(tables: _Tables, word: UInt8[Array, " word"]) -> UInt8[Array, " view"]:
    cell = _agent_cell(word)
    seen = word.at[jnp.asarray(tables.bits)[cell]].get(mode="fill", fill_value=0)
    return seen | jnp.asarray(tables.beyond)[cell]


def _alu(op: Int[Array, ""], view: UInt8[Array, " view"]) -> tuple[Bool[Array, ""], UInt8[Array, " change"]]:
    symbols = jnp.eye(BITS, dtype=jnp.uint8)
    direction = jnp.where(op < 4, op, 0)
    cells = view.reshape(SLOTS, BITS)
    here, first, second = cells[0], cells[1 + 2 * direction], cells[2 + 2 * direction]
    pushes = (first[BOX] == 1) & (second[EMPTY] == 1) & (op < 4)
    moves = pushes | ((first[EMPTY] == 1) & (op < 4))
    change = jnp.concatenate(
        [
            (jnp.arange(4) == direction).astype(jnp.uint8),
            jnp.where(moves, symbols[EMPTY], here),
            jnp.where(moves, symbols[AGENT], first),
            jnp.where(pushes, symbols[BOX], second),
        ]
    )
    return moves, change


def _insert(
    tables: _Tables, changed: Bool[Array, ""], change: UInt8[Array, " change"], word: UInt8[Array, " word"]
) -> UInt8[Array, " word"]:
    """Three comparisons over the whole word, which fuse into one loop, instead of a scatter."""
    direction = jnp.argmax(change[:4])
    slots = jnp.asarray(tables.slots)[_agent_cell(word)]
    contents = change[4:].reshape(3, BITS)
    result = word.reshape(-1, BITS)
    numbers = jnp.arange(result.shape[0])[:, None]
    for slot, content in zip((0, 1 + 2 * direction, 2 + 2 * direction), contents, strict=True):
        result = jnp.where(changed & (numbers == slots[slot]), content[None, :], result)
    return result.reshape(-1)
