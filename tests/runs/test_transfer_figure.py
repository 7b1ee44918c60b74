"""The picture of a transfer: files that are equal for equal data, worlds drawn as they are."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from nhc.runs.transfer_figure import Panel, _draw_world, draw_transfer

BOARD = "######\n#$ @$#\n######"


def panel(mistakes: bool) -> Panel:
    level = np.repeat(np.arange(1, 6), 7)
    fitness = np.full(35, 120.0)
    fitness[20] -= 3.5 * mistakes
    return Panel("search on stacking", BOARD, level, fitness, 120.0, {3: 2}, "700 samples")


def test_equal_transfers_give_equal_files(tmp_path: Path) -> None:
    written = [
        draw_transfer([panel(bad), panel(False)], tmp_path / name)
        for name, bad in (("a", True), ("b", True), ("c", False))
    ]
    first, again, other = ([path.read_bytes() for path in paths] for paths in written)
    assert first == again
    assert first[0] != other[0] and first[1] != other[1]
    assert first[0].startswith(b"\x89PNG") and b"<svg" in first[1]


def test_boxes_are_not_taken_for_formulas() -> None:
    axes = Figure().add_subplot()
    _draw_world(axes, BOARD)
    (text,) = axes.texts
    assert text.get_text() == BOARD
    assert not text.get_parse_math()
