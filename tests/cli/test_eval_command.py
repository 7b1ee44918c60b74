"""`nhc eval`: one line a level, an exact bound, and the exit code."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nhc.cli import eval_graph
from nhc.model import Model, save_model
from nhc.planning import evaluate
from nhc.planning.puzzle_boards import Board
from nhc.runs import pool
from nhc.runs.pool import Outcome
from tests.cli.command import Command
from tests.computer.machines import hand_made

KEYS = ["level", "drawn_from", "tasks", "solved", "acceptance", "failure_rate_bound"]
COUNT = 7
EXACT = ("--modules", "exact")


@pytest.fixture(autouse=True)
def few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "RUNS_AT_A_TIME", 5)


@pytest.mark.parametrize(
    ("model", "domain", "modules"),
    [("zoo:plan", "sokoban-6x6", "exact"), ("zoo:search", "stacking", "learned")],
)
def test_the_zoo_solves_everything(nhc: Command, model: str, domain: str, modules: str) -> None:
    options = ("--domain", domain, "--modules", modules, "--levels", "1,3", "--n", COUNT, "--json")
    done = nhc("eval", model, *options)
    assert done.code == 0
    assert [list(line) for line in done.data] == [KEYS, KEYS]
    assert [(line["level"], line["tasks"], line["solved"]) for line in done.data] == [(1, 7, 7), (3, 7, 7)]
    for line in done.data:
        assert line["failure_rate_bound"] == pytest.approx(1 - 0.05 ** (1 / COUNT)), "exact for no failures"
        assert 0 < line["acceptance"] <= 1
    assert [part.split(":")[0] for part in done.err.splitlines()] == ["  level 1", "  level 3"]


def test_the_table_and_the_claim(nhc: Command) -> None:
    done = nhc("eval", "zoo:plan", "--domain", "stacking", "--levels", "1..2", "--n", COUNT, "--quiet")
    assert (done.code, done.err) == (0, "")
    assert "zoo:plan on stacking, learned data modules (exhaustive: 0 errors" in done.out
    rows = [line.split() for line in done.out.splitlines() if line.strip()[:1] in ("1", "2")]
    assert [row[:3] for row in rows] == [["1", "7", "7"], ["2", "7", "7"]]
    assert "sampled: 0 of 14 failed" in done.out.splitlines()[-1]


def test_failures_are_counted_and_end_with_one(nhc: Command, tmp_path: Path) -> None:
    save_model(tmp_path / "damaged", hand_made("plan", "no way back"))
    done = nhc("eval", tmp_path / "damaged", *EXACT, "--levels", "1", "--n", COUNT, "--json", "--quiet")
    assert (done.code, done.data[0]["solved"]) == (1, 0)
    assert done.data[0]["failure_rate_bound"] == 1.0


def test_the_seed_decides_the_tasks(nhc: Command, tmp_path: Path) -> None:
    """A machine that solves only some tasks tells seeds apart."""
    save_model(tmp_path / "some", hand_made("plan", "last op wins"))
    options = ("eval", tmp_path / "some", *EXACT, "--levels", "1..3", "--n", 5, "--json", "--quiet")
    runs = [[line["solved"] for line in nhc(*options, "--seed", seed).data] for seed in (1, 1, 2, 3)]
    assert runs[0] == runs[1]
    assert runs[1:] != runs[1:2] * 3


def test_empty_levels_are_marked(nhc: Command) -> None:
    done = nhc(
        "eval", "zoo:plan", "--domain", "stacking", *EXACT, "--levels", "5..6", "--n", COUNT, "--quiet"
    )
    assert done.code == 0
    rows = [line.split("  ") for line in done.out.splitlines() if line.strip()[:1] in ("5", "6")]
    assert [[cell.strip() for cell in row if cell.strip()][:2] for row in rows] == [
        ["5", "7"],
        ["6 (empty, tasks of 5)", "7"],
    ]


@pytest.fixture
def two_together(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Boards are solved two at a time, and the fourth one is interrupted; the numbers of boards asked for."""
    monkeypatch.setattr(eval_graph, "TOGETHER", 2)
    solve, calls = eval_graph.plan_lengths, list[int]()

    def counted(model: Model, boards: list[Board]) -> list[int | None]:
        calls.append(len(boards))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return solve(model, boards)

    monkeypatch.setattr(eval_graph, "plan_lengths", counted)
    return calls


def test_boards_that_were_solved_are_kept(nhc: Command, two_together: list[int]) -> None:
    """A run that was stopped goes on where it was, and a file of other boards is left alone."""
    options = ("eval", "zoo:graph-plan", "--n", 5, "--jobs", 1, "--out", "kept.jsonl", "--quiet")
    assert nhc(*options).code == 130
    with Path("kept.jsonl").open("a") as file:
        file.write('{"iteration":4,"leng')
    done = nhc(*options)
    assert done.code == 0 and two_together == [2, 2, 2, 1] and "5 of 5 boards solved" in done.out
    kept = Path("kept.jsonl").read_text()
    assert [json.loads(line)["iteration"] for line in kept.splitlines()] == [0, 2, 4, 5]
    for others in (("--seed", 3), ("--n", 3)):
        other = nhc(*options, *others)
        assert (other.code, other.error_code) == (2, "eval.out") and Path("kept.jsonl").read_text() == kept
    Path("notes").write_text("a line that nobody ended")
    other = nhc("eval", "zoo:graph-plan", "--n", 5, "--out", "notes", "--quiet")
    assert (other.code, other.error_code) == (2, "eval.out")
    assert Path("notes").read_text() == "a line that nobody ended"


def test_boards_are_shared_by_processes(nhc: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that end early wait for those before them."""
    monkeypatch.setattr(eval_graph, "TOGETHER", 2)
    options, asked = ("eval", "zoo:graph-plan", "--n", 5, "--quiet", "--out"), list[int]()
    assert nhc(*options, "one.jsonl", "--jobs", 1).code == 0

    def backwards(
        solve: Callable[[list[Board]], list[int | None]], slices: list[list[Board]], workers: int
    ) -> Iterator[Outcome[list[Board], list[int | None]]]:
        asked.append(workers)
        for number, boards in reversed([*enumerate(slices)]):
            yield Outcome(number, boards, solve(boards), None)

    monkeypatch.setattr(pool, "outcomes", backwards)
    assert nhc(*options, "many.jsonl", "--jobs", 7).code == 0 and asked == [3]
    assert Path("one.jsonl").read_bytes() == Path("many.jsonl").read_bytes()
    assert nhc(*options, "none.jsonl", "--jobs", 0).error_code == "config.value"
