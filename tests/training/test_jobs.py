"""The picture of several runs has the levels that the runs had."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from nhc.training import jobs
from nhc.training.config import run_config
from nhc.training.jobs import Job, draw_jobs

STEM = Path("picture")


@pytest.mark.parametrize(("sampling", "levels"), [("exact", 21), ("sampled", 22)])
def test_the_picture_has_a_bar_for_each_level_and_no_more(
    sampling: str, levels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only sampled training has a last level that draws from all."""
    shown: list[dict] = []

    def drawn(groups: object, **options: object) -> tuple[Path, Path]:
        shown.append({"groups": groups, **options})
        return STEM, STEM

    kept = SimpleNamespace(metrics=SimpleNamespace(read=lambda: ["records"]))
    monkeypatch.setattr(jobs, "draw_seeds", drawn)
    monkeypatch.setattr(jobs, "RunDirectory", SimpleNamespace(open=lambda path: kept))
    config = run_config("plan", overrides={"sampling": sampling})
    assert draw_jobs([Job(config, Path("run"), resume=False, overwrite=False)] * 2, STEM) == (STEM, STEM)
    assert [(one["groups"], one["levels"]) for one in shown] == [({"plan": [["records"]] * 2}, levels)]
