"""The worlds of the page beside Sokoban's boards: the same rules, encodings and runs as the package has."""

import json
from pathlib import Path

import numpy as np
import pytest

import nhc
from nhc.domains.permuted import PermutedSokoban
from nhc.domains.registry import make_domain
from nhc.domains.sokoban import State
from nhc.domains.stacking import Stacking
from nhc.domains.states import picked, plain
from nhc.errors import ConfigError
from nhc.planning.sample import task_of_level
from nhc.tasks.planning import world_task
from nhc.viewer.show import planning_text
from nhc.viewer.traced import traced_task
from tests.computer.machines import zoo
from tests.viewer.browser import Browser
from tests.viewer.conftest import PageMaker

WALKED = """
((text, ops) => {
  const { world, start } = nhc.taskOf(nhc.models[0].algorithm, text);
  let state = start;
  const task = () => JSON.parse(world.write({ start: state, goal: state })).start;
  return ops.map((op) => ((state = world.step(state, op)), [task(), world.encoded?.(state) ?? null]));
})(%s, %s)
"""


@pytest.mark.parametrize("name", ["stacking", "stacking-9", "stacking-2", "sokoban-permuted"])
def test_rules_and_words_are_the_same(name: str, browser: Browser, page_of: PageMaker) -> None:
    browser.open(page_of("search"))
    world, rng = make_domain(name), np.random.default_rng(5)
    ops = rng.integers(4, size=200).tolist()
    for _ in range(3):
        state = plain(picked(world.sample(rng, 1), 0))
        text, wanted = planning_text(world_task(world, state, state, None)), list[object]()
        for op in ops:
            state = plain(world.step(state, op))
            wanted.append([world.state_to_json(state), as_a_board(state)])
        assert browser.value(WALKED % (json.dumps(text), json.dumps(ops))) == wanted


def as_a_board(state: object) -> str | None:
    """The permuted word of a state, its symbols drawn as those of Sokoban that have these bits."""
    if not isinstance(state, State):
        return None
    return "".join("@$# "[number] for number in PermutedSokoban().contents(state))


@pytest.mark.parametrize("name", ["stacking", "sokoban-permuted"])
def test_planning_in_them_is_the_run_of_the_machine(name: str, browser: Browser, tmp_path: Path) -> None:
    task = task_of_level(make_domain(name), 7, seed=2)
    browser.open(nhc.show("zoo:graph-plan", task).save(tmp_path / "page.html"))
    replay, failure = traced_task(zoo("graph-plan"), task, 1000)
    assert not failure and browser.value("nhc.page.runs[0].ending.kind") == "ended"
    made = browser.value("nhc.page.runs[0].ticks.map((t) => [t.op, t.address])")
    assert made == [
        list(pair) for pair in zip(replay.made.op.tolist(), replay.made.read.tolist(), strict=True)
    ]
    assert str(browser.value("nhc.page.runs[0].ending.text")) == replay.ending.capitalize()
    browser.value("nhc.page.go(3)")
    shown = "document.querySelector('.boards').textContent"
    assert ("as memory holds them" in str(browser.value(shown))) == (name == "sokoban-permuted")


def test_what_is_no_arrangement_is_refused(browser: Browser, page_of: PageMaker) -> None:
    browser.open(page_of("search"))
    good = {"places": [[1, 2], [3], [4, 5], []], "held": None}
    for wrong in ({**good, "held": 1}, {**good, "places": [[1, 2, 3, 4], [5], [], []]}, {"places": [[1]]}, 7):
        text = json.dumps({"domain": "stacking", "start": good, "goal": wrong})
        assert browser.value(f"nhc.page.setTask({json.dumps(text)}, {{ tick: 1, node: null }})") is False
        assert "boxes" in str(browser.value("document.querySelector('.fault').textContent"))


def test_worlds_of_ones_own_are_refused() -> None:
    own = type("Own", (Stacking,), {"name": "own"})(3)
    state = own.state_from_json({"places": [[1, 2, 3], [], [], []], "held": None})
    with pytest.raises(ConfigError) as refused:
        planning_text(world_task(own, state, state, None))
    assert refused.value.code == "show.world"
