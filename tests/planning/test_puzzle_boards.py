"""Boards of the 3x3 puzzle beside their true distances."""

from collections import Counter

import pytest

from nhc.cli.main import guarded, run
from nhc.domains.registry import make_domain
from nhc.domains.states import plain
from nhc.model import load_model
from nhc.planning.graph_search import Answer, Ending
from nhc.planning.puzzle_boards import GOAL, distances, drawn, plan_lengths, slid
from nhc.tasks.files import puzzle_task

FARTHEST = (8, 6, 7, 2, 5, 4, 3, 0, 1)
ALL = 181_440


def test_distances_are_the_known_ones() -> None:
    found = distances()
    sizes = Counter(found.values())
    assert (len(found), max(sizes), sizes[31], found[FARTHEST]) == (ALL, 31, 2, 31)
    assert [sizes[far] for far in range(8)] == [1, 2, 4, 8, 16, 20, 39, 62]


def test_tiles_slide_as_in_the_world() -> None:
    world = make_domain("sliding-3x3")
    for board in drawn(distances(), 20, seed=1):
        task = puzzle_task(" ".join(map(str, board)))
        after = {plain(world.step(task.start, op)) for op in range(4)} - {plain(task.start)}
        assert after == {plain(puzzle_task(" ".join(map(str, made))).start) for made in slid(board)}


def test_boards_are_drawn_without_repetition() -> None:
    boards = distances()
    assert len({*drawn(boards, 500, seed=3)}) == 500
    assert drawn(boards, 5, seed=3) == drawn(boards, 5, seed=3) != drawn(boards, 5, seed=4)
    assert sorted(drawn([*boards][:9], 20, seed=0)) == sorted([*boards][:9])


def test_plans_are_as_long_as_boards_are_far() -> None:
    known = distances()
    boards = [GOAL, FARTHEST, *drawn(known, 5, seed=2)]
    assert plan_lengths(load_model("zoo:graph-plan"), boards) == [known[board] for board in boards]


def test_the_command_counts_by_distance(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["eval", "zoo:graph-plan", "--domain", "sliding-3x3", "--n", "3"]) == 0
    shown, said = capsys.readouterr()
    assert "3 of 3 boards solved by a shortest plan" in shown
    assert "distance   boards   tried   shortest plan" in shown
    assert "control proved" in said


def test_the_command_tells_wrong_plans(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = Answer(Ending.ERROR, fault="spoilt")

    def answered(model: object, task: object, *, seconds: float) -> Answer:
        assert seconds == float("inf"), "a slow machine is not a wrong one"
        return answer

    monkeypatch.setattr("nhc.planning.puzzle_boards.solve_graph", answered)
    assert run(["eval", "zoo:graph-plan", "--n", "2", "--quiet", "--json"]) == 1
    shown, said = capsys.readouterr()
    assert shown.count('"shortest plan": 0') == 32
    assert said.count("away, found None") == 2


@pytest.mark.parametrize("more", [["--domain", "stacking"], ["--n", "0"]])
def test_the_command_refuses_other_worlds(more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(run, ["eval", "zoo:graph-plan", *more]) == 2
    assert "eval.range" in capsys.readouterr().err


def test_all_boards_are_for_graph_search(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(run, ["eval", "zoo:plan", "--all"]) == 2
    assert "expected a machine for graph-plan" in capsys.readouterr().err
