"""A public collection of a thousand levels: all are read, their own solutions hold, ours are no longer.

The levels are those of Debian's package `cavepacker-data`, if it is installed; the environment variable
NHC_LEVELS names another folder of `.sok` files. A solution stands under the key `Solution`, or in a `.sol`
file beside the level.
"""

import os
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from nhc.domains.sokoban.levels import Level, scan_levels
from nhc.domains.sokoban.plan_check import check_plan
from nhc.domains.sokoban.text import read_moves
from nhc.errors import InputError
from nhc.model import load_model
from nhc.planning.graph_search import Ending, solve_graph
from nhc.planning.graph_tasks import PushGraph, SteppedGraph, graph_task
from nhc.planning.witness import check_witness, witness_of
from nhc.tasks.planning import level_task

INSTALLED = "/usr/share/games/cavepacker/maps"
FOLDER = Path(os.environ.get("NHC_LEVELS", INSTALLED))
ERRORS = Path(__file__).resolve().parents[2] / "docs" / "errors.md"
SOLVED, STATES = 12, 20_000
"""Levels with the fewest cells that are solved, and how many states a level may have to be among them."""

pytestmark = pytest.mark.skipif(
    not any(FOLDER.glob("*.sok")),
    reason=f"no levels in {FOLDER}: install cavepacker-data, or name a folder in NHC_LEVELS",
)


@cache
def found() -> list[tuple[Path, Level | InputError]]:
    """All levels of all files, and why others are refused."""
    levels = list[tuple[Path, Level | InputError]]()
    for path in sorted(FOLDER.glob("*.sok")):
        try:
            levels += [(path, level) for level in scan_levels(path.read_bytes(), path.name)]
        except InputError as error:
            levels.append((path, error))
    return levels


def solution(path: Path, level: Level) -> list[int] | None:
    """The moves that the file, or the one beside it, gives."""
    text = dict(level.metadata).get("solution")
    beside = path.with_suffix(".sol")
    if text is None and beside.exists():
        text = beside.read_text()
    return None if text is None else read_moves(text, path.name)


def test_levels_are_read_or_refused_for_a_documented_reason() -> None:
    refused = [level for _, level in found() if isinstance(level, InputError)]
    codes = Counter(error.code for error in refused)
    print(f"{len(found()):,} levels, refused: {dict(codes)}")
    documented = set(re.findall(r"^\| `([a-z_.]+)` \|", ERRORS.read_text(), re.MULTILINE))
    assert set(codes) <= documented
    assert all(error.place is not None and error.place.line is not None for error in refused)
    if str(FOLDER) == INSTALLED:
        assert codes == {"xsb.players": 1}


def test_solutions_of_the_files_hold() -> None:
    replayed, moves, faults = 0, 0, list[str]()
    for path, level in found():
        ops = None if isinstance(level, InputError) else solution(path, level)
        if isinstance(level, InputError) or ops is None:
            continue
        verdict = check_plan(level.board, level.state, ops, level.goals)
        replayed, moves = replayed + 1, moves + verdict.moves
        faults += [] if verdict.valid else [f"{path.name}: {verdict.fault}"]
    print(f"{replayed:,} solutions of {moves:,} moves")
    assert faults == []
    assert replayed > 0 or str(FOLDER) != INSTALLED


@pytest.mark.parametrize("cost", ["moves", "pushes"])
def test_small_levels_are_solved_with_plans_that_are_no_longer(cost: str) -> None:
    model = load_model("zoo:graph-plan")
    levels = [(path, level) for path, level in found() if isinstance(level, Level)]
    levels.sort(key=lambda pair: (len(pair[1].text.replace("#", "").replace("\n", "")), pair[0].name))
    solved = 0
    for path, level in levels:
        task = graph_task(level_task(level), cost)
        assert isinstance(task, SteppedGraph | PushGraph)
        answer = solve_graph(model, task, memory=STATES * 200, seconds=60)
        theirs = solution(path, level)
        if answer.ending is not Ending.SOLVED or theirs is None or answer.explored is None:
            assert answer.ending is Ending.SOLVED or answer.ending is Ending.BUDGET
            continue
        pushes = check_plan(level.board, level.state, theirs, level.goals).pushes
        assert len(answer.labels) <= (len(theirs) if cost == "moves" else pushes), path.name
        assert check_witness(task, witness_of(answer.explored)) is None, path.name
        solved += 1
        if solved == SOLVED:
            break
    assert solved > 0
