"""One state on its way through the data modules, as boards and bit rows: the paper's Figure 6.

As text, and as an SVG picture written by hand; equal workflows give equal text.

The word d_m, the local view d_f of Transform_D, the local change d_a of the ALU, and the word d_o with the
change inserted by Output, all by the learned networks; marks tell where the rules say otherwise.
"""

import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

import numpy as np

from nhc.data.networks import Networks
from nhc.domains.local import FiniteWorld, WordForm, direction_of, views_of
from nhc.domains.protocol import NOP, OPS, StateT
from nhc.runs.palette import AGENT, BOX, COLOURS, FAINT, FLOOR, INK, NOTHING, WALL
from nhc.supervised.check.plain import (
    Change,
    alu_change,
    alu_logits,
    change_bits,
    output_contents,
    output_logits,
    view_logits,
)

SIGNS = {"agent": "@", "box": "$", "wall": "#", "empty": ".", "hole": "_"}
"""Of symbols by name; others show the last character of their name."""
BEYOND = "x"
BLANK = " "
SPACE = "    "
"""Between boards in text."""

CELL, MARGIN, GAP = 22, 16, 34
BIT, ROW = 7, 15
LABEL = 40
FONT = "DejaVu Sans Mono, Menlo, Consolas, Liberation Mono, monospace"
FILLS = {"#": WALL, "@": AGENT, "$": BOX, ".": FLOOR, BLANK: NOTHING}
"""By sign; others are white."""


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

    @property
    def verdict(self) -> str:
        """Do the rules agree?"""
        return f"wrong by the rules: {', '.join(self.faults)}" if self.faults else "as the rules have it"

    @property
    def height(self) -> int:
        """Rows of a board."""
        return -(-len(self.boards[0].signs) // self.columns)

    def bit_lines(self, across: int) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Bit rows with their names, long ones folded to `across` groups a line."""
        for name, found in self.bits:
            width = across if len(found) > 2 * self.columns else len(found)
            for start in range(0, len(found), width):
                yield name if start == 0 else "", found[start : start + width]


def workflow(
    world: FiniteWorld[StateT], networks: Networks, state: StateT, op: int, columns: int
) -> Workflow:
    """The way of a single state, or of a batch of one; all six networks have to be there."""
    form = world.form
    states = world.decode(np.atleast_2d(world.encode(state)))
    contents = world.contents(states)
    ops = np.array([op])
    cells = np.asarray(world.cells_in_view(contents))[0]
    view = view_logits(networks, form, contents).argmax(axis=2).astype(np.uint8)
    change = alu_change(form, ops, view, *alu_logits(networks, form, ops, view))
    gate, places = output_logits(networks, form, change, contents)
    result = output_contents(form, gate, places, change.after, contents)
    wanted = contents if op == NOP else world.contents(world.step(states, op))
    changed, after = world.act(view, ops)
    exact = Change(np.asarray(changed), direction_of(ops), np.asarray(after))
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
        "Transform_D": bool((view == views_of(world, contents)).all()),
        "ALU": all(same),
        "the result": bool((result == wanted).all()),
    }
    faults = tuple(name for name, right in checks.items() if not right)
    return Workflow(f"{world.name}, {OPS[op]}", columns, boards, bits, faults)


def columns_of(world: FiniteWorld[StateT]) -> int:
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
    widths = [max(2 * flow.columns - 1, len(board.caption)) for board in flow.boards]
    rows = [[board.caption for board in flow.boards]]
    for start in range(0, flow.height * flow.columns, flow.columns):
        rows.append([" ".join(board.signs[start : start + flow.columns]) for board in flow.boards])
    boards = [
        SPACE.join(part.ljust(width) for part, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    bits = [f"{name:<5}" + " ".join(found) for name, found in flow.bit_lines(flow.columns)]
    return "\n".join([flow.title, "", *boards, "", *bits, "", flow.verdict])


def svg_of(flow: Workflow) -> str:
    """A complete document: boards with arrows between them, bit rows below."""
    height = flow.height
    board_width = max(CELL * flow.columns, 120)
    bits_top = MARGIN + 50 + CELL * height + 20
    lines = list(flow.bit_lines(2 * flow.columns))
    longest = max(sum(len(group) * BIT + 4 for group in groups) for _, groups in lines)
    across = len(flow.boards) * board_width + (len(flow.boards) - 1) * GAP
    width = 2 * MARGIN + max(across, LABEL + longest)
    total = bits_top + ROW * len(lines) + 34
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{total}" '
        f'viewBox="0 0 {width} {total}" font-family="{FONT}" role="img">',
        f"<title>{escape(flow.title)}</title>",
        f'<rect width="{width}" height="{total}" fill="white"/>',
        _text(MARGIN, MARGIN + 8, flow.title, 13, bold=True),
    ]
    for number, board in enumerate(flow.boards):
        left = MARGIN + number * (board_width + GAP)
        parts += _board(board, flow.columns, left, MARGIN + 46)
        if number:
            parts.append(_arrow(left - GAP + 6, left - 8, MARGIN + 46 + CELL * height // 2))
    for number, (name, groups) in enumerate(lines):
        parts += _bits(name, groups, bits_top + ROW * number)
    parts.append(_text(MARGIN, total - 12, flow.verdict, 11))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _board(board: Board, columns: int, left: int, top: int) -> Iterator[str]:
    yield _text(left, top - 10, board.caption, 11)
    for cell, sign in enumerate(board.signs):
        row, column = divmod(cell, columns)
        x, y = left + CELL * column, top + CELL * row
        place = f'x="{x}" y="{y}" width="{CELL}" height="{CELL}"'
        yield f'<rect {place} fill="{FILLS.get(sign, "white")}" stroke="{FAINT}" stroke-width="0.7"/>'
        if sign not in (BLANK, "#", "."):
            yield _text(x + CELL // 2, y + 16, sign, 13, middle=True)
    for cell in sorted(board.marked):
        row, column = divmod(cell, columns)
        place = f'x="{left + CELL * column + 1}" y="{top + CELL * row + 1}"'
        size = f'width="{CELL - 2}" height="{CELL - 2}"'
        yield f'<rect {place} {size} fill="none" stroke="{COLOURS[1]}" stroke-width="2"/>'


def _bits(name: str, groups: tuple[str, ...], top: int) -> Iterator[str]:
    yield _text(MARGIN, top + 9, name, 10)
    x = MARGIN + LABEL
    for group in groups:
        for bit in group:
            fill = INK if bit == "1" else "white"
            yield f'<rect x="{x}" y="{top}" width="{BIT}" height="10" fill="{fill}" stroke="{FAINT}"/>'
            x += BIT
        x += 4


def _arrow(start: int, end: int, y: int) -> str:
    return (
        f'<path d="M{start} {y}H{end}m-5 -4l5 4l-5 4" fill="none" stroke="{INK}" stroke-width="1.3" '
        'stroke-linejoin="round"/>'
    )


def _text(x: int, y: int, text: str, size: int, *, bold: bool = False, middle: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    anchor = ' text-anchor="middle"' if middle else ""
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{INK}"{weight}{anchor}>{escape(text)}</text>'
