"""The workflow of the data modules as an SVG picture, written by hand; equal workflows give equal text."""

from collections.abc import Iterator
from xml.sax.saxutils import escape

from nhc.supervised.workflow import BLANK, Board, Workflow

CELL, MARGIN, GAP = 22, 16, 34
BIT, ROW = 7, 15
LABEL = 40
FONT = "DejaVu Sans Mono, Menlo, Consolas, Liberation Mono, monospace"
INK, GRID, MARK, NOTHING = "#1b1b1b", "#9aa0a6", "#e69f00", "#f1f3f4"
FILLS = {"#": "#4a5058", "@": "#9cc9ea", "$": "#f3cf7a", ".": "#f5f2ea"}
"""By sign; others are white."""


def svg_of(flow: Workflow) -> str:
    """A complete document: boards with arrows between them, bit rows below."""
    height = -(-len(flow.boards[0].signs) // flow.columns)
    board_width = max(CELL * flow.columns, 120)
    bits_top = MARGIN + 50 + CELL * height + 20
    lines = list(_bit_lines(flow))
    longest = max(sum(len(group) * BIT + 4 for group in groups) for _, groups in lines)
    across = len(flow.boards) * board_width + (len(flow.boards) - 1) * GAP
    width = 2 * MARGIN + max(across, LABEL + longest)
    total = bits_top + ROW * len(lines) + 34
    verdict = "wrong by the rules: " + ", ".join(flow.faults) if flow.faults else "as the rules have it"
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
    parts.append(_text(MARGIN, total - 12, verdict, 11))
    return "\n".join([*parts, "</svg>"]) + "\n"


def fill_of(sign: str) -> str:
    """The colour of a cell."""
    return NOTHING if sign == BLANK else FILLS.get(sign, "white")


def _board(board: Board, columns: int, left: int, top: int) -> Iterator[str]:
    yield _text(left, top - 10, board.caption, 11)
    for cell, sign in enumerate(board.signs):
        row, column = divmod(cell, columns)
        fill = fill_of(sign)
        x, y = left + CELL * column, top + CELL * row
        place = f'x="{x}" y="{y}" width="{CELL}" height="{CELL}"'
        yield f'<rect {place} fill="{fill}" stroke="{GRID}" stroke-width="0.7"/>'
        if sign not in (BLANK, "#", "."):
            yield _text(x + CELL // 2, y + 16, sign, 13, middle=True)
    for cell in sorted(board.marked):
        row, column = divmod(cell, columns)
        place = f'x="{left + CELL * column + 1}" y="{top + CELL * row + 1}"'
        size = f'width="{CELL - 2}" height="{CELL - 2}"'
        yield f'<rect {place} {size} fill="none" stroke="{MARK}" stroke-width="2"/>'


def _bit_lines(flow: Workflow) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Long rows are folded as the boards are."""
    for name, groups in flow.bits:
        across = 2 * flow.columns if len(groups) > 2 * flow.columns else len(groups)
        for start in range(0, len(groups), across):
            yield (name if start == 0 else ""), groups[start : start + across]


def _bits(name: str, groups: tuple[str, ...], top: int) -> Iterator[str]:
    yield _text(MARGIN, top + 9, name, 10)
    x = MARGIN + LABEL
    for group in groups:
        for bit in group:
            fill = INK if bit == "1" else "white"
            yield f'<rect x="{x}" y="{top}" width="{BIT}" height="10" fill="{fill}" stroke="{GRID}"/>'
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
