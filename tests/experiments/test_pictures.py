"""Pictures: they exist in both forms, show something, and are equal for equal data."""

import re
from collections.abc import Callable
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest

from nhc.experiments.descriptions.examples import draw_behaviour
from nhc.experiments.figures import draw_ladder, draw_levels, draw_modules, module_places
from nhc.experiments.job import Record

BEHAVIOUR: Record = {
    "goal": 6,
    "op": [0, 1, 2, 3, 0, 1, 4, 4, 4],
    "read": [0, 0, 0, 0, 1, 1, 6, 1, 0],
    "met": [False] * 6 + [True] * 3,
    "winner": [0, 0, 0, 0, 1, 0, 3, 4, 4],
    "shares": np.full((9, 5), 0.2).tolist(),
    "boards": ["###\n#$#\n#@#"] * 9,
}
PICTURES: dict[str, Callable[[Path], Path]] = {
    "behaviour": lambda stem: draw_behaviour(BEHAVIOUR, stem),
    "modules": lambda stem: draw_modules(
        {"with": {"a\nalu": [(3_000, True), (5_000, False)]}, "without": {"a\nalu": [(9_000, True)]}},
        stem=stem,
    ),
    "ladder": lambda stem: draw_ladder({"x": [(3, 15), (82_656, 330_631)]}, paper=330_631, stem=stem),
    "levels": lambda stem: draw_levels(
        {"a": [(30, 4), (90, 2)], "b": [(50, 1)]}, levels=3, title="t", stem=stem
    ),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_shows_something(name: str, tmp_path: Path) -> None:
    png, again = (PICTURES[name](tmp_path / stem) for stem in ("one", "two"))
    svg = png.with_suffix(".svg")
    assert png.read_bytes() == again.read_bytes()
    assert svg.read_bytes() == again.with_suffix(".svg").read_bytes()
    pixels = matplotlib.image.imread(png)
    assert min(pixels.shape[:2]) > 300
    assert 0.002 < (pixels[..., :3].min(axis=2) < 0.9).mean() < 0.7
    assert svg.read_text().rstrip().endswith("</svg>")


def test_worlds_stand_apart() -> None:
    assert module_places(["a\nx", "a\ny", "b\nx", "b\ny", "c\nx"]) == pytest.approx([0, 1, 2.6, 3.6, 5.2])


def test_a_run_that_did_not_end_well_is_hollow_and_says_how_far_it_came(tmp_path: Path) -> None:
    picture = draw_levels({"a": [(30, 4), (90, 2), (90, 2)]}, levels=3, title="t", stem=tmp_path / "levels")
    texts = re.findall(">([^<]*)</text>", picture.with_suffix(".svg").read_text())
    assert "2 ×2" in texts and "4" not in texts and "a (3)" in texts
