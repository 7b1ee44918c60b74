"""The picture of a transfer: files that are equal for equal data, worlds drawn as they are."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from nhc.domains.registry import make_domain
from nhc.planning.transfer import example_world
from nhc.runs.board import draw_state
from nhc.runs.figure import new_figure, save_figure
from nhc.runs.transfer_figure import Panel, transfer_figure

BOARD = "######\n#$ @$#\n######"


def panel(mistakes: bool, iterations: int = 7) -> Panel:
    level = np.repeat(np.arange(1, 6), iterations)
    fitness = np.full(len(level), 120.0)
    fitness[20] -= 3.5 * mistakes
    return Panel("search", BOARD, np.eye(4, dtype=np.uint8), level, fitness, 120.0, {3: 2}, "700 samples")


def test_equal_transfers_give_equal_files(tmp_path: Path) -> None:
    written = [
        save_figure(transfer_figure([panel(bad), panel(False)]), tmp_path / name)
        for name, bad in (("a", True), ("b", True), ("c", False))
    ]
    first, again, other = ([path.read_bytes() for path in paths] for paths in written)
    assert first == again
    assert first[0] != other[0] and first[1] != other[1]
    assert first[0].startswith(b"\x89PNG") and b"<svg" in first[1]


def numbers(figure: Figure) -> list[str]:
    """The levels that are named above the first curve."""
    return [text.get_text() for axes in figure.axes for text in axes.texts if text.get_text().isdigit()]


def test_levels_are_named_once_and_where_there_is_room() -> None:
    assert numbers(transfer_figure([panel(False), panel(False)])) == ["1", "2", "3", "4", "5"]
    crowded = panel(False)._replace(level=np.repeat(np.arange(1, 101), 2), fitness=np.full(200, 120.0))
    shown = numbers(transfer_figure([crowded]))
    assert shown[0] == "1" and 10 < len(shown) < 60


def test_a_board_shows_each_box_and_the_agent_by_its_shape() -> None:
    figure = new_figure(1, 1)
    draw_state(figure, BOARD, (10, 10), (10, 10))
    (axes,) = figure.axes
    marks = [(line.get_marker(), line.get_xydata().tolist()) for line in axes.lines]
    assert marks == [("s", [[1.5, 1.5]]), ("o", [[3.5, 1.5]]), ("s", [[4.5, 1.5]])]


def test_other_states_are_text_and_no_formulas() -> None:
    figure = new_figure(1, 1)
    draw_state(figure, "$x$ 2\n3 .", (10, 10), (10, 10))
    (text,) = figure.texts
    assert text.get_text() == "$x$ 2\n3 ." and not text.get_parse_math()


@pytest.mark.parametrize(
    ("world", "shape"),
    [("sokoban-6x6", (6, 24)), ("sokoban-8x8", (8, 32)), ("sliding-3x3", (9, 9)), ("stacking", (13, 6))],
)
def test_a_word_has_a_row_for_each_cell_or_row_of_cells(world: str, shape: tuple[int, int]) -> None:
    state, word = example_world(make_domain(world), 0)
    assert word.shape == shape and "\n" in state


def test_the_same_state_has_another_word_in_another_encoding() -> None:
    (state, word), (same, other) = (
        example_world(make_domain(world), 0) for world in ("sokoban-6x6", "sokoban-permuted")
    )
    assert state == same and word.sum() == other.sum() == 36 and (word != other).any()
