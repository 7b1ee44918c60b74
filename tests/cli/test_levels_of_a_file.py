"""All levels of a file by graph search: what is told of each while the others wait."""

from pathlib import Path

import pytest

from nhc.cli import solve_graph
from nhc.cli.main import run
from nhc.cli.parse import counted

LEVELS = "; one\n\n#####\n#@$.#\n#####\n\n; two\n\n######\n#@ $.#\n#    #\n######\n"


def test_each_level_is_told_when_it_has_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = list[solve_graph.Attempt]()
    monkeypatch.setattr(solve_graph, "report", lambda options, attempts: kept.extend(attempts))
    path = tmp_path / "levels.sok"
    path.write_text(LEVELS)
    assert run(["solve", "zoo:graph-plan", str(path), "--level", "all"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line.rpartition(",")[0] for line in lines[-2:]] == [
        "1 one: solved, 1 move",
        "2 two: solved, 2 moves",
    ]
    assert [one.answer.explored for one in kept] == [None, None], "their graphs are given back"


def test_nouns_in_the_plural() -> None:
    assert [counted(number, "push") for number in (1, 2)] == ["1 push", "2 pushes"]
    assert [counted(number, "move") for number in (0, 1_000)] == ["0 moves", "1,000 moves"]
