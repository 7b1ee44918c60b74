"""`nhc show`: which page it writes for which options."""

import json
import re
from pathlib import Path

import pytest

from nhc.cli.show_command import run
from nhc.errors import ConfigError, InputError
from nhc.viewer.show import EXAMPLE

LEVEL = "#####\n#@$.#\n#####\n"


def written(path: Path) -> dict[str, object]:
    """What a page carries."""
    found = re.search(
        r'<script type="application/json" id="data">(.*?)</script>', path.read_text(), re.DOTALL
    )
    assert found
    data = json.loads(found[1])
    assert isinstance(data, dict)
    return data


def test_an_example_is_shown_without_a_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["zoo:plan"]) == 0
    assert written(tmp_path / "plan.html")["task"] == EXAMPLE
    assert run(["zoo:postfix", "--out", "p.html"]) == 0
    assert written(tmp_path / "p.html")["task"] == "3 4 + 2 *"


def test_tasks_are_those_of_the_other_commands(tmp_path: Path) -> None:
    page, level, goals = tmp_path / "page.html", tmp_path / "level.xsb", tmp_path / "list.txt"
    level.write_text(f"Title: </script>\n{LEVEL}")
    goals.write_text("one\ntwo\n")
    out = ["--out", str(page)]
    assert run(["zoo:plan", str(level), *out]) == 0
    assert written(page)["task"] == LEVEL.rstrip()
    assert run(["zoo:search", "--sample", "node=9", "--domain", "free-tree", *out]) == 0
    assert written(page)["task"] == '{"domain": "free-tree", "start": 0, "goal": 9}'
    assert run(["zoo:reverse", "a b", *out]) == 0
    assert written(page)["task"] == '"a b"', "one argument is taken sign by sign"
    assert run(["zoo:reverse", "a", "b", *out]) == 0
    assert written(page)["task"] == "a b"
    assert run(["zoo:reverse", "--file", str(goals), *out]) == 0
    assert written(page)["task"] == "one two"


def test_two_machines(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert run(["zoo:copy", "abc", "--beside", "zoo:copy", "--out", str(page)]) == 0
    machines = written(page)["machines"]
    assert isinstance(machines, list)
    with pytest.raises(ConfigError) as refused:
        run(["zoo:copy", "--beside", "zoo:reverse", "--out", str(page)])
    assert refused.value.code == "show.beside"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["zoo:plan", "a.xsb", "b.xsb"], "show.task"),
        (["zoo:plan", "a.xsb", "--sample", "level=2"], "show.task"),
        (["zoo:copy", "--sample", "level=2"], "show.task"),
        (["zoo:plan", "missing.xsb"], "task.file"),
        (["zoo:brackets", "(x)"], "input.sign"),
    ],
)
def test_faults(arguments: list[str], code: str, tmp_path: Path) -> None:
    with pytest.raises((ConfigError, InputError)) as refused:
        run([*arguments, "--out", str(tmp_path / "page.html")])
    assert refused.value.code == code
    assert [*tmp_path.iterdir()] == []
