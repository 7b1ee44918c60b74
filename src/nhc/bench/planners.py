"""General planners on PDDL texts, for comparison: pyperplan and Fast Downward, where they are installed.

They run as programs of their own and are never imported. What they report is read from their messages: the
time is that of one core, for the search alone, without reading and grounding.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

DOWNWARD, PACKAGE = "fast-downward.py", "up_fast_downward"
"""The script of Fast Downward, and the Python package that brings it along."""


class PlannerRun(NamedTuple):
    """What a planner reported."""

    expanded: int
    seconds: float
    generated: int | None = None
    """None where it does not say."""
    plan: int | None = None
    """The length of the plan, None without one."""


def has_pyperplan() -> bool:
    """Is pyperplan there?"""
    return find_spec("pyperplan") is not None


def fast_downward() -> list[str] | None:
    """The command that starts Fast Downward; None where it is not installed."""
    script = shutil.which(DOWNWARD)
    if script is not None:
        return [script]
    spec = find_spec(PACKAGE)
    for folder in () if spec is None else spec.submodule_search_locations or ():
        inside = Path(folder, "downward", DOWNWARD)
        if inside.is_file():
            return [sys.executable, str(inside)]
    return None


def run_pyperplan(domain: str, problem: str) -> PlannerRun:
    """Breadth-first search with duplicate detection."""
    return read_pyperplan(_run([sys.executable, "-m", "pyperplan", "--search", "bfs"], domain, problem))


def run_fast_downward(command: Sequence[str], domain: str, problem: str) -> PlannerRun:
    """A* without a heuristic, which expands the states by their depth."""
    return read_fast_downward(_run(command, domain, problem, "--search", "astar(blind())"))


def read_pyperplan(log: str) -> PlannerRun:
    """The figures in its messages; raises ValueError if they are not there."""
    expanded, seconds = _number(r"(\d+) Nodes expanded", log), _number(r"Search time: ([\d.e+-]+)", log)
    plan = re.search(r"Plan length: (\d+)", log)
    return PlannerRun(int(expanded), seconds, plan=None if plan is None else int(plan[1]))


def read_fast_downward(log: str) -> PlannerRun:
    """The figures in its messages; raises ValueError if they are not there."""
    expanded, generated = (_number(rf"\b{word} (\d+) state", log) for word in ("Expanded", "Generated"))
    plan = re.search(r"Plan length: (\d+)", log)
    seconds = _number(r"Search time: ([\d.e+-]+)s", log)
    return PlannerRun(int(expanded), seconds, int(generated), None if plan is None else int(plan[1]))


def _number(pattern: str, log: str) -> float:
    found = re.search(pattern, log)
    if found is None:
        raise ValueError(f"expected the planner's figures, found: {log[-300:]}")
    return float(found[1])


def _run(command: Sequence[str], domain: str, problem: str, *more: str) -> str:
    """What a planner says on these texts; it works in a folder of its own."""
    with TemporaryDirectory() as folder:
        paths = Path(folder, "domain"), Path(folder, "problem")
        for path, text in zip(paths, (domain, problem), strict=True):
            path.write_text(text)
        line = [*command, *map(str, paths), *more]
        done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout + done.stderr
