"""One state on its way through the data modules, as boards and bit rows: the paper's Figure 6.

The word d_m, the local view d_f of Transform_D, the local change d_a of the ALU, and the word d_o with the
change inserted by Output, all by the learned networks; marks tell where the rules say otherwise.
"""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np

from nhc.domains.local import LocalStateT, LocalWorld, Numbers, WordForm, view_of
from nhc.domains.protocol import NOP, OPS
from nhc.supervised.check.plain import (
    Change,
    Networks,
    alu_change,
    alu_logits,
    change_bits,
    output_contents,
    output_logits,
    unchanged,
    view_logits,
)

SIGNS = {"agent": "@", "box": "$", "wall": "#", "empty": ".", "hole": "_"}
"""Of symbols by name; others show the last character of their name."""
BEYOND = "x"
BLANK = " "
GAP = "    "


class Board(NamedTuple):
    """A caption and a sign a cell; `marked` cells are what the stage is about."""

    caption: str
    signs: tuple[str, ...]
    marked: frozenset[int]


class BitRow(NamedTuple):
    """A name and groups of bits."""

    name: str
    groups: tuple[str, ...]


class Workflow(NamedTuple):
    """What is drawn."""

    title: str
    columns: int
    """Cells in a row of a board."""
    boards: tuple[Board, ...]
    bits: tuple[BitRow, ...]
    faults: tuple[str, ...]
    """What differs from the rules; empty if nothing does."""


def workflow(
    world: LocalWorld[LocalStateT], networks: Networks, state: LocalStateT, op: int, columns: int
) -> Workflow:
    """The way of a single state, or of a batch of one; all six networks have to be there."""
    form = world.form
    states = world.decode(np.atleast_2d(world.encode(state)))
    contents = world.contents(states)
    ops = np.array([op])
    numbers = cast(Numbers, contents)
    cells = np.asarray(world.cells_in_view(numbers))[0]
    exact_view = np.asarray(view_of(form, numbers, world.cells_in_view(numbers))).astype(np.uint8)
    view = view_logits(networks, form, contents).argmax(axis=2).astype(np.uint8)
    change = alu_change(form, ops, view, *alu_logits(networks, form, ops, view))
    gate, places = output_logits(networks, form, change, contents)
    result = output_contents(form, gate, places, change.after, contents)
    wanted = contents if op == NOP else world.contents(world.step(states, op))
    changed, after = world.act(cast(Numbers, view), cast(Numbers, ops))
    exact = Change(np.asarray(changed), unchanged(form, ops, view).direction, np.asarray(after))
    changing = cells[list(form.reach[int(change.direction[0])])]
    new = frozenset(int(cell) for cell in places[0].argmax(axis=1) if gate[0] > 0 and cell < form.cells)
    boards = (
        Board("word d_m", signs_of(form, contents[0]), frozenset()),
        Board("local view d_f", placed(form, cells, view[0]), seen(cells)),
        Board("local change d_a", placed(form, changing, change.after[0]), seen(changing)),
        Board("inserted d_o", signs_of(form, result[0]), new),
    )
    bits = (
        BitRow("d_m", groups(contents[0], len(form.symbols))),
        BitRow("d_f", groups(view[0], form.view_symbols)),
        BitRow("c_a", (f"{int(change.changed[0])}",)),
        BitRow("d_a", change_groups(form, change)),
        BitRow("c_o", (f"{int(gate[0] > 0)}",)),
        BitRow("d_o", groups(result[0], len(form.symbols))),
    )
    same = [bool((np.asarray(a) == np.asarray(b)).all()) for a, b in zip(change, exact, strict=True)]
    checks = {
        "Transform_D": bool((view == exact_view).all()),
        "ALU": all(same),
        "the result": bool((result == wanted).all()),
    }
    faults = tuple(name for name, right in checks.items() if not right)
    return Workflow(f"{world.name}, {OPS[op]}", columns, boards, bits, faults)


def columns_of(world: LocalWorld[LocalStateT]) -> int:
    """Cells in a row: from the world's name, else a square, else one row."""
    named = re.search(r"(\d+)x(\d+)", world.name)
    cells = world.form.cells
    if named is not None and int(named[1]) * int(named[2]) == cells:
        return int(named[1])
    side = math.isqrt(cells)
    return side if side * side == cells else cells


def signs_of(form: WordForm, symbols: Sequence[int] | np.ndarray) -> tuple[str, ...]:
    """A sign for each symbol."""
    signs = [SIGNS.get(name, name[-1]) for name in form.symbols]
    return tuple(signs[symbol] if symbol < len(signs) else BEYOND for symbol in symbols)


def placed(form: WordForm, cells: np.ndarray, symbols: np.ndarray) -> tuple[str, ...]:
    """A board with the symbols in the given cells and nothing elsewhere."""
    board = [BLANK] * form.cells
    for cell, sign in zip(cells.tolist(), signs_of(form, symbols), strict=True):
        if cell >= 0:
            board[cell] = sign
    return tuple(board)


def seen(cells: np.ndarray) -> frozenset[int]:
    """The cells that exist."""
    return frozenset(cell for cell in cells.tolist() if cell >= 0)


def groups(symbols: np.ndarray, width: int) -> tuple[str, ...]:
    """One-hot groups as text."""
    return tuple("".join("1" if bit == symbol else "0" for bit in range(width)) for symbol in symbols)


def change_groups(form: WordForm, change: Change) -> tuple[str, ...]:
    """Direction, then a group a slot."""
    bits = "".join(map(str, change_bits(form, change)[0, :-1].tolist()))
    rest = [bits[start : start + form.view_symbols] for start in range(4, len(bits), form.view_symbols)]
    return (bits[:4], *rest)


def text_of(flow: Workflow) -> str:
    """Boards side by side, then the bits."""
    height = -(-len(flow.boards[0].signs) // flow.columns)
    widths = [max(2 * flow.columns - 1, len(board.caption)) for board in flow.boards]
    lines = [flow.title, ""]
    captions = zip(flow.boards, widths, strict=True)
    lines.append(GAP.join(board.caption.ljust(width) for board, width in captions).rstrip())
    for row in range(height):
        parts = []
        for board, width in zip(flow.boards, widths, strict=True):
            signs = board.signs[row * flow.columns : (row + 1) * flow.columns]
            parts.append(" ".join(signs).ljust(width))
        lines.append(GAP.join(parts).rstrip())
    lines.append("")
    for bit_row in flow.bits:
        across = flow.columns if len(bit_row.groups) > 2 * flow.columns else len(bit_row.groups)
        for start in range(0, len(bit_row.groups), across):
            name = bit_row.name if start == 0 else ""
            lines.append(f"{name:<5}" + " ".join(bit_row.groups[start : start + across]))
    verdict = f"wrong by the rules: {', '.join(flow.faults)}" if flow.faults else "as the rules have it"
    return "\n".join([*lines, "", verdict])
