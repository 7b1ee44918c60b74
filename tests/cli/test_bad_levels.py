"""Level files that cannot be used, with their codes; and odd ones that can, all as the same task."""

import json
from pathlib import Path

import pytest

from nhc.certify.prove import Undecided
from nhc.planning.solution import Ending, Solution
from tests.cli.command import Command

ROWS = ["######", "#@$ .#", "#    #", "######"]
LEVEL = "\n".join(ROWS) + "\n"
WIDER = LEVEL.replace("\n", "#\n")


def changed(row: int, text: str) -> str:
    """The level with another row."""
    return "\n".join([*ROWS[:row], text, *ROWS[row + 1 :]]) + "\n"


REFUSED = {
    "no player": (changed(1, "# $ .#"), "xsb.no_player", ":1 (level 1)"),
    "two players": (changed(2, "# @  #"), "xsb.players", ":3:3 (level 1)"),
    "more boxes than goals": (changed(2, "#  $ #"), "xsb.goals", ":1 (level 1)"),
    "more goals than boxes": (changed(2, "#  . #"), "xsb.goals", ":1 (level 1)"),
    "open walls": (changed(2, "#     "), "xsb.open", ":3:6 (level 1)"),
    "a tab": (changed(2, "#\t #"), "xsb.tab", ":3:2 (level 1)"),
    "an unknown character": (changed(2, "# ?  #"), "xsb.character", ":3:3 (level 1)"),
    "nothing": ("", "xsb.empty", ": "),
    "blank lines": ("\n \n", "xsb.empty", ": "),
    "words": ("Once upon a time\n", "xsb.empty", ": "),
    "UTF-16": ("\ufeff" + LEVEL, "xsb.encoding", ":1:1: "),
    "another size of the goal": (
        f"{LEVEL}Goal:\n{LEVEL.replace(chr(10), '#' + chr(10))}",
        "task.size_differs",
        ":6:1",
    ),
    "other boxes in the goal": (f"{LEVEL}Goal:\n{changed(2, '#  $ #')}", "task.boxes_differ", ":6:1"),
    "JSON without a goal": ('{"domain": "free-tree", "start": 0}', "task.json", ": "),
    "JSON that breaks off": ('{"domain":', "task.json", ":1:"),
    "JSON of an unknown world": ('{"domain": "chess", "start": 0, "goal": 1}', "task.domain", ": "),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_is_no_task_is_refused_with_its_place(nhc: Command, tmp_path: Path, name: str) -> None:
    text, code, place = REFUSED[name]
    path = tmp_path / "level.xsb"
    path.write_text(text, encoding="utf-16-le" if name == "UTF-16" else "utf-8", newline="")
    before = path.read_bytes()
    done = nhc("solve", "zoo:plan", path, "--json")
    assert (done.code, done.out, done.error_code) == (2, "", code)
    assert done.err.startswith(f"error: {path}{place}")
    assert done.err.count("\n") == 1
    assert path.read_bytes() == before


ACCEPTED = {
    "plain": LEVEL.encode(),
    "CRLF": LEVEL.replace("\n", "\r\n").encode(),
    "CR": LEVEL.replace("\n", "\r").encode(),
    "byte order mark": b"\xef\xbb\xbf" + LEVEL.encode(),
    "no final newline": LEVEL.rstrip("\n").encode(),
    "blanks at the end": changed(3, "######   ").encode(),
    "indented": "\n".join("   " + row for row in ROWS).encode(),
    "blank lines around": f"\n\n{LEVEL}\n\n".encode(),
    "floor as signs": LEVEL.replace("#    #", "#-_--#").encode(),
}


@pytest.fixture
def unsolved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading is what is tested: no machine runs, and none is proved."""
    monkeypatch.setattr("nhc.certify.prove.prove", lambda model: Undecided("not asked"))
    monkeypatch.setattr("nhc.planning.solve.solve", lambda *_, **__: Solution(Ending.BUDGET_EXHAUSTED, 1))


@pytest.mark.parametrize("name", ACCEPTED)
def test_odd_files_are_the_same_task(nhc: Command, tmp_path: Path, name: str, unsolved: None) -> None:
    ids = set()
    for content in (ACCEPTED["plain"], ACCEPTED[name]):
        (tmp_path / "level.xsb").write_bytes(content)
        done = nhc("solve", "zoo:plan", tmp_path / "level.xsb", "--json")
        assert (done.code, done.error_code) == (1, None)
        assert "warning" not in done.err
        ids.add(done.data[0]["task"])
    assert len(ids) == 1


def test_ragged_rows_are_filled_with_floor(nhc: Command, tmp_path: Path, unsolved: None) -> None:
    """Walls that end early belong to the board all the same."""
    full = "#######\n#@$ . #\n#   ###\n#####  \n"
    ids = set()
    for text in (full, full.replace("  \n", "\n"), full.replace("  \n", " \n")):
        (tmp_path / "level.xsb").write_text(text)
        ids.add(nhc("solve", "zoo:plan", tmp_path / "level.xsb", "--json").data[0]["task"])
    assert len(ids) == 1


@pytest.mark.parametrize("number", [0, -1, 2])
def test_a_level_that_the_file_does_not_have(nhc: Command, tmp_path: Path, number: int) -> None:
    (tmp_path / "level.xsb").write_text(LEVEL)
    done = nhc("solve", "zoo:plan", tmp_path / "level.xsb", "--level", number)
    assert (done.code, done.error_code) == (2, "task.level")
    assert f"from 1 to 1, found {number}" in done.err


@pytest.mark.parametrize("name", ["none.xsb", "."])
def test_a_file_that_cannot_be_read(nhc: Command, name: str) -> None:
    done = nhc("solve", "zoo:plan", name)
    assert (done.code, done.out, done.error_code) == (2, "", "task.file")


def test_options_that_accept_more(nhc: Command, tmp_path: Path, unsolved: None) -> None:
    """What they accept is told."""
    path = tmp_path / "level.xsb"
    for text, option, code in (
        (REFUSED["open walls"][0], "--close-border", "xsb.open"),
        (REFUSED["more goals than boxes"][0], "--allow-extra-goals", "xsb.goals"),
    ):
        path.write_text(text)
        assert nhc("solve", "zoo:plan", path).error_code == code
        done = nhc("solve", "zoo:plan", path, option)
        assert done.code == 1
        assert "warning: " in done.err and f"[{code}]" in done.err
    path.write_text("XXXXXX\nX@* .X\nX    X\nXXXXXX\n")
    refused = nhc("solve", "zoo:plan", path)
    assert refused.code == 2 and "`dos`" in refused.err
    done = nhc("solve", "zoo:plan", path, "--legend", "dos", "--json")
    path.write_text(LEVEL)
    assert json.loads(done.out)["task"] == nhc("solve", "zoo:plan", path, "--json").data[0]["task"]
