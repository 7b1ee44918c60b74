"""The suite: its table from made-up runs, and a folder of real ones that is gone on with."""

from pathlib import Path

import pytest

from nhc.errors import ConfigError
from nhc.experiments.suite import COLUMNS, RECORDS, REPORT, Row, report, run_suite, suite_jobs, trained_on
from nhc.training.keeping import Summary


def summary(seed: int, learned: int, wall: float, *, mastered: bool, certified: bool = False) -> Summary:
    return Summary("sort", seed, mastered, 3, learned + 4, learned, 0, 1000, wall, "x/model", certified)


RUNS = (
    summary(0, 40, 2.0, mastered=True),
    summary(1, 700, 9.0, mastered=False),
    summary(2, 1200, 4.5, mastered=True, certified=True),
    summary(4, 95, 3.0, mastered=False, certified=True),
)


def test_a_row_counts_what_was_learned_and_what_was_proved() -> None:
    cells = dict(zip(COLUMNS, Row("sort", RUNS, proofs=True).cells(), strict=True))
    assert cells["mastered"] == "3 of 4"
    assert cells["proved"] == "2 of 4"
    assert cells["learning iterations"] == "95 (40 to 1,200)"
    assert cells["median seconds"] == "3.8"
    assert Row("sort", RUNS, proofs=False).cells()[3] == "not tried"
    assert Row("sort", RUNS[1:2], proofs=True).cells()[2:5] == ("0 of 1", "0 of 1", "-")


def test_what_was_trained_on_is_counted() -> None:
    assert trained_on("hanoi") == "5 tasks of at most 68 ticks"
    # 1! + ... + 5! orders; 6 ticks of input, 6 passes of 8 ticks that read, write or stop.
    assert trained_on("sort") == "153 tasks of at most 54 ticks"


def test_the_report_has_a_line_for_each_algorithm() -> None:
    text = report([Row("sort", RUNS, proofs=True), Row("copy", RUNS[:1], proofs=True)])
    rows = [line.split(" | ")[0] for line in text.splitlines() if line.startswith("| ")]
    assert rows == ["| algorithm", "| ---", "| sort", "| copy"]
    assert "Seeds 0, 1, 2, 4." in text


def test_a_suite_is_gone_on_with_and_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="expected one of"):
        suite_jobs(["nothing"], [0], tmp_path)
    jobs = suite_jobs(["reverse"], [3], tmp_path, budget=2)
    [row] = run_suite(jobs, tmp_path, 1, lambda done: None)
    assert (row.algorithm, row.runs[0].seed, row.runs[0].iterations, row.learned) == ("reverse", 3, 2, [])
    kept = (tmp_path / "reverse-seed3" / "meta.json").stat().st_mtime_ns
    assert run_suite(jobs, tmp_path, 1, lambda done: None) == [row]
    assert (tmp_path / "reverse-seed3" / "meta.json").stat().st_mtime_ns == kept
    assert (tmp_path / RECORDS).read_text().count("\n") == 1
    assert "| reverse | 10 tasks" in (tmp_path / REPORT).read_text()
