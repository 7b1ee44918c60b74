"""The learning curve shows what the records say."""

import itertools
import threading
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from nhc.errors import InputError, StorageError
from nhc.runs.curve import curve_figure, pieces
from nhc.runs.figure import COLOURS, level_colour, lighten, save_figure
from nhc.runs.history import History, history
from tests.runs.samples import Record, long_run, records

EVENTS = ["learn", "perfect", "solve", "restart"]


def slow_segments(run: History, chosen: list[bool]) -> set[tuple[int, int]]:
    """Pairs of neighbours that must be joined in the colour of the later one."""
    return {(i - 1, i) for i in range(1, len(chosen)) if chosen[i] and not run.restarted[i - 1]}


@given(st.lists(st.tuples(st.sampled_from(EVENTS), st.booleans()), min_size=1, max_size=12))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_pieces_join_the_right_neighbours(script: list[tuple[str, bool]]) -> None:
    run = history(records([(1, float(i), event) for i, (event, _) in enumerate(script)]))
    chosen = np.array([choice for _, choice in script])
    x, y = pieces(run, chosen)
    # Fitness is the index, so segments can be read off the line.
    assert np.array_equal(np.isnan(x), np.isnan(y))
    np.testing.assert_array_equal(x[~np.isnan(x)], y[~np.isnan(y)] + 1)
    ends = [(int(a), int(b)) for a, b in itertools.pairwise(y) if not np.isnan(a + b)]
    assert len(ends) == len(set(ends))
    assert set(ends) == slow_segments(run, chosen.tolist())


def draw(lines: list[Record], stem: Path, maximum: float = 150) -> tuple[Path, Path]:
    figure = curve_figure(lines, maximum=maximum, ticks_per_level={1: 6, 2: 11}, title="Plan")
    return save_figure(figure, stem)


def pixels_of(path: Path) -> NDArray[np.int64]:
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"), dtype=np.int64)


def near(path: Path, colour: tuple[float, float, float]) -> int:
    """How many pixels have this colour."""
    return int(np.sum(np.abs(pixels_of(path) - np.round(255 * np.array(colour))).max(axis=-1) <= 4))


def test_strong_where_it_learned_and_light_where_not(tmp_path: Path) -> None:
    # Fitness goes up and down so densely that the line fills an area; only the event differs.
    learned, perfect = (
        draw(records([(2, 30.0, event), (2, 140.0, event)] * 400), tmp_path / event)[0]
        for event in ("learn", "perfect")
    )
    strong, light = level_colour(2), lighten(level_colour(2))
    assert near(learned, strong) > 100_000 and near(learned, light) < 5_000
    assert near(perfect, light) > 100_000 and near(perfect, strong) < 5_000


def test_each_level_its_colour(tmp_path: Path) -> None:
    script = [(level, 40.0 * level, "learn") for level in (1, 2, 3) for _ in range(9)]
    png, _ = draw(records(script), tmp_path / "levels")
    assert all(near(png, colour) > 100 for colour in COLOURS[:3])
    assert near(png, COLOURS[3]) == 0


def test_texts_and_marks(tmp_path: Path) -> None:
    quiet = records([(1, 10.0, "learn")] * 5 + [(1, 150.0, "perfect")] * 5)
    solved = records([(1, 10.0, "learn")] * 5 + [(1, 150.0, "perfect")] * 4 + [(1, 150.0, "solve")])
    restarted = records([(1, 10.0, "learn")] * 5 + [(1, 9.0, "restart")] + [(1, 150.0, "perfect")] * 4)
    drawn = {
        name: draw(lines, tmp_path / name)[1].read_text()
        for name, lines in (("quiet", quiet), ("solved", solved), ("restarted", restarted))
    }
    for text in drawn.values():
        for words in ("Plan", "iteration", "fitness", "level", "ticks", "learning", "maximum fitness"):
            assert f">{words}</text>" in text
    assert ">restart</text>" in drawn["restarted"]
    assert ">restart</text>" not in drawn["solved"]
    solid = level_colour(1)
    rows = {name: column_count(tmp_path / f"{name}.png", solid) for name in drawn}
    assert rows["solved"] == rows["quiet"] + 1


def column_count(path: Path, colour: tuple[float, float, float]) -> int:
    """How many groups of columns hold a long vertical line in this colour."""
    hits = np.abs(pixels_of(path) - np.round(255 * np.array(colour))).max(axis=-1) <= 80
    tall = hits.sum(axis=0) > 150
    return int(np.sum(tall[1:] & ~tall[:-1]))


def test_svg_is_sound_and_both_files_repeat(tmp_path: Path) -> None:
    lines = long_run(levels=4, lesson=11, perfect=7)
    first = draw(lines, tmp_path / "first")
    with matplotlib.rc_context({"axes.labelcolor": "red", "svg.hashsalt": None, "font.size": 20}):
        second = draw(lines, tmp_path / "second")
    for one, two in zip(first, second, strict=True):
        assert one.read_bytes() == two.read_bytes()
    text = first[1].read_text()
    assert ET.fromstring(text).tag.endswith("svg")
    assert "<dc:date>" not in text and str(tmp_path) not in text


def test_settings_of_the_user_stay(tmp_path: Path) -> None:
    before = dict(matplotlib.rcParams)
    draw(records([(1, 10.0, "learn")]), tmp_path / "one")
    assert dict(matplotlib.rcParams) == before


def test_a_long_run_is_quick_and_small(tmp_path: Path) -> None:
    lines = long_run(levels=22, lesson=659, perfect=250)
    lines[0]["restarted"] = True
    start = time.process_time()
    png, svg = draw(lines[:20_000], tmp_path / "long")
    assert time.process_time() - start < 5
    with Image.open(png) as image:
        assert image.size == (1440, 640)
    assert svg.stat().st_size < 1_500_000


def test_it_works_outside_the_main_thread(tmp_path: Path) -> None:
    thread = threading.Thread(target=draw, args=(records([(1, 5.0, "learn")] * 3), tmp_path / "thread"))
    thread.start()
    thread.join()
    assert (tmp_path / "thread.svg").exists()


def test_faults(tmp_path: Path) -> None:
    with pytest.raises(InputError) as empty:
        draw([], tmp_path / "empty")
    assert empty.value.code == "run.empty"
    with pytest.raises(StorageError):
        draw(records([(1, 5.0, "learn")]), tmp_path / "missing" / "curve")
    assert list(tmp_path.iterdir()) == []


def test_neighbouring_levels_and_shades_differ() -> None:
    for level in range(1, 22):
        strong, following = np.array(level_colour(level)), np.array(level_colour(level + 1))
        assert np.abs(strong - following).max() > 0.3
        assert np.abs(strong - np.array(lighten(level_colour(level)))).max() > 0.3
    assert lighten((0.0, 0.5, 1.0), 0.25) == (0.25, 0.625, 1.0)
