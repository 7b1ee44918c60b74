"""`nhc transfer`: one bad world of several decides the exit code; what is printed and kept."""

import json
from pathlib import Path

import numpy as np
import pytest

from nhc.planning.transfer import Transfer
from tests.cli.command import Command


def transferred(domain: str, mistakes: int) -> Transfer:
    """Stands for minutes of transfer."""
    level, fitness = np.array([1, 2, 3]), np.array([150.0, 150.0 - mistakes, 150.0])
    return Transfer(domain, f"exact {domain}", "plan", level, fitness, {2: 1}, 1_060, mistakes, 2.0)


@pytest.mark.parametrize(("mistakes", "code"), [((0, 0), 0), ((1, 0), 1), ((0, 1), 1), ((3, 4), 1)])
def test_any_mistake_in_any_world_is_told(
    nhc: Command, monkeypatch: pytest.MonkeyPatch, mistakes: tuple[int, ...], code: int
) -> None:
    left = list(mistakes)
    monkeypatch.setattr(
        "nhc.planning.transfer.transfer", lambda computer, domain, **_: transferred(domain.name, left.pop(0))
    )
    monkeypatch.setattr("nhc.runs.figure.save_figure", lambda figure, stem: (stem.with_suffix(".png"), stem))
    worlds = ("free-tree", "stacking")
    done = nhc("transfer", "zoo:plan", "--to", *worlds, "--modules", "exact", "--iterations", "3", "--quiet")
    assert done.code == code
    assert done.err == "Picture: runs/transfer-plan/transfer.png\n"
    rows = [line.split()[:5] for line in done.out.splitlines() if line.startswith(worlds)]
    assert rows == [
        [name, "exact", name, "1,060", str(wrong)] for name, wrong in zip(worlds, mistakes, strict=True)
    ]
    kept = json.loads(Path("runs/transfer-plan/transfer.json").read_text())
    assert [one["mistakes"] for one in kept] == list(mistakes)


def test_a_folder_that_cannot_be_made(nhc: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "nhc.planning.transfer.transfer", lambda computer, domain, **_: transferred(domain.name, 0)
    )
    options = ("--to", "free-tree", "--iterations", "1", "--quiet", "--out", "x" * 300)
    done = nhc("transfer", "zoo:plan", *options)
    assert (done.code, done.error_code) == (1, "storage.write")
