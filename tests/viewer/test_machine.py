"""The machine in the page decides as the machine itself: operations, addresses, words, answers."""

import json
from pathlib import Path

import numpy as np
import pytest

from nhc.algorithms.registry import ALGORITHMS
from nhc.algorithms.sequence.algorithm import SequenceAlgorithm
from nhc.algorithms.sequence.grammar import NOTATIONS
from nhc.algorithms.sequence.notation import argument_text
from nhc.algorithms.tape import BLANK, END, LARGEST, MINUS, NIL, PLUS, START, TIMES, TapeSide
from nhc.algorithms.tree.environment import Status
from nhc.computer.trace import trace
from nhc.errors import ConfigError
from nhc.planning.states import computer_for, problem_for
from nhc.tasks.files import parse_task
from nhc.viewer.machine_json import machine_json
from nhc.viewer.page import page_html
from nhc.viewer.show import planning_text
from nhc.zoo import zoo_names
from tests.computer.machines import hand_made, zoo
from tests.oracles.teacher import FAULTS
from tests.viewer.browser import Browser
from tests.viewer.comparison import compare
from tests.viewer.conftest import PageMaker
from tests.viewer.expected import expected_runs

TASKS = 24
SAFE = 2**53 - 1
MARKS = {word: place - SAFE for place, word in enumerate((BLANK, START, END, NIL, PLUS, MINUS, TIMES))}
MARKS[LARGEST + 1] = 2**52 + 1


@pytest.mark.parametrize("name", zoo_names())
def test_the_page_runs_as_the_machine(name: str, browser: Browser, page_of: PageMaker) -> None:
    browser.open(page_of(name))
    made = compare(browser, list(expected_runs(name, TASKS, seed=7)))
    assert made.different == []
    assert made.smallest > 100
    assert made.without_line == 0


def in_page(word: int) -> int:
    """A word as the page has it, where marks are other numbers."""
    return MARKS.get(word, word)


def script_of(name: str, rng: np.random.Generator) -> tuple[str, list[object], list[object]]:
    """A random instance as text, random operations on what was stored, and what the data side does."""
    algorithm: object = ALGORITHMS[name]
    assert isinstance(algorithm, SequenceAlgorithm)
    notation = NOTATIONS[name]
    while True:
        try:
            text = notation.write(algorithm.random(int(rng.integers(1, 6)), rng))
        except ValueError:
            continue
        break
    side = algorithm.begin(notation.read(argument_text(text.split())).instance)
    stored, script, did = list[int](), list[object](), list[object]()
    for _ in range(60):
        signals, word = side.observe()
        assert isinstance(word, int)
        stored.append(word)
        place = len(stored) - 1 if rng.random() < 0.5 else int(rng.integers(len(stored)))
        op = int(rng.integers(len(algorithm.ops)))
        before = written_by(side)
        side.act(op, stored[place])
        wrote = [in_page(each) for each in written_by(side)[len(before) :]]
        script.append([place, op])
        did.append([[int(signal) for signal in signals], in_page(word), wrote, side.done])
        if side.done:
            break
    return text, script, did


def written_by(side: TapeSide) -> tuple[int, ...]:
    return tuple(side._written)


@pytest.mark.parametrize("name", NOTATIONS)
def test_the_data_sides_are_the_same(name: str, browser: Browser, page_of: PageMaker) -> None:
    """Also for algorithms of which no machine ships, and for operations that no machine would choose."""
    browser.open(page_of("copy"))
    rng = np.random.default_rng(3)
    for _ in range(40):
        text, script, did = script_of(name, rng)
        values = json.dumps(name), json.dumps(text), json.dumps(script)
        found = browser.value(SIDE % values)
        if found is None:  # Sums of marks: numbers beyond what the page holds.
            assert name == "postfix"
            continue
        assert found == did, (text, script)


SIDE = """
((name, text, script) => {
  const side = new nhc.TapeSide(name, nhc.readTask(name, text)), stored = [];
  try {
    return script.map(([place, op]) => {
      const [signals, word] = side.observe(), before = side.written.length;
      stored.push(word);
      side.act(op, stored[place]);
      return [signals, word, side.written.slice(before), Boolean(side.done)];
    });
  } catch (error) {
    if (error.name !== "TooLarge") throw error;
    return null;
  }
})(%s, %s, %s)
"""


def test_a_decision_that_is_too_close_stops_the_run(browser: Browser, tmp_path: Path) -> None:
    """With weights of zero all decisions are ties."""
    made = machine_json("none", zoo("copy"))
    blocks = made["blocks"]
    assert isinstance(blocks, list)
    for block in blocks:
        block["weights"] = "A" * len(block["weights"].rstrip("=")) + "=" * block["weights"].count("=")
    page = tmp_path / "page.html"
    page.write_text(page_html("none", [made], "abc"))
    browser.open(page)
    text = browser.value("document.querySelector('.ending').textContent")
    assert "Stopped at tick 1" in str(text)
    assert "float32" in str(text)


def test_numbers_that_are_too_large_stop_the_run(browser: Browser, page_of: PageMaker) -> None:
    browser.open(page_of("postfix"))
    run = "new nhc.Run(nhc.models[0], nhc.taskOf(nhc.models[0].algorithm, '99999999 99999999 *')).extend(99)"
    assert "too large" in str(browser.value(f"{run}.ending.text"))
    same = run.replace("99999999 99999999 *", "9999999 9999999 *")
    assert browser.value(f"{same}.ending.answer") == str(9999999**2)


def test_other_machines_are_refused() -> None:
    with pytest.raises(ConfigError) as refused:
        machine_json("real", hand_made(words="real"))
    assert refused.value.code == "show.machine"


def test_a_machine_without_proof_has_no_program() -> None:
    made = machine_json("forgetful", hand_made(fault=next(name for name in FAULTS if name != "none")))
    assert made["sections"] == []
    assert "not proved" in str(made["about"])


TICKS = 500
LEVELS = (
    "#####\n#@$.#\n#####",
    "######\n#@$. #\n# $. #\n######",
    "  #####\n###   #\n#@ $. #\n#######",
    "########\n#@     #\n# $  . #\n########",
)


@pytest.mark.parametrize("level", LEVELS)
def test_goal_cells_are_met_as_the_machine_meets_them(
    level: str, browser: Browser, page_of: PageMaker
) -> None:
    """Level files mean every box on a goal, which is another test than equality."""
    browser.open(page_of("plan"))
    task = parse_task(level.encode())
    made = trace(computer_for(zoo("plan"), task.world), problem_for(task), max_ticks=TICKS)
    text = json.dumps(planning_text(task))
    run = f"new nhc.Run(nhc.models[0], nhc.taskOf(nhc.models[0].algorithm, {text})).extend({TICKS})"
    assert made.status == Status.FINISHED
    assert browser.value(f"{run}.ticks.map((tick) => tick.op)") == made.op.tolist()
    assert browser.value(f"{run}.ticks.map((tick) => tick.address)") == made.read.tolist()
    assert browser.value(f"{run}.ending.kind") == "ended"
