"""The benchmark of search with a closed list on tiny tasks: all ways find the same."""

import json

import pytest

from nhc.bench import graphs, planners
from nhc.bench.measure import Row
from nhc.bench.plain_graphs import Found, pddl_rules, search, sliding_rules
from nhc.bench.planners import PlannerRun
from nhc.cli.main import run
from nhc.model import load_model
from nhc.pddl import PddlTask

LEVEL = "#####\n#@$.#\n#   #\n#####\n"
NEAR = (1, 2, 3, 4, 5, 0, 7, 8, 6)
NUMBERS = ("states", "successors", "plan", "core s", "million successors/core s", "times plain Python")


def rows(case: graphs.Case, monkeypatch: pytest.MonkeyPatch, *, installed: bool) -> list[Row]:
    """With planners that find what ours find, or without any."""
    length = case.plain().plan
    runs = {
        "run_pyperplan": PlannerRun(10, 0.5, None, length),
        "run_fast_downward": PlannerRun(9, 0.25, 30, length),
    }
    for name, made in runs.items():
        monkeypatch.setattr(planners, name, lambda *texts, made=made: made if installed else None)
    return graphs.rows_of(load_model("zoo:graph-plan"), case)


def test_a_level_is_solved_in_all_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    found = rows(graphs.level_case(LEVEL), monkeypatch, installed=True)
    assert [row["case"] for row in found] == [
        "Sokoban: native, whole answer",
        "Sokoban: native, graph alone",
        "Sokoban: PDDL, whole answer",
        "Sokoban: PDDL, graph alone",
        "Sokoban: plain Python",
        "Sokoban: PDDL, pyperplan",
        "Sokoban: PDDL, Fast Downward",
    ]
    assert all(tuple(row) == ("case", *NUMBERS) for row in found)
    assert {row["plan"] for row in found} == {1}
    assert found[4]["times plain Python"] == 1
    assert [found[4][key] for key in NUMBERS[:3]] == [found[0][key] for key in NUMBERS[:3]]
    assert found[-1]["successors"] == 30 and found[-1]["core s"] == 0.25
    assert isinstance(found[-2]["successors"], int)


def test_planners_that_are_not_installed_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    found = rows(graphs.gripper_case(1), monkeypatch, installed=False)
    assert [row["case"] for row in found[3:]] == [
        "gripper: pyperplan (not installed: pip install pyperplan)",
        "gripper: Fast Downward (not installed: pip install up-fast-downward)",
    ]
    assert all(row[key] is None for row in found[3:] for key in NUMBERS)
    assert {row["plan"] for row in found[:3]} == {3}


def test_plain_searches_make_the_same_states() -> None:
    for case in (graphs.puzzle_case(NEAR), graphs.gripper_case(2), graphs.level_case(LEVEL)):
        task = next(iter(case.ours.values()))
        (answer, graph) = graphs.our_ways(load_model("zoo:graph-plan"), "given", task)
        assert case.plain() == Found(*answer[1:4]) == Found(*graph[1:4])


def test_a_plain_search_that_finds_nothing() -> None:
    turned = (2, 1, 3, 4, 5, 6, 7, 8, 0)
    assert search(sliding_rules(NEAR, turned)) == Found(181_440, 4 * 181_440, None)


def test_plain_rules_of_pddl() -> None:
    task = graphs.gripper_case(1).ours["PDDL"]
    assert isinstance(task, PddlTask)
    assert search(pddl_rules(task)).plan == 3


def test_a_way_that_finds_another_length_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    case = graphs.puzzle_case(NEAR)._replace(plain=lambda: Found(1, 1, 9))
    with pytest.raises(AssertionError, match="all plans are shortest"):
        graphs.rows_of(load_model("zoo:graph-plan"), case)


def test_the_command_prints_the_rows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = rows(graphs.gripper_case(1), monkeypatch, installed=False)
    monkeypatch.setattr(graphs, "graph_rows", lambda: wanted)
    assert run(["bench", "plan", "--json"]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == wanted
    assert run(["bench", "plan"]) == 0
    title, head, _, *lines = capsys.readouterr().out.splitlines()
    assert "closed list" in title and all(name in head for name in wanted[0])
    assert len([line for line in lines if line.startswith("gripper: ")]) == len(wanted) == 5
    assert lines[4].split()[-6:] == ["-"] * 6
