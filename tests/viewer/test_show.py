"""What `nhc.show`, `nhc.program_of` and the pictures give to a notebook."""

import html
import re
from pathlib import Path

import pytest

import nhc
from nhc.cli.program_command import run as print_program
from nhc.viewer.show import EXAMPLE
from tests.computer.machines import hand_made
from tests.viewer.browser import Browser
from tests.viewer.test_show_command import written


def refused(*arguments: object, **options: object) -> str:
    with pytest.raises(nhc.NhcError) as caught:
        nhc.show(*arguments, **options)
    return caught.value.code


def test_a_task_is_an_object_a_text_or_a_file(tmp_path: Path) -> None:
    page = tmp_path / "page.html"

    def task_of(model: object, task: object = None) -> object:
        assert nhc.show(model, task).save(str(page)) == page
        return written(page)["task"]

    level = "#####\n#@$.#\n#####"
    (tmp_path / "level.xsb").write_text(level)
    (tmp_path / "input.txt").write_text("([])")
    planner = nhc.load_model("zoo:plan")
    given = nhc.read_task(tmp_path / "level.xsb")
    found = {str(task_of(planner, task)) for task in (given, level, tmp_path / "level.xsb")}
    assert found == {level} and task_of("zoo:plan", str(tmp_path / "level.xsb")) == level
    assert task_of("zoo:search") == EXAMPLE
    assert task_of("zoo:plan", '{"domain": "free-tree", "start": 0, "goal": 9}') != EXAMPLE
    assert task_of("zoo:brackets", tmp_path / "input.txt") == task_of("zoo:brackets", "([])") == "([])"


def test_models_are_named() -> None:
    planner = nhc.load_model("zoo:plan")
    both = nhc.show(planner, beside="zoo:plan").html
    assert f'"name":"plan {planner.hash[:8]}"' in both and '"name":"zoo:plan"' in both
    assert refused("zoo:copy", beside="zoo:plan") == "show.beside"
    assert refused("zoo:copy", nhc.task_between(nhc.make_domain("free-tree"), 0, 9)) == "show.task"
    assert refused("zoo:plan", "missing.xsb") == "task.file"
    assert refused("zoo:brackets", "(x)") == "input.sign"


def test_a_notebook_runs_the_page_in_a_frame(browser: Browser, tmp_path: Path) -> None:
    shown = nhc.show("zoo:reverse", 'a"<&b')
    markup = shown._repr_html_()
    found = re.search(r'srcdoc="([^"]*)"', markup)
    assert found and html.unescape(found[1]) == shown.html
    assert len(repr(shown)) < 100, "a page is not printed"
    outer = tmp_path / "outer.html"
    assert 'sandbox="allow-scripts"' in markup  # It is closed to a notebook; here we want to look into it.
    outer.write_text(f"<!doctype html>{markup.replace('sandbox=', 'data-closed=')}")
    browser.open(outer, document="document.querySelector('iframe')?.contentDocument")


def test_a_program_is_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("zoo:plan", "zoo:reverse"):
        for minimize in (True, False):
            assert print_program([name, *["--minimize"] * minimize]) == 0
            program = nhc.program_of(nhc.load_model(name), minimize=minimize)
            assert str(program) == repr(program) == capsys.readouterr().out
            shown = program._repr_html_()
            assert ("<svg" in shown) == (name == "zoo:plan")
            assert html.escape(program.text) in shown


def test_what_is_not_proved_has_no_program() -> None:
    with pytest.raises(nhc.NhcError) as caught:
        nhc.program_of(hand_made("plan", "stops at 2"))
    assert caught.value.code == "program.unproved" and "goal node 9, tick 9" in str(caught.value)
