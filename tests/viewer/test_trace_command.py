"""`nhc trace`: its table and its lines of JSON are the trace of the run."""

import json

import pytest

from nhc.cli.trace_command import run
from nhc.computer.hosted import execute
from nhc.errors import ConfigError
from nhc.planning.sample import task_of_level
from nhc.tasks.files import parse_task
from nhc.viewer.show import EXAMPLE
from nhc.viewer.traced import traced_task
from tests.computer.machines import hand_made, traced, world, zoo


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_the_lines_are_the_trace(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["zoo:postfix", "3 4 + 2 *", "--json"]) == 0
    head, *ticks, end = lines(capsys)
    made = execute(zoo("postfix"), (3, 4, "+", 2, "*"), keep=True).trace
    assert made is not None
    assert (head["format"], head["version"], head["ticks"]) == ("nhc.trace", 1, made.ticks)
    assert head["weights"] == zoo("postfix").hash
    for field, column in {"op": made.op, "read": made.read, "written": made.written}.items():
        assert [tick[field] for tick in ticks] == column.tolist()
    assert [tick["mechanism"] for tick in ticks] == made.winner.tolist()
    assert [tick["cells"] for tick in ticks] == made.addresses.tolist()
    assert ticks[-1]["data"] == "14"
    assert end == {"ended": True}


def test_planning_tasks_are_traced_in_windows(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["zoo:plan", "--sample", "level=3", "--seed", "5"]
    made = traced(zoo("plan"), task_of_level(world("sokoban-6x6"), 3, seed=5))
    assert run([*asked, "--json", "--first", "4", "--last", "6"]) == 0
    _, *ticks, _ = lines(capsys)
    assert [tick["tick"] for tick in ticks] == [4, 5, 6]
    assert [tick["op"] for tick in ticks] == made.op[3:6].tolist()
    assert run([*asked, "--first", "4", "--last", "6"]) == 0
    table = capsys.readouterr().out.splitlines()
    whole = made.table().splitlines()
    assert table == [whole[0], *whole[4:7]]


def test_a_run_that_is_cut_off_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["zoo:plan", "--max-ticks", "10", "--json"]) == 1
    assert lines(capsys)[-1] == {"ended": False}
    assert run(["zoo:copy", "abcdef", "--max-ticks", "3"]) == 1
    assert "did not end within 3 ticks" in capsys.readouterr().err


def test_a_run_that_stops_by_itself_says_so() -> None:
    model = hand_made("plan", "stops at 2")
    failed = traced_task(model, parse_task(EXAMPLE.encode()), 500)
    assert failed.failure == f"stopped without the goal after {failed.replay.made.ticks} ticks"
    assert failed.replay.ending == "the goal was not met"


def test_graph_search_is_traced_on_states_by_number(capsys: pytest.CaptureFixture[str]) -> None:
    """As many cells as states were met before the goal, each stored once; a start that is the goal, too."""
    assert run(["zoo:graph-plan", "--json"]) == 0
    _, *ticks, end = lines(capsys)
    stored = [tick["written"] for tick in ticks if tick["written"] != -1]
    assert stored == [*range(len(stored))] and len(stored) < len(ticks)
    assert [tick["data"] for tick in ticks[-3:]] == [8, 2, 0] and end == {"ended": True}
    assert run(["zoo:graph-plan", "--max-ticks", "9", "--json"]) == 1
    _, *cut, _ = lines(capsys)
    assert cut == ticks[:9]


def test_an_empty_window_is_refused() -> None:
    for window in (["--first", "0"], ["--first", "5", "--last", "4"]):
        with pytest.raises(ConfigError) as refused:
            run(["zoo:copy", "abc", *window])
        assert refused.value.code == "trace.window"
