"""The slider over a run's weights: other machines on the same task, held against the trained one."""

import json
from itertools import count
from pathlib import Path

import numpy as np
import pytest

import nhc
from nhc.cli.show_command import run
from nhc.computer.hosted import execute
from nhc.errors import ConfigError
from nhc.model import Model, save_model
from nhc.runs.arrays import save_arrays
from nhc.runs.directory import RunDirectory
from nhc.training.learning import KIND, Mark
from tests.computer.machines import zoo
from tests.viewer.browser import Browser
from tests.viewer.test_page import SETTLED, TICK
from tests.viewer.test_show_command import written

MARKS = (Mark(3, 2, 1, 0), Mark(9, 7, 2, 0), Mark(12, 8, 5, 0))


@pytest.fixture
def run_directory(tmp_path: Path) -> Path:
    """A run that learned to copy; by the way it duplicated, then did as in the end."""
    path, copy, other = tmp_path / "run", zoo("copy"), zoo("duplicate")
    directory = RunDirectory.create(path, {"seed": 0}, {})
    save_model(path / "model.safetensors", copy)
    ways = [dict(model.parameters.named_blocks(model.config)) for model in (other, copy, copy)]
    ways[1] = {name: array * np.float32(1.25) for name, array in ways[1].items()}
    stacked = {name: np.stack([way[name] for way in ways]) for name in ways[0]}
    metadata = {"kind": KIND, "fields": list(Mark._fields), "marks": [list(mark) for mark in MARKS]}
    save_arrays(directory.learning_file, stacked, metadata)
    return path


def test_a_stage_runs_on_the_task_and_says_where_it_differs(
    run_directory: Path, browser: Browser, tmp_path: Path
) -> None:
    page = nhc.show(run_directory, "abcd").save(tmp_path / "page.html")
    copy, other = zoo("copy"), zoo("duplicate")
    runs = [
        execute(model, (1, 2, 3, 4), keep=True).trace
        for model in (copy, Model(other.parameters, other.config, copy.algorithm, {}))
    ]
    assert runs[0] is not None and runs[1] is not None
    pairs = [list(zip(made.op.tolist(), made.read.tolist(), strict=True)) for made in runs]
    wanted = next(t for t in count(1) if pairs[0][t - 1] != pairs[1][t - 1])
    browser.open(page)
    shown = "document.querySelector('#learning').textContent"
    assert "the trained machine" in str(browser.value(shown))
    browser.value("document.documentElement.dataset.ready = ''; 1")
    browser.press("[")
    browser.wait_for(SETTLED)
    assert browser.value("nhc.page.runs[0].ticks.map((t) => [t.op, t.address])") == [[*p] for p in pairs[0]]
    assert "after 5 updates, at level 2It does here what" in str(browser.value(shown))
    browser.press("[")
    browser.wait_for(f"{shown}.includes('before any update, at level 1')")
    first = len(pairs[1])
    made = browser.value(f"nhc.page.runs[0].ticks.slice(0, {first}).map((t) => [t.op, t.address])")
    assert made == [[*p] for p in pairs[1]]
    browser.click("#learning .difference button")
    assert browser.value(TICK) == wanted
    browser.wait_for("location.hash.includes('learned=0')")
    link = str(browser.value("location.hash"))
    browser.press("]")
    browser.press("]")
    assert browser.value("nhc.page.stage") == 2
    assert browser.value("document.querySelector('.program h3') !== null"), (
        "the trained machine has a program"
    )
    browser.open(page, link)
    assert browser.value(f"[nhc.page.stage, {TICK}]") == [0, wanted]


def test_the_directory_of_a_run_is_shown(run_directory: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert run([str(run_directory), "abc", "--out", str(page)]) == 0
    (machine,) = json.loads(json.dumps(written(page)["machines"]))
    assert [(each["updates"], each["level"]) for each in machine["learning"]] == [(0, 1), (5, 2)]
    weights = machine["blocks"][0]["weights"].rstrip("=")
    assert len(machine["learning"][0]["weights"]) > len(weights)
    assert run([str(run_directory), "abc", "--beside", "zoo:copy", "--out", str(page)]) == 0
    (run_directory / "learning.safetensors").unlink()
    assert run([str(run_directory), "abc", "--out", str(page)]) == 0
    assert "learning" not in json.dumps(written(page)["machines"])
    with pytest.raises(ConfigError) as refused:
        run([str(tmp_path), "--out", str(page)])
    assert refused.value.code == "run.missing"
