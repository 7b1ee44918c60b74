"""Pictures of runs: the tree that ticks have grown, and frames around the mechanisms that won."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.colors import same_color
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from nhc.algorithms.tree.nodes import child, parent, path
from nhc.machine.layout import MECHANISMS
from nhc.runs.behaviour import ARROWS, Behaviour, Tree, tree_of
from nhc.runs.behaviour_figure import BACK, SEARCH, attention_figure, behaviour_figure, fits
from nhc.runs.figure import COLUMN_MM, MM, WIDTH
from nhc.runs.tree_figure import _places, tree_figure

NARROW = COLUMN_MM[1] * MM


def searched(goal: int) -> tuple[np.ndarray, ...]:
    """Operations, cells read and written, and goal met, of a right run to a goal."""
    way = path(goal)
    op = [*(node % 4 for node in range(goal)), *([4] * len(way))]
    read = [*(node // 4 for node in range(goal)), *way]
    ticks = len(op)
    return np.array(op), np.array(read), np.arange(ticks), np.arange(ticks) >= goal


@pytest.mark.parametrize("goal", [1, 6, 11, 47])
def test_the_tree_of_a_right_run_is_the_numbered_tree(goal: int) -> None:
    tree = tree_of(*searched(goal))
    assert tree.parent == {node: parent(node) for node in range(1, goal + 1)}
    assert all(child(tree.parent[node], op) == node for node, op in tree.op.items())
    assert tree.goal == goal and tree.way == path(goal)
    assert sorted(node for row in tree.levels() for node in row) == list(range(goal + 1))


def test_a_tick_that_wrote_nothing_makes_no_node() -> None:
    op, read, written, met = searched(6)
    written[3] = -1
    assert sorted(tree_of(op, read, written, met).parent) == [1, 2, 4, 5, 6]
    assert tree_of(op, read, written, np.zeros_like(met)).way == []


def test_leaves_stand_side_by_side_and_parents_over_the_middle() -> None:
    tree = tree_of(*searched(6))
    place = _places(tree, tree.levels())
    assert [place[node] for node in (5, 6, 2, 3, 4)] == [0, 1, 2, 3, 4]
    assert place[1] == 0.5 and place[0] == pytest.approx((0.5 + 2 + 3 + 4) / 4)


def behaviour(goal: int) -> Behaviour:
    op, read, _, met = searched(goal)
    winner = np.where(met, 4, 0)
    winner[4] = 1
    shares = np.full((len(op), len(MECHANISMS)), 0.2)
    return Behaviour(op, read, winner, shares, met, ["###\n#@#\n###"] * len(op), ARROWS)


def frames(figure: Figure) -> list[tuple[int, int, int, tuple[float, ...]]]:
    """First and last tick, mechanism and colour of each frame."""
    found = []
    for patch in (patch for axes in figure.axes for patch in axes.patches):
        if isinstance(patch, Rectangle) and not patch.get_fill():
            first, last = patch.get_x() + 0.5, patch.get_x() + patch.get_width() - 0.5
            row = round(patch.get_y() + patch.get_height() / 2)
            found.append((round(first), round(last), row, patch.get_edgecolor()))
    return found


@pytest.mark.parametrize("width", [NARROW, WIDTH])
def test_frames_are_around_the_winners_of_each_phase(width: float) -> None:
    run = behaviour(6)
    found = frames(attention_figure(run, width=width))
    assert [frame[:3] for frame in found] == [(1, 4, 0), (5, 5, 1), (6, 6, 0), (7, 9, 4)]
    assert [same_color(frame[3], SEARCH) for frame in found] == [True, True, True, False]
    assert same_color(found[-1][3], BACK)
    assert frames(behaviour_figure(run, tree_of(*searched(6)), width=width)) == found
    assert frames(attention_figure(replace(run, first=11), width=width))[1][:3] == (15, 15, 1)


@pytest.mark.parametrize("width", [NARROW, WIDTH])
def test_all_text_is_inside_the_picture(width: float) -> None:
    run = replace(behaviour(6), ops=("move right", "back", "x", "hold", "nop"), words=["word"] * 9)
    tree = tree_of(*searched(6))
    for figure in (
        behaviour_figure(run, tree, "title", width=width),
        behaviour_figure(behaviour(11), width=width),
        attention_figure(behaviour(40), width=width),
        tree_figure(tree, width=width),
        tree_figure(tree_of(*searched(300)), width=width),
    ):
        assert figure.get_figwidth() == width
        room = figure.bbox.padded(1.0)
        renderer = figure.canvas.get_renderer()
        texts = [*figure.texts, *(text for axes in figure.axes for text in axes.texts)]
        texts += [label for axes in figure.axes if axes.axison for label in axes.get_yticklabels()]
        for text in texts:
            box = text.get_window_extent(renderer)
            inside = room.containsx(box.x0) and room.containsx(box.x1)
            assert inside and room.containsy(box.y0) and room.containsy(box.y1), text.get_text()


def test_a_long_run_has_no_column_for_each_tick() -> None:
    assert fits(14, width=NARROW) and fits(49) and not fits(60) and not fits(30, width=NARROW)


def test_a_start_alone_is_a_tree() -> None:
    assert Tree({}, {}, None).levels() == [[0]]
    assert tree_figure(Tree({}, {}, None)).axes


def test_a_frame_ends_with_its_phase() -> None:
    run = behaviour(6)
    found = frames(attention_figure(replace(run, winner=np.zeros_like(run.winner))))
    assert [frame[:3] for frame in found] == [(1, 6, 0), (7, 9, 0)]
