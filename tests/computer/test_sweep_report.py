"""The report of docs/suite/sweep.md: what was measured is kept, and told with the lengths it reached."""

import json
import runpy
from dataclasses import replace
from pathlib import Path

import pytest

from nhc.algorithms.registry import ALGORITHMS
from nhc.model import load_model, save_model

ROOT = Path(__file__).resolve().parents[2]
REPORT = runpy.run_path(str(ROOT / "benchmarks" / "sweep.py"))
FEW = REPORT["Part"]("short", "A few lengths", "program", range(1, 11), 3, 100)


def test_lengths_that_were_not_reached_are_named(tmp_path: Path) -> None:
    rows = {name: REPORT["measured"](name, FEW, tmp_path) for name in ("copy", "sort")}
    lines = REPORT["section"](FEW, rows)
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "zoo:" in line[:10]]
    assert [row[:4] for row in cells] == [
        ["`zoo:copy`", "1..10", "30", "0"],
        ["`zoo:sort`", "1..7", "21", "0"],
    ]
    assert [row[4:6] for row in cells] == [["9.6 %", "21"], ["14 %", "88"]]
    assert (
        "\n`sort` reaches length 7: a run of a longer input takes more than the 100 ticks allowed." in lines
    )


def test_what_was_measured_is_kept_unless_more_is_asked_for(tmp_path: Path) -> None:
    found = REPORT["measured"]("copy", FEW, tmp_path)
    assert found == REPORT["measured"]("copy", FEW._replace(inputs=2), tmp_path) and found.each == 3
    assert REPORT["measured"]("copy", FEW._replace(inputs=4), tmp_path).inputs == 40
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy-short-3.json", "copy-short-4.json"]


def test_failures_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_model(tmp_path / "zoo-copy", replace(load_model("zoo:reverse"), algorithm=ALGORITHMS["copy"]))
    monkeypatch.setitem(REPORT["measured"].__globals__, "ZOO_PREFIX", f"{tmp_path}/zoo-")
    row = REPORT["measured"]("copy", FEW, tmp_path / "kept")
    text = "\n".join(REPORT["section"](FEW, {"copy": row}))
    assert row.failures > 20
    assert f"First failure of `copy`: {json.dumps(row.first_failure)}" in text
