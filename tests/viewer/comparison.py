"""The machine in the page against the machine itself, on random tasks.

`python -m tests.viewer.comparison 1000` compares so many tasks of each machine that ships.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from nhc.viewer.machine_json import machine_json
from nhc.viewer.page import page_html
from nhc.zoo import zoo_names
from tests.computer.machines import zoo
from tests.viewer.browser import Browser
from tests.viewer.expected import Expected, expected_runs

SCRIPT = """
JSON.stringify(TASKS.map((text) => {
  const run = new nhc.Run(nhc.models[0], nhc.taskOf(nhc.models[0].algorithm, text)).extend(100000);
  const column = (field) => run.ticks.map((tick) => tick[field]);
  const keys = new Set(nhc.models[0].sections.flatMap((s) => s.lines.flatMap((line) => line.keys)));
  return {
    text, op: column("op"), read: column("address"), winner: column("winner"), word: column("word"),
    addresses: column("addresses"), answer: run.planning ? null : run.ending.answer,
    kind: run.ending.kind, ratio: run.smallest.ratio,
    lines: run.ticks.every((tick) => keys.has(tick.state.key)),
  };
}))
"""
BATCH = 50


class Compared(NamedTuple):
    """What came of it."""

    tasks: int
    ticks: int
    different: list[str]
    """Tasks on which the two machines differ."""
    smallest: float
    """The smallest ratio of a decision's gap to the bound on float32 errors."""
    without_line: int
    """Tasks with a tick for which the program has no line."""


def compare(browser: Browser, expected: list[Expected]) -> Compared:
    """Run the tasks in the page that is open."""
    different, ticks, smallest, missing = list[str](), 0, float("inf"), 0
    for first in range(0, len(expected), BATCH):
        batch = expected[first : first + BATCH]
        tasks = json.dumps([run.text for run in batch])
        found = browser.value(SCRIPT.replace("TASKS", tasks))
        for run, made in zip(batch, json.loads(str(found)), strict=True):
            wanted = run.json()
            ticks += len(run.op)
            smallest = min(smallest, made["ratio"])
            missing += not made["lines"]
            if any(made[name] != value for name, value in wanted.items()) or made["kind"] != "ended":
                different.append(run.text)
    return Compared(len(expected), ticks, different, smallest, missing)


def main(count: int) -> None:
    """Compare every machine that ships, and print a line for each."""
    with Browser() as browser, tempfile.TemporaryDirectory() as folder:
        for name in zoo_names():
            runs = list(expected_runs(name, count))
            page = Path(folder) / f"{name}.html"
            page.write_text(page_html(name, [machine_json(name, zoo(name))], runs[0].text))
            browser.open(page)
            made = compare(browser, runs)
            print(
                f"{name:<13} {made.tasks:>5} tasks {made.ticks:>7} ticks  {len(made.different)} different  "
                f"smallest ratio {made.smallest:,.0f}  {made.without_line} without a line",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
