"""The picture of several seeds counts right."""

import statistics
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from nhc.errors import InputError
from nhc.runs.figure import COLUMN_MM, MM, save_figure
from nhc.runs.seeds_figure import Outcome, outcome, seeds_figure, summarise
from tests.runs.samples import long_run, records

LEVELS = 4
steps = st.tuples(
    st.integers(1, LEVELS), st.just(10.0), st.sampled_from(["learn", "perfect", "solve", "restart"])
)


@given(st.lists(st.lists(steps, min_size=1, max_size=12), min_size=1, max_size=5))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_counts_match_a_loop(scripts: list[list[tuple[int, float, str]]]) -> None:
    found = summarise([outcome(records(script), LEVELS) for script in scripts])
    assert found.runs == len(scripts)
    for level in range(1, LEVELS + 1):
        counts = [sum(step[0] == level and step[2] == "learn" for step in script) for script in scripts]
        solved = [any(step[0] == level and step[2] == "solve" for step in script) for script in scripts]
        deviation = statistics.stdev(counts) if len(counts) > 1 else 0.0
        assert found.mean[level - 1] == pytest.approx(statistics.mean(counts))
        assert found.deviation[level - 1] == pytest.approx(deviation)
        assert found.triggered[level - 1] == sum(count > 0 for count in counts)
        assert found.solved[level - 1] == sum(solved)


def test_picture(tmp_path: Path) -> None:
    search = [long_run(levels=3, lesson=lesson, perfect=5) for lesson in (7, 9, 11)]
    plan = [long_run(levels=2, lesson=20, perfect=5)]
    groups = {
        name: [outcome(run, LEVELS) for run in runs] for name, runs in (("Search", search), ("Plan", plan))
    }
    png, svg = save_figure(seeds_figure(groups, "Both"), tmp_path / "seeds")
    text = svg.read_text()
    for words in (
        "Both",
        "Search (3 runs)",
        "Plan (1 run)",
        "level",
        "runs that solved",
        "learning iterations",
    ):
        assert f">{words}</text>" in text
    with Image.open(png) as image:
        assert np.asarray(image.convert("L")).min() == 0
    again = save_figure(seeds_figure(groups, "Both"), tmp_path / "again")
    assert [path.read_bytes() for path in again] == [png.read_bytes(), svg.read_bytes()]


@pytest.mark.parametrize(("levels", "code"), [(2, "run.damaged"), (3, None)])
def test_levels_beyond_the_last_are_refused(levels: int, code: str | None) -> None:
    run = long_run(levels=3, lesson=2, perfect=2)
    if code is None:
        assert summarise([outcome(run, levels)]).solved.tolist() == [1, 1, 1]
    else:
        with pytest.raises(InputError) as caught:
            outcome(run, levels)
        assert caught.value.code == code


def test_nothing_to_draw() -> None:
    cases: list[dict[str, list[Outcome]]] = [{}, {"Plan": []}]
    for groups in cases:
        with pytest.raises(InputError) as caught:
            seeds_figure(groups)
        assert caught.value.code == "run.empty"
    with pytest.raises(InputError) as caught:
        outcome([], 3)
    assert caught.value.code == "run.empty"


@pytest.mark.parametrize("columns", COLUMN_MM)
def test_notes_and_legend_are_inside_the_picture(columns: int) -> None:
    runs = [outcome(long_run(levels=3, lesson=7, perfect=5), LEVELS)] * 12
    names = ("with everything", "without anything", "in between")
    figure = seeds_figure(dict.fromkeys(names, runs), width=COLUMN_MM[columns] * MM)
    renderer = FigureCanvasAgg(figure).get_renderer()
    for part in (*figure.texts, *figure.legends):
        box = part.get_window_extent(renderer)
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= figure.bbox.x1, part
