"""The page as a person uses it: keys, links, stops, tasks of one's own, phones, and what must not happen."""

import json
import re
from importlib import resources
from pathlib import Path

import pytest

from nhc.computer.hosted import execute
from nhc.model import Model
from nhc.viewer.machine_json import machine_json
from nhc.viewer.page import page_html
from nhc.zoo import zoo_names
from tests.computer.machines import zoo
from tests.viewer.browser import Browser
from tests.viewer.conftest import PageMaker

TICK = "nhc.page.tick"
SHOWN = """
(async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  for (let k = 0; k < 3; k++) await frame();
  return document.getElementById("machines").innerHTML.replace(/ transform="[^"]*"/g, "");
})()
"""
"""All that is drawn, without where the tree was panned to, once views have the sizes that they ask for."""
SETTLED = "document.documentElement.dataset.ready === 'true'"


def set_task(browser: Browser, text: str) -> None:
    """Give the page another task and wait for the end of its run."""
    browser.value("document.documentElement.dataset.ready = ''; 1")
    browser.value(f"nhc.page.setTask({json.dumps(text)}, {{ tick: 1, node: null }})")
    browser.wait_for(SETTLED)


def test_keys_step_jump_and_play(browser: Browser, page_of: PageMaker) -> None:
    browser.open(page_of("plan"))
    seen = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "End", "ArrowRight", "Home", "ArrowLeft", "n", "p"):
        browser.press(key)
        seen.append(browser.value(TICK))
    last = browser.value("nhc.page.length")
    assert seen == [2, 3, 2, last, last, 1, 1, 49, 1]
    for key in "/17":
        browser.press(key)
    browser.press("Enter")
    assert browser.value(TICK) == 17
    for key in "/n20":
        browser.press(key)
    browser.press("Enter")
    assert browser.value("[nhc.page.tick, nhc.page.selected]") == [21, 20]
    browser.press(" ")
    browser.wait_for(f"{TICK} > 22")
    browser.press(" ")
    assert browser.value("nhc.page.timer") is None


