"""The picture of several runs has the levels that the runs had."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from matplotlib.figure import Figure

from nhc.training import jobs
from nhc.training.config import run_config
from nhc.training.jobs import Job, draw_jobs
from tests.runs.samples import long_run

STEM = Path("picture")


@pytest.mark.parametrize(("sampling", "levels"), [("exact", 21), ("sampled", 22)])
def test_the_picture_has_a_bar_for_each_level_and_no_more(
    sampling: str, levels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only sampled training has a last level that draws from all."""
    shown: list[Figure] = []

    def saved(figure: Figure, stem: Path) -> tuple[Path, Path]:
        shown.append(figure)
        return stem, stem

    kept = SimpleNamespace(metrics=SimpleNamespace(read=lambda: long_run(levels=2, lesson=3, perfect=2)))
    monkeypatch.setattr(jobs, "save_figure", saved)
    monkeypatch.setattr(jobs, "RunDirectory", SimpleNamespace(open=lambda path: kept))
    config = run_config("plan", overrides={"sampling": sampling})
    assert draw_jobs([Job(config, Path("run"), resume=False, overwrite=False)] * 2, STEM) == (STEM, STEM)
    (figure,) = shown
    learning, solved = figure.axes
    assert len(solved.patches) == levels and sum(bar.get_height() for bar in solved.patches) == 4
    assert [bar.get_height() for bar in learning.patches][:3] == [3, 3, 0]