@pytest.mark.parametrize("name", ["plan", "graph-plan", "postfix"])
def test_jumping_shows_what_stepping_shows(name: str, browser: Browser, page_of: PageMaker) -> None:
    browser.open(page_of(name))
    last = browser.value("nhc.page.length")
    assert isinstance(last, int)
    stepped = []
    for _ in range(last):
        stepped.append(browser.value(SHOWN))
        browser.press("ArrowRight")
    assert len({*stepped}) == last
    for tick in (last, 1, last // 2, 2, last - 1):
        browser.value(f"nhc.page.go({tick})")
        assert browser.value(SHOWN) == stepped[tick - 1], tick
        browser.press("ArrowLeft")
        assert browser.value(SHOWN) == stepped[max(0, tick - 2)], tick


def test_the_tree_has_the_nodes_of_the_run(browser: Browser, page_of: PageMaker) -> None:
    browser.open(page_of("plan"))
    for tick in (1, 2, 17, 48, 49, 52):
        browser.value(f"nhc.page.go({tick})")
        nodes = browser.value("document.querySelectorAll('svg.tree g.node').length")
        assert nodes == min(tick, 49), "one node a tick, until the goal is seen"
    text = browser.value("document.querySelector('.ending').textContent")
    assert text == "Plan: → ↓ ←"


def test_far_branches_fold_and_count_their_nodes(browser: Browser, page_of: PageMaker) -> None:
    browser.open(page_of("plan"))
    set_task(browser, '{"domain": "free-tree", "start": 0, "goal": 3000}')
    browser.value("nhc.page.go(2500)")
    assert int(str(browser.value("document.querySelectorAll('svg.tree g.node').length"))) < 200
    folded = browser.value(
        "[...document.querySelectorAll('.fold-count')].reduce((sum, t) => sum + Number(t.textContent), 0)"
    )
    shown = browser.value("document.querySelectorAll('svg.tree g.node').length")
    assert int(str(folded)) + int(str(shown)) == 2500


def test_a_link_restores_task_and_tick(browser: Browser, page_of: PageMaker) -> None:
    page = page_of("brackets")
    browser.open(page, "#task=%5B%5B%5D%5D&tick=4")
    assert browser.value("[nhc.page.text, nhc.page.tick]") == ["[[]]", 4]
    browser.press("ArrowRight")
    browser.wait_for("location.hash.includes('tick=5')")
    browser.open(page, str(browser.value("location.hash")))
    assert browser.value("[nhc.page.text, nhc.page.tick]") == ["[[]]", 5]
    browser.open(page, "#task=nonsense&tick=2")
    assert browser.value("nhc.page.text") == "([]{})", "what cannot be read leaves the page's own task"


def test_stops(browser: Browser, page_of: PageMaker) -> None:
    browser.open(page_of("plan"))
    met = browser.value("nhc.page.runs[0].metAt")
    browser.press("n")
    assert browser.value(TICK) == met, "where the goal is seen"
    browser.value("Object.assign(nhc.page.wanted, { signals: false, word: 'DONE' }); nhc.page.go(1)")
    browser.press("n")
    named = "nhc.models[0].names[nhc.page.runs[0].at(nhc.page.tick).word]"
    assert browser.value(named) == "DONE"
    browser.value("Object.assign(nhc.page.wanted, { mechanism: true, word: '' }); nhc.page.go(1)")
    browser.press("n")
    assert browser.value(TICK) == 5, "the fourth operation is followed by the next node"


def test_a_task_can_be_typed(browser: Browser, page_of: PageMaker) -> None:
    browser.open(page_of("brackets"))
    browser.value("document.querySelector('#task-text').value = '(]'; 1")
    browser.click(".text-editor button[type=submit]")
    browser.press("End")
    assert browser.value("document.querySelector('.ending').textContent") == "Answer: no"
    browser.value("document.querySelector('#task-text').value = '(x'; 1")
    browser.click(".text-editor button[type=submit]")
    assert "“x”" in str(browser.value("document.querySelector('.fault').textContent"))
    assert browser.value("nhc.page.text") == "(]"


def test_a_board_can_be_drawn_and_the_goal_moved(browser: Browser, page_of: PageMaker) -> None:
    browser.open(page_of("plan"))
    before = browser.value("nhc.page.text")
    browser.click("[aria-label='left in the goal']")
    browser.wait_for(SETTLED)
    moved = str(browser.value("nhc.page.text"))
    assert moved != before
    assert moved.split("Goal:")[1].splitlines()[4] == "#@   #"
    browser.click("[aria-label^='Draw walls']")
    browser.click(".palette input[value='#']")
    browser.click("[aria-label^='row 5, column 5']")
    browser.wait_for(SETTLED)
    drawn = str(browser.value("nhc.page.text"))
    assert drawn.splitlines()[4] == "#   ##"
    assert drawn.split("Goal:")[1].splitlines()[5] == "#   ##"
    assert str(browser.value("nhc.page.runs[0].ending.text")).startswith("Plan: ")


@pytest.mark.parametrize("world", ["sokoban", "sokoban-permuted", "sliding", "stacking", "free-tree"])
def test_every_world_can_be_chosen_and_shuffled(world: str, browser: Browser, page_of: PageMaker) -> None:
    browser.open(page_of("search"))
    choose = "document.querySelector('[aria-label=World]')"
    browser.value(f"{choose}.value = '{world}'; {choose}.dispatchEvent(new Event('change')); 1")
    browser.wait_for(SETTLED)
    assert browser.value("nhc.page.runs[0].task.world.name") == world
    for _ in range(5):
        browser.click(".board-editor .row button[aria-label^='A random']")
        browser.wait_for("nhc.page.runs[0].ending !== null")
        assert browser.value("nhc.page.runs[0].ending.answer") == "goal found"


@pytest.mark.parametrize("name", zoo_names())
def test_every_machine_fits_on_a_phone(name: str, browser: Browser, page_of: PageMaker) -> None:
    browser.screen(390, 844, dark=True, still=True)
    browser.open(page_of(name))
    for _ in range(6):
        assert browser.value("document.documentElement.scrollWidth") == 390
        browser.press("ArrowRight")
    unlabelled = "[...document.querySelectorAll('button, input, select, svg[role=img]')].filter(\
        (e) => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length)).length"
    assert browser.value(unlabelled) == 0


def test_names_are_shown_and_do_no_harm(browser: Browser, tmp_path: Path) -> None:
    """A title is text, whatever it says; names of symbols too."""
    title = "</script><b id=evil>ü ☃ 漢字"
    page = tmp_path / "page.html"
    page.write_text(page_html(title, [machine_json(title, zoo("copy"))], "<i>a</i> </script> &amp;"))
    browser.open(page)
    assert browser.value("document.title") == title
    assert browser.value("document.querySelectorAll('#evil, #machines b > i, .tape i').length") == 0
    assert browser.value("document.querySelector('.tape li').textContent") == "<i>a</i>"
    assert title in str(browser.value("document.body.textContent"))


def test_the_page_asks_for_nothing(page_of: PageMaker) -> None:
    text = page_of("plan").read_text()
    assert re.findall(r"(?:src|href)=[\"']?[^#\"'\s>][^\s>]*", text) == []
    assert "default-src 'none'" in text
    assert "Permission to use, copy, modify" in text
    assert len(text.encode()) < 400_000


def test_two_machines_show_their_first_difference(browser: Browser, tmp_path: Path) -> None:
    first, other = zoo("copy"), zoo("duplicate")
    task = "abcd"
    models = [machine_json("one", first), machine_json("two", other)]
    models[1]["algorithm"] = models[0]["algorithm"]
    page = tmp_path / "page.html"
    page.write_text(page_html("two", models, task))
    browser.open(page)
    copier = Model(other.parameters, other.config, first.algorithm, {})
    runs = [execute(model, (1, 2, 3, 4), keep=True).trace for model in (first, copier)]
    assert runs[0] is not None and runs[1] is not None
    pairs = zip(runs[0].op, runs[0].read, runs[1].op, runs[1].read, strict=False)
    wanted = next(tick for tick, (a, b, c, d) in enumerate(pairs, start=1) if (a, b) != (c, d))
    assert f"at tick {wanted}:" in str(browser.value("document.getElementById('news').textContent"))
    browser.click("#news button")
    assert browser.value(TICK) == wanted
    assert browser.value("document.querySelectorAll('.machine').length") == 2


def test_long_runs_stay_responsive(browser: Browser, page_of: PageMaker) -> None:
    """87,009 ticks: the page is there at once, and a step takes milliseconds."""
    browser.open(page_of("plan"))
    task = json.dumps({"domain": "free-tree", "start": 0, "goal": 87_000})
    browser.value("document.documentElement.dataset.ready = ''; 1")
    took = browser.value(
        f"(() => {{ const t = performance.now(); nhc.page.setTask({json.dumps(task)}, "
        "{ tick: 1, node: null }); return performance.now() - t; })()"
    )
    browser.wait_for(SETTLED)
    assert browser.value("nhc.page.length") == 87_009
    steps = browser.value(
        "(async () => { const took = []; nhc.page.go(80000); for (let i = 1; i <= 21; i++) {"
        "await new Promise((r) => setTimeout(r)); const t = performance.now(); nhc.page.go(80000 + i);"
        "document.body.offsetHeight; took.push(performance.now() - t); }"
        "return took.sort((a, b) => a - b)[10]; })()"
    )
    print(f"first paint after {took:.0f} ms, a step {steps:.1f} ms")
    assert float(str(took)) < 2000
    assert float(str(steps)) < 300, "50 ms on a free core"


def test_a_goal_that_cannot_be_reached_ends_with_a_message(browser: Browser, page_of: PageMaker) -> None:
    browser.open(page_of("plan"))
    swapped = {"domain": "sliding-3x3", "start": [[1, 2, 3], [4, 5, 6], [7, 8, 0]]}
    set_task(browser, json.dumps({**swapped, "goal": [[2, 1, 3], [4, 5, 6], [7, 8, 0]]}))
    browser.press("End")
    text = browser.value("document.querySelector('.ending').textContent")
    assert text == "Stopped after 200,000 ticks. No plan of up to 8 moves leads there."


def test_a_queue_that_runs_dry_proves_that_there_is_no_plan(browser: Browser, page_of: PageMaker) -> None:
    """With a closed list each state is stored once, so everything that can be reached is seen."""
    browser.open(page_of("graph-plan"))
    browser.press("End")
    assert browser.value("document.querySelector('.ending').textContent") == "Plan: → ↓ ←"
    set_task(browser, "#####\n#@ $#\n#   #\n#####\nGoal:\n#####\n#$ @#\n#   #\n#####")
    browser.press("End")
    assert "ran dry" in str(browser.value("document.querySelector('.ending').textContent"))
    states = browser.value("nhc.page.runs[0].born.length")
    assert states == 5, "the box is stuck; the agent stands on each of the other cells"


@pytest.mark.parametrize("dark", [False, True])
def test_text_has_contrast(dark: bool) -> None:
    """At least 4.5 to 1 (WCAG AA) for all text on all grounds."""
    css = resources.files("nhc.viewer").joinpath("assets/page.css").read_text()
    themes = re.findall(r":root \{(.*?)\}", css, re.DOTALL)
    values = dict(re.findall(r"--([\w-]+): (#\w{6})", themes[dark]))
    pairs = [(ink, ground) for ink in ("ink", "muted", "read", "new", "goal") for ground in ("panel", "bg")]
    pairs += [("goal", "goal-soft"), ("new", "new-soft"), ("ink", "read-soft"), ("muted", "read-soft")]
    pairs += [("ink", "floor"), ("muted", "floor"), ("ink", "tile"), ("panel", "muted"), ("panel", "read")]
    ratios = {pair: contrast(*(values[name] for name in pair)) for pair in pairs}
    assert {pair: ratio for pair, ratio in ratios.items() if ratio < 4.5} == {}


def contrast(first: str, second: str) -> float:
    """The contrast ratio of the Web Content Accessibility Guidelines."""
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * p for weight, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
